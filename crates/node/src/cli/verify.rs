//! `superroot verify`: a proof file, checked offline by hashing alone.
//!
//! A scan (`.srscan`) shows all events of a range, or that there is none. A price is computed again. A batch is checked item by item; answers about SuperRoots (consistency, blobs) and evidence
//! against a log are checked as well.

mod anchor;
mod evidence;
pub(crate) mod input;
mod price;
mod scan;
mod signal;
pub(crate) mod super_roots;

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};
use superroot_proof::note::VerifierKey;
use superroot_types::Hash;
use superroot_wire::scan::is_scan;

use super::report::{
    Examined, Failure, Judged, Outcome, Unexamined, Verdict, check_line, verdict_line,
};
use super::style::{BAD, HEADING, WARNING, plain, styled};

/// Exit codes, as the help tells them.
const EXIT_CODES: &str = "Exits with 0 when the proof is true, 1 when it is false, 2 when it is no \
    proof, leads to no SuperRoot that you trust, or is of a chain without a row here (--chains).";

/// Arguments of `verify`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct VerifyArgs {
    /// Proof file (.srproof), scan (.srscan), or JSON answer of a proof route, of a price with proof=1, of consistency or of a
    /// blob; `-` reads standard input.
    file: PathBuf,
    /// Key of the log (C2SP vkey) that you trust: the proof, or the blob, has to carry a note that it signed.
    /// What your trust store pins of that log is held against it as well.
    #[arg(long, value_name = "VKEY", conflicts_with = "superroot")]
    key: Option<VerifierKey>,
    /// Witnesses who have to have signed with the key (C2SP tlog-policy).
    #[arg(long, value_name = "FILE", requires = "key")]
    policy: Option<PathBuf>,
    /// SuperRoot hash that you trust, from a source other than the service that gave the proof; of a
    /// proof of consistency the earlier one. What your trust store pins is held against it as well.
    #[arg(long, value_name = "HASH")]
    superroot: Option<Hash>,
    /// File of pinned logs, instead of $XDG_CONFIG_HOME/superroot/trust.toml.
    #[arg(long, value_name = "FILE")]
    trust_store: Option<PathBuf>,
    /// Of a price: a token that you take for a dollar though it is no stablecoin that is known here; may stand several
    /// times. The exit code is 2 where one was needed.
    #[arg(long, value_name = "ADDRESS")]
    stable: Vec<alloy_primitives::Address>,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
}

/// Checks the file and prints the report.
pub(crate) fn run(args: &VerifyArgs, out: &mut dyn io::Write) -> anyhow::Result<ExitCode> {
    let outcome = match input::read(&args.file) {
        Err(error) => Outcome::unusable("file", format!("{error:#}")),
        Ok(body) => match input::batch(&body) {
            None => check(args, &body),
            Some(Err(error)) => no_proof(args, &error),
            Some(Ok(batch)) if batch.items.is_empty() => {
                no_proof(args, &"it is a batch without items")
            }
            Some(Ok(input::Batch { items, unproven })) => {
                let check = |item: &Value| check(args, item.to_string().as_bytes());
                batch(items.iter().map(check).collect(), &unproven)
            }
        },
    };
    outcome.print(args.json, out)
}

fn no_proof(args: &VerifyArgs, why: &dyn core::fmt::Display) -> Outcome {
    Outcome::unusable("file", format!("{} holds no proof: {why}", args.file.display()))
}

/// What is said of an answer of that kind that does not hold.
fn false_answer(kind: &str, failure: Failure) -> Outcome {
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
    Outcome { verdict: judged.verdict, json, text: Ok(text) }
}

/// Checks one answer, and whether it leads to what the reader trusts.
fn check(args: &VerifyArgs, body: &[u8]) -> Outcome {
    if let Some(body) = evidence::of(body) {
        return evidence::check(&body);
    }
    if is_scan(body) {
        return scan::check(args, body);
    }
    if let Some(detail) = refusal(body) {
        let why =
            format!("{} is a refusal of the service, not an answer: {detail}", args.file.display());
        return Outcome::unusable("file", why);
    }
    if superroot_client::is_price(body) {
        return price::check(args, body);
    }
    if superroot_client::is_signal(body) {
        return signal::check(args, body);
    }
    if let Some((kind, body)) = super_roots::Kind::of(body) {
        return super_roots::check(args, kind, &body);
    }
    let examined = match Examined::of(body) {
        Err(Unexamined::NoProof(why)) => return no_proof(args, &why),
        Err(why @ Unexamined::NoRow(_)) => {
            let why = format!("{} holds {why}", args.file.display());
            return Outcome::unusable("statement", why);
        }
        Ok(examined) => examined,
    };
    let anchor = match &examined.facts {
        Some(facts) if examined.failure.is_none() => match anchor::of_proof(facts, args) {
            Ok(anchor) => Some(anchor),
            Err(error) => return Outcome::unusable("trust_store", format!("{error:#}")),
        },
        _ => None,
    };
    examined.outcome(anchor)
}

/// What a problem (RFC 9457) says, where somebody has saved one.
fn refusal(body: &[u8]) -> Option<String> {
    let body = superroot_wire::parse_json(body).ok()?;
    let is_problem = body.get("status")?.is_u64() && body.get("code")?.is_string();
    body.get("detail")?.as_str().filter(|_| is_problem).map(str::to_owned)
}

/// One that is false makes the batch false, else one that is unusable makes it unusable.
fn batch(items: Vec<Outcome>, unproven: &[String]) -> Outcome {
    let of = |which: Verdict| items.iter().filter(|one| one.verdict == which).count();
    let (held, false_ones, unusable) =
        (of(Verdict::True), of(Verdict::False), of(Verdict::Unusable));
    let verdict = match (false_ones, unusable) {
        (0, 0) => Verdict::True,
        (0, _) => Verdict::Unusable,
        _ => Verdict::False,
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
    let style = if verdict == Verdict::True { HEADING } else { BAD };
    let _ = writeln!(text, "{}", styled(style, line));
    let valid = verdict == Verdict::True;
    let exit = verdict as u8;
    let json = json!({ "valid": valid, "exit": exit, "unproven": unproven, "items": reports });
    Outcome { verdict, json, text: Ok(text) }
}
