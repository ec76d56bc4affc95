//! `superroot verify`: offline check of a proof file, by hashing alone.
//!
//! A scan (`.srscan`) shows all events in a range, or their absence. A price is recomputed. A batch is checked item by
//! item. Answers about SuperRoots (consistency, blobs) and evidence against a log are also accepted.

mod anchor;
mod conflict;
mod evidence;
pub(crate) mod input;
mod price;
mod scan;
mod signal;
pub(crate) mod super_roots;
mod usage;

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use superroot_chain::EvidenceKind;
use superroot_proof::bundle::Bundle;
use superroot_proof::note::VerifierKey;
use superroot_types::{ChainKey, Clock, Hash, Network, SystemClock};
use superroot_wire::scan::is_scan;

use super::report::{
    CheckedFinality, CommandOutcome, CommandVerdict, Examined, FailedStep, Judged, Unexamined,
    check_line, read_unverified, verdict_line,
};
use super::style::{BAD, HEADING, WARNING, plain, styled};
use super::trust;

const EXIT_CODES: &str = "Exits with 0 when the proof is true, 1 when it is false, 2 when it is no \
    proof, leads to no SuperRoot that you trust, or is of a chain without a row here (--chains).";

/// Arguments of `verify`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct VerifyArgs {
    /// Proof file (.srproof), proof for contracts (.calldata), scan (.srscan), or JSON answer of a proof route, a price
    /// with proof=1, consistency, a blob, a usage checkpoint (.srusage) or a conflict of signers; `-` reads standard input.
    file: PathBuf,
    /// Trusted log key (C2SP vkey): the proof or blob must carry a note signed by the key. The answer must also agree
    /// with the log's pins in your trust store.
    #[arg(long, value_name = "VKEY", conflicts_with = "superroot")]
    key: Option<VerifierKey>,
    /// Witnesses that must have signed with the key (C2SP tlog-policy).
    #[arg(long, value_name = "FILE", requires = "key")]
    policy: Option<PathBuf>,
    /// Trusted SuperRoot hash, from a source other than the service; for a proof of consistency, the earlier hash. The
    /// answer must also agree with the pins in your trust store.
    #[arg(long, value_name = "HASH")]
    superroot: Option<Hash>,
    /// File of pinned logs, instead of $XDG_CONFIG_HOME/superroot/trust.toml.
    #[arg(long, value_name = "FILE")]
    trust_store: Option<PathBuf>,
    /// Log of a proof for contracts, which does not name it; by default that of --key, or the only one in your trust
    /// store.
    #[arg(long, value_name = "ORIGIN")]
    origin: Option<String>,
    /// For a price: token that you count as a dollar, although not known here as a stablecoin; may be repeated. The
    /// exit code is 2 if such a token was needed.
    #[arg(long, value_name = "ADDRESS")]
    stable: Vec<alloy_primitives::Address>,
    /// Demand finality that this program checked itself, by a set of signers that you pinned (`superroot trust
    /// light-client`) or that is built in; else the exit code is 2.
    #[arg(long, value_enum, value_name = "CLASS")]
    finality: Option<FinalityClass>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Class of finality that is demanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FinalityClass {
    /// Shown by the chain's own consensus.
    Consensus,
    /// At least by contracts on Ethereum.
    #[value(name = "l1_anchored")]
    L1Anchored,
}

impl From<FinalityClass> for EvidenceKind {
    fn from(class: FinalityClass) -> Self {
        match class {
            FinalityClass::Consensus => Self::Consensus,
            FinalityClass::L1Anchored => Self::L1Anchored,
        }
    }
}

impl VerifyArgs {
    /// Arguments for a body of this name, with the pins of a trust store.
    pub(super) const fn with_pins(name: PathBuf, trust_store: Option<PathBuf>) -> Self {
        Self {
            file: name,
            key: None,
            policy: None,
            superroot: None,
            trust_store,
            origin: None,
            stable: Vec::new(),
            finality: None,
            json: true,
        }
    }
}

pub(crate) fn run(args: &VerifyArgs, out: &mut dyn io::Write) -> anyhow::Result<ExitCode> {
    judge(args, input::read(&args.file)).print(args.json, out)
}

/// Judges a body that was read, or not.
pub(super) fn judge(args: &VerifyArgs, body: anyhow::Result<Vec<u8>>) -> CommandOutcome {
    match body.and_then(|body| for_contracts(args, body)) {
        Err(error) => CommandOutcome::unusable("file", format!("{error:#}")),
        Ok(body) => match input::batch(&body) {
            None => check(args, &body),
            Some(Err(error)) => no_proof(args, &error),
            Some(Ok(batch)) if batch.items.is_empty() => {
                no_proof(args, &"it is a batch without items")
            }
            Some(Ok(input::BatchInput { items, unproven })) => {
                let check = |item: &Value| check(args, item.to_string().as_bytes());
                batch(items.iter().map(check).collect(), &unproven)
            }
        },
    }
}

/// Proof file of a proof in the form for contracts; any other body as it is.
fn for_contracts(args: &VerifyArgs, body: Vec<u8>) -> anyhow::Result<Vec<u8>> {
    let Some(calldata) = input::calldata(&body) else { return Ok(body) };
    let name = args.file.display();
    let calldata = calldata.with_context(|| format!("{name} is no hex"))?;
    let known = match (&args.origin, &args.key) {
        (Some(origin), _) => Some(origin.clone()),
        (None, Some(key)) => Some(key.name().to_owned()),
        (None, None) => {
            trust::open_existing(args.trust_store.as_deref())?.and_then(|(_, store)| {
                <&[_; 1]>::try_from(store.logs()).ok().map(|[log]| log.origin().to_owned())
            })
        }
    };
    let origin = known.with_context(|| {
        format!("{name} is a proof for contracts and does not name its log: give --origin ORIGIN")
    })?;
    let bundle = Bundle::from_calldata(&calldata, &origin);
    Ok(bundle.with_context(|| format!("cannot read {name}"))?.encode())
}

fn no_proof(args: &VerifyArgs, why: &dyn core::fmt::Display) -> CommandOutcome {
    CommandOutcome::unusable("file", format!("{} holds no proof: {why}", args.file.display()))
}

/// A proof inside an answer, of a chain without a row here.
fn no_row(args: &VerifyArgs, chain: ChainKey) -> CommandOutcome {
    let why = format!("{} holds {}", args.file.display(), Unexamined::NoRow(chain));
    CommandOutcome::unusable("statement", why)
}

fn false_answer(kind: &str, failure: FailedStep) -> CommandOutcome {
    let judged = Judged::of(Some(failure.clone()), None);
    let mut text = String::new();
    let _ = writeln!(text, "{}  a {kind}\n", styled(HEADING, "Statement"));
    let _ = writeln!(text, "{}", check_line(Some(false), failure.step, &plain(&failure.reason)));
    let _ = writeln!(text, "\n{}", verdict_line(&judged, ""));
    let json = json!({
        "valid": false,
        "exit": judged.verdict as u8,
        "kind": kind,
        "error": judged.error,
    });
    CommandOutcome { verdict: judged.verdict, json, text: Ok(text) }
}

/// Checks one answer, and finality if demanded: no other answer than a proof of a block has it.
fn check(args: &VerifyArgs, body: &[u8]) -> CommandOutcome {
    let has_none = args.finality.is_some() && read_unverified(body).is_err();
    if has_none && refusal(body).is_none() {
        let why =
            format!("{} is no proof of a block: finality is not shown by it", args.file.display());
        return CommandOutcome::unusable("finality", why);
    }
    check_answer(args, body)
}

/// Checks one answer and its anchor.
fn check_answer(args: &VerifyArgs, body: &[u8]) -> CommandOutcome {
    if let Some(body) = evidence::of(body) {
        return evidence::check(&body);
    }
    if let Some(body) = conflict::of(body) {
        return conflict::check(args, body);
    }
    if is_scan(body) {
        return scan::check(args, body);
    }
    if let Some(detail) = refusal(body) {
        let why =
            format!("{} is a refusal of the service, not an answer: {detail}", args.file.display());
        return CommandOutcome::unusable("file", why);
    }
    if superroot_client::is_price(body) {
        return price::check(args, body);
    }
    if superroot_client::is_usage(body) {
        return usage::check(args, body);
    }
    if superroot_client::is_signal(body) {
        return signal::check(args, body);
    }
    if let Some((kind, body)) = super_roots::RootsAnswerKind::of(body) {
        return super_roots::check(args, kind, &body);
    }
    let examined = match Examined::of(body) {
        Err(Unexamined::NoProof(why)) => return no_proof(args, &why),
        Err(Unexamined::NoRow(chain)) => return no_row(args, chain),
        Ok(examined) => examined,
    };
    let anchor = match &examined.facts {
        Some(facts) if examined.failure.is_none() => match anchor::of_proof(facts, args) {
            Ok(anchor) => Some(anchor),
            Err(error) => return CommandOutcome::unusable("trust_store", format!("{error:#}")),
        },
        _ => None,
    };
    match finality(args, &examined) {
        Ok(finality) => examined.outcome(anchor, &finality),
        Err(error) => CommandOutcome::unusable("finality", format!("{error:#}")),
    }
}

fn finality(args: &VerifyArgs, examined: &Examined) -> anyhow::Result<CheckedFinality> {
    let folder = trust::light_clients(args.trust_store.as_deref());
    let demanded = args.finality.map(EvidenceKind::from);
    let facts = examined.facts.as_ref().filter(|_| examined.failure.is_none());
    let network = Network::of_origin(&examined.bundle.origin);
    let shown = (facts, examined.finality.as_ref());
    CheckedFinality::of(shown, network, folder.as_ref(), demanded, SystemClock.now())
}

/// Text of a saved problem (RFC 9457).
fn refusal(body: &[u8]) -> Option<String> {
    let body = superroot_wire::parse_json(body).ok()?;
    let is_problem = body.get("status")?.is_u64() && body.get("code")?.is_string();
    body.get("detail")?.as_str().filter(|_| is_problem).map(str::to_owned)
}

/// A false item makes the batch false; otherwise an unusable item makes the batch unusable.
fn batch(items: Vec<CommandOutcome>, unproven: &[String]) -> CommandOutcome {
    let of = |which: CommandVerdict| items.iter().filter(|one| one.verdict == which).count();
    let held = of(CommandVerdict::True);
    let false_ones = of(CommandVerdict::False);
    let unusable = of(CommandVerdict::Unusable);
    let verdict = match (false_ones, unusable) {
        (0, 0) => CommandVerdict::True,
        (0, _) => CommandVerdict::Unusable,
        _ => CommandVerdict::False,
    };
    let mut text = String::new();
    let mut reports = Vec::new();
    for (index, item) in items.into_iter().enumerate() {
        let shown = item.text.unwrap_or_else(|why| styled(WARNING, why) + "\n");
        let _ = writeln!(text, "{}\n\n{shown}", styled(HEADING, format!("--- item {index} ---")));
        reports.push(item.json);
    }
    for name in unproven {
        let _ = writeln!(text, "Said by the service of the batch, not proven: {}", plain(name));
    }
    let line = format!("{held} true, {false_ones} false, {unusable} not anchored or unusable");
    let style = if verdict == CommandVerdict::True { HEADING } else { BAD };
    let _ = writeln!(text, "{}", styled(style, line));
    let valid = verdict == CommandVerdict::True;
    let exit = verdict as u8;
    let json = json!({ "valid": valid, "exit": exit, "unproven": unproven, "items": reports });
    CommandOutcome { verdict, json, text: Ok(text) }
}
