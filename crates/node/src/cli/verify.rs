//! `superroot verify`: a proof file, checked offline by hashing alone.
//!
//! A batch is checked item by item; answers about SuperRoots (consistency, blobs) are checked as well.

mod anchor;
pub(crate) mod batch;
pub(crate) mod input;
pub(crate) mod super_roots;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::Value;
use superroot_types::Hash;

use super::fail;
use super::report::{Examined, Report, Unexamined, Verdict, unusable_json};
use super::style::plain;
use super::trust::StoreError;

/// Exit codes, as the help tells them.
const EXIT_CODES: &str = "Exits with 0 when the proof is true, 1 when it is false, 2 when it is no \
    proof, leads to no SuperRoot that you trust, or is of a chain without a row here (--chains).";

/// Arguments of `verify`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct VerifyArgs {
    /// Proof file, or JSON answer of a proof route, of consistency or of a blob; `-` reads standard
    /// input.
    file: PathBuf,
    /// SuperRoot hash that you trust, from a source other than the service that gave the proof; of a
    /// proof of consistency the earlier one.
    #[arg(long, value_name = "HASH", conflicts_with = "trust_store")]
    superroot: Option<Hash>,
    /// File of pinned SuperRoots, instead of $XDG_CONFIG_HOME/superroot/trust.toml.
    #[arg(long, value_name = "FILE")]
    trust_store: Option<PathBuf>,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
}

/// Why there was nothing to report on, and at which step.
#[derive(Debug)]
struct Unusable {
    step: &'static str,
    why: String,
}

/// Checks the file and prints the report.
pub(crate) fn run(args: VerifyArgs, out: &mut dyn io::Write) -> ExitCode {
    let body = input::read(&args.file);
    let body = body.map_err(|error| Unusable { step: "file", why: error.to_string() });
    let checked = match body {
        Ok(body) => match (batch::items(&body), super_roots::Kind::of(&body)) {
            (Some(items), _) => return batch::run(&args, items, out),
            (None, Some((kind, body))) => return super_roots::run(&args, kind, &body, out),
            (None, None) => check(&args, &body),
        },
        Err(unusable) => Err(unusable),
    };
    match (&checked, args.json) {
        (_, true) => print(out, &as_lines(&to_json(&checked)), verdict(&checked).into()),
        (Ok(report), false) => print(out, &report.to_text(), report.verdict().into()),
        (Err(unusable), false) => fail(&plain(&unusable.why)),
    }
}

/// Checks one proof, and whether it leads to what the reader trusts.
fn check(args: &VerifyArgs, body: &[u8]) -> Result<Report, Unusable> {
    let examined = Examined::of(body).map_err(|why| {
        let step = match why {
            Unexamined::NoProof(_) => "file",
            Unexamined::NoRow(_) => "statement",
        };
        Unusable { step, why: format!("{} holds {why}", args.file.display()) }
    })?;
    let anchoring = match &examined.facts {
        Some(facts) if examined.failure.is_none() => {
            let judged = anchor::judge(facts, args.superroot.as_ref(), args.trust_store.as_deref());
            let unread =
                |error: StoreError| Unusable { step: "trust_store", why: error.to_string() };
            Some(judged.map_err(unread)?)
        }
        _ => None,
    };
    Ok(Report { examined, anchoring })
}

fn verdict(checked: &Result<Report, Unusable>) -> Verdict {
    checked.as_ref().map_or(Verdict::Unusable, Report::verdict)
}

fn to_json(checked: &Result<Report, Unusable>) -> Value {
    match checked {
        Ok(report) => report.to_json(),
        Err(Unusable { step, why }) => unusable_json(step, why),
    }
}

fn as_lines(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Writes a text and ends with `code`; an answer that could not be written is none.
pub(crate) fn print(out: &mut dyn io::Write, text: &str, code: ExitCode) -> ExitCode {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => code,
        Err(error) => fail(&format!("cannot write: {error}")),
    }
}
