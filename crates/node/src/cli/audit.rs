//! `audit`: replays a log from its first SuperRoot, and looks whether all views of it are one.
//!
//! ```text
//! newest note of each --url  ──► replay from the one that is farthest ──► at each size: one root?
//! and of each witness        ──► --against: sampled blocks, proven, beside the auditor's own nodes
//! ```

mod against;
mod files;
mod gauges;
mod round;
mod verdict;
mod views;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use superroot_client::audit::{Audit, AuditError};
use superroot_proof::note::VerifierKey;

use self::against::{Compared, Node};
use self::views::Views;
use super::output::{print, words};
use super::report::Verdict;
use super::style::{WARNING, plain, styled};
use super::timeout::TimeoutArgs;
use crate::listen::ListenAddress;

/// What the exit code says.
const EXIT_CODES: &str = "Exits with 0 when every rule holds and --key signed the newest SuperRoot (and \
    the quorum of --policy some SuperRoot of the log), 1 when the log breaks a rule, shows two histories \
    or other blocks than --against, 2 when that could not be judged.";

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
    /// The first SuperRoot that is replayed; what the one before commits to is taken as given.
    #[arg(long, value_name = "N", default_value_t = 0)]
    from: u64,
    /// Your witnesses (C2SP tlog-policy): their quorum has to have cosigned the log, and what each with
    /// an address has seen is compared.
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
    /// Goes on for ever, as the log does, and compares what all places show each time.
    #[arg(long)]
    follow: bool,
    /// Seconds between two looks with --follow.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    every: u64,
    /// Address of /metrics.
    #[arg(long, value_name = "ADDR")]
    metrics_listen: Option<ListenAddress>,
    #[command(flatten)]
    timeout: TimeoutArgs,
}

pub(crate) async fn run(args: AuditArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let err = &mut anstream::stderr();
    let out = words(Some(&args.evidence), out, err);
    let nodes = args.against.iter().map(|one| Node::of(one));
    let nodes = nodes.collect::<anyhow::Result<Vec<_>>>()?;
    if let Some(address) = args.metrics_listen {
        gauges::serve(address).await?;
    }
    let views = Views::of(&args).await?;
    let new = || Audit::new(&views.origin, views.key.clone());
    let mut audit = match files::load(args.state.as_deref())? {
        Some(text) => {
            let audit = Audit::resume(&text, (&views.origin, views.key.clone()), args.from)?;
            let (last, origin) = (audit.size().saturating_sub(1), plain(&views.origin));
            writeln!(out, "going on after SuperRoot {last} of {origin}")?;
            audit
        }
        None => match round::begin(&views, args.from).await {
            Ok(audit) => audit,
            Err(error) => return end(&args, &views, &new(), error, out).await,
        },
    };
    let (mut compared, mut said) = (Compared::default(), String::new());
    loop {
        match look(&args, &views, &nodes, &mut audit, &mut compared).await {
            Ok((verdict, text)) => {
                if text != said {
                    print(out, &text, verdict.into())?;
                    said = text;
                }
                if !args.follow || verdict == Verdict::False {
                    return Ok(verdict.into());
                }
            }
            Err(error) if args.follow && !is_false(&error) => {
                say!("{}", plain(&format!("{error:#}")));
            }
            Err(error) => return end(&args, &views, &audit, error, out).await,
        }
        tokio::time::sleep(Duration::from_secs(args.every.max(1))).await;
    }
}

/// Looks once at everything, and says what it came to. Blocks are compared where the log has grown.
async fn look(
    args: &AuditArgs,
    views: &Views,
    nodes: &[Node],
    audit: &mut Audit,
    compared: &mut Compared,
) -> anyhow::Result<(Verdict, String)> {
    let seen = round::round(views, audit, args.state.as_deref()).await?;
    if compared.size < audit.size() {
        let client = views.services[seen.farthest].client.clone().patient();
        *compared = against::compare(nodes, &client, audit, args.samples).await?;
    }
    Ok(verdict::report(views, audit, &seen, compared))
}

fn is_false(error: &anyhow::Error) -> bool {
    error.downcast_ref().is_some_and(AuditError::is_false)
}

/// Ends an audit that cannot go on: the log is wrong, or nothing is known.
async fn end(
    args: &AuditArgs,
    views: &Views,
    audit: &Audit,
    error: anyhow::Error,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let (verdict, text) = match error.downcast_ref() {
        Some(found) if is_false(&error) => {
            gauges::set(audit, 1);
            (Verdict::False, verdict::accuse(args, views, audit, found).await?)
        }
        Some(_) | None => {
            let words = styled(WARNING, "NOT JUDGED");
            (Verdict::Unusable, format!("{words}: {}\n", plain(&format!("{error:#}"))))
        }
    };
    print(out, &text, verdict.into())
}
