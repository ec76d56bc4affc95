//! `audit`: replays a log from its first SuperRoot, and looks whether all views of it are one.
//!
//! ```text
//! newest note of every --url ──► replay from the one that is farthest ──► at each size: one root?
//!                            ──► --against: sampled blocks, proven, beside the auditor's own nodes
//! ```

mod against;
mod files;
mod gauges;

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::Args;
use superroot_client::audit::{Audit, AuditError, has_quorum};
use superroot_client::{At, Client};
use superroot_proof::note::{KeyKind, TrustPolicy, VerifierKey};
use superroot_types::Hash;
use superroot_wire::parse_json;

use super::progress::bar;
use super::report::Verdict;
use super::style::{BAD, GOOD, WARNING, plain};

/// Time between two writes of the state.
const SAVE_INTERVAL: Duration = Duration::from_secs(2);
/// What the exit code says.
const EXIT_CODES: &str = "Exits with 0 when every rule holds and the newest SuperRoot is signed by \
    --key, 1 when the log breaks a rule or shows two histories, 2 when that could not be judged.";

/// Arguments of `audit`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct AuditArgs {
    /// Address of the service; given several times, all have to show one log.
    #[arg(long, value_name = "URL", required = true)]
    url: Vec<String>,
    /// Key that you know of the log (name+id+base64). Without it rules are checked, nobody's word.
    #[arg(long, value_name = "VKEY")]
    key: Option<VerifierKey>,
    /// Witnesses that have to have cosigned the newest note (C2SP tlog-policy).
    #[arg(long, value_name = "FILE", requires = "key")]
    policy: Option<PathBuf>,
    /// A node of your own, whose blocks are compared with proven ones; may be given several times.
    #[arg(long, value_name = "CHAIN=URL")]
    against: Vec<String>,
    /// Blocks of each such chain that are compared.
    #[arg(long, value_name = "COUNT", default_value_t = 8)]
    samples: u64,
    /// File in which the audit keeps where it stands, and from which it goes on.
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// File that evidence against the log is written to.
    #[arg(long, value_name = "FILE", default_value = "evidence.json")]
    evidence: PathBuf,
    /// Goes on for ever, as the log does.
    #[arg(long)]
    follow: bool,
    /// Seconds between two looks with --follow.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    every: u64,
    /// Address of /metrics.
    #[arg(long, value_name = "ADDR")]
    metrics_listen: Option<SocketAddr>,
}

pub(crate) async fn run(args: AuditArgs, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    if args.key.as_ref().is_some_and(|key| key.kind() != KeyKind::Log) {
        bail!("--key is the key of a witness, not of a log");
    }
    if args.url.len() > 1 && args.key.is_none() {
        bail!("several --url are compared by their notes: give --key as well");
    }
    let policy = match &args.policy {
        None => TrustPolicy::none(),
        Some(file) => {
            let text = std::fs::read_to_string(file);
            let text = text.with_context(|| format!("cannot read {}", file.display()))?;
            TrustPolicy::parse(&text).with_context(|| file.display().to_string())?
        }
    };
    let nodes = args.against.iter().map(|one| against::Node::of(one));
    let nodes = nodes.collect::<anyhow::Result<Vec<_>>>()?;
    if let Some(address) = args.metrics_listen {
        gauges::serve(address).await?;
    }
    let clients = args.url.iter().map(|url| {
        let client = Client::new(url).with_context(|| format!("--url {}", plain(url)))?;
        Ok(client.patient())
    });
    let clients = clients.collect::<anyhow::Result<Vec<_>>>()?;
    let origin = match &args.key {
        Some(key) => key.name().to_owned(),
        None => origin(&clients[0]).await?,
    };
    let mut audit = match files::load(args.state.as_deref())? {
        Some(text) => Audit::resume(&text, &origin, args.key.clone())?,
        None => Audit::new(&origin, args.key.clone()),
    };
    if audit.size() > 0 {
        writeln!(out, "going on after SuperRoot {} of {}", audit.size() - 1, plain(&origin))?;
    }
    loop {
        match round(&args, &policy, &clients, &mut audit).await {
            Ok(is_signed) => {
                gauges::set(&audit, 0);
                let mut differing = Vec::new();
                for node in &nodes {
                    differing
                        .extend(against::compare(node, &clients[0], &audit, args.samples).await?);
                }
                for line in &differing {
                    writeln!(out, "{BAD}differs{BAD:#}  {}", plain(line))?;
                }
                let verdict = report(out, &audit, &origin, is_signed, !differing.is_empty())?;
                if !args.follow || verdict == Verdict::False {
                    return Ok(verdict.into());
                }
            }
            Err(error) if error.is_false() => {
                gauges::set(&audit, 1);
                accuse(&args, &clients, &audit, out, &error).await?;
                return Ok(Verdict::False.into());
            }
            Err(error) if args.follow => say!("{}", plain(&error.to_string())),
            Err(error) => {
                let why = plain(&error.to_string());
                writeln!(out, "{WARNING}NOT JUDGED{WARNING:#}: {why}")?;
                return Ok(Verdict::Unusable.into());
            }
        }
        tokio::time::sleep(Duration::from_secs(args.every.max(1))).await;
    }
}

/// The origin that a service names: whose log it is, nobody's word but its own says.
async fn origin(client: &Client) -> anyhow::Result<String> {
    let page = parse_json(&client.fetch_superroot(At::Latest).await?)?;
    let origin = page.get("origin").and_then(|origin| origin.as_str());
    Ok(origin.context("the service names no origin")?.to_owned())
}

/// Replays what is new, and compares all views on the way. Whether the newest SuperRoot is signed as
/// the policy asks.
async fn round(
    args: &AuditArgs,
    policy: &TrustPolicy,
    clients: &[Client],
    audit: &mut Audit,
) -> Result<bool, AuditError> {
    let (mut shown, mut saved) = (None, Instant::now());
    let newest = audit.round(clients, |audit, goal| {
        let bar = shown.get_or_insert_with(|| {
            bar(goal, "{bar:40} {pos}/{len} SuperRoots, {per_sec}, {eta} left")
        });
        bar.set_position(audit.size());
        if saved.elapsed() >= SAVE_INTERVAL {
            files::save(args.state.as_deref(), audit)?;
            gauges::set(audit, 0);
            saved = Instant::now();
        }
        Ok(())
    });
    let newest = newest.await?;
    if let Some(bar) = shown {
        bar.finish_and_clear();
    }
    files::save(args.state.as_deref(), audit)?;
    Ok(newest.is_some_and(|note| args.key.is_some() && has_quorum(&note, policy)))
}

/// What was found, and what it shows.
fn report(
    out: &mut impl Write,
    audit: &Audit,
    origin: &str,
    is_signed: bool,
    differs: bool,
) -> anyhow::Result<Verdict> {
    let hash = audit.last_hash().map_or_else(String::new, |hash: Hash| hash.to_string());
    writeln!(out, "{} SuperRoots of {}, up to {hash}", audit.size(), plain(origin))?;
    writeln!(
        out,
        "  {} twigs replayed, {} notes of their own hold",
        audit.twigs(),
        audit.signed()
    )?;
    writeln!(
        out,
        "  not shown: that the blocks in the twigs are those of their chains (--against)"
    )?;
    if differs {
        writeln!(out, "{BAD}FALSE{BAD:#}: the log commits to other blocks than your nodes have")?;
        return Ok(Verdict::False);
    }
    if is_signed && audit.size() > 0 {
        writeln!(
            out,
            "{GOOD}TRUE{GOOD:#}: every rule holds, and your key signed the newest SuperRoot"
        )?;
        return Ok(Verdict::True);
    }
    let why = "nobody whom you know signed the newest SuperRoot (--key, --policy)";
    writeln!(out, "{WARNING}NOT ANCHORED{WARNING:#}: every rule holds, but {why}")?;
    Ok(Verdict::Unusable)
}

/// Says what is wrong, and leaves evidence where there is any.
async fn accuse(
    args: &AuditArgs,
    clients: &[Client],
    audit: &Audit,
    out: &mut impl Write,
    error: &AuditError,
) -> anyhow::Result<()> {
    writeln!(out, "{BAD}FALSE{BAD:#}: {}", plain(&error.to_string()))?;
    match audit.evidence(clients, error).await {
        Some(evidence) => {
            files::write_evidence(&args.evidence, &evidence)?;
            let file = args.evidence.display().to_string();
            writeln!(out, "evidence that one key signed two histories: {}", plain(&file))?;
        }
        None => {
            let urls: Vec<String> = args.url.iter().map(|url| plain(url)).collect();
            writeln!(out, "seen at {}; no two notes contradict each other", urls.join(", "))?;
        }
    }
    Ok(())
}
