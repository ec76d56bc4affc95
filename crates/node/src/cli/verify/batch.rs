//! An answer that holds many proofs: each is checked as if it had come alone.

use std::fmt::Write as _;
use std::io;
use std::process::ExitCode;

use serde_json::{Value, json};
use superroot_proof::bundle::MAGIC;
use superroot_wire::{WireError, expand_batch, parse_json};

use super::{Unusable, VerifyArgs, as_lines, check, print, to_json, verdict};
use crate::cli::fail;
use crate::cli::report::Verdict;
use crate::cli::style::{BAD, HEADING, WARNING, plain, styled};

/// The proofs of a batch, each as its own body; `None` when the body is no batch.
pub(crate) fn items(body: &[u8]) -> Option<Result<Vec<Value>, WireError>> {
    if body.starts_with(&MAGIC) {
        return None;
    }
    let body = parse_json(body).ok()?;
    let is_batch = body.get("items").is_some() && body.get("nodes").is_some();
    is_batch.then(|| expand_batch(&body))
}

/// Checks every item. One that is false makes the batch false, else one that is unusable makes it
/// unusable; without any item it is unusable as well.
pub(super) fn run(
    args: &VerifyArgs,
    items: Result<Vec<Value>, WireError>,
    out: &mut dyn io::Write,
) -> ExitCode {
    let checked: Vec<_> = match items {
        Ok(items) if items.is_empty() => {
            let why = format!("{} is a batch without items", args.file.display());
            vec![Err(Unusable { step: "file", why })]
        }
        Ok(items) => items.iter().map(|item| check(args, item.to_string().as_bytes())).collect(),
        Err(error) => {
            let why = format!("{} holds no proof: {error}", args.file.display());
            vec![Err(Unusable { step: "file", why })]
        }
    };
    let total = worst(checked.iter().map(verdict));
    if args.json {
        let valid = total == Verdict::True;
        let items: Value = checked.iter().map(to_json).collect();
        let report = json!({ "valid": valid, "exit": total.code(), "items": items });
        return print(out, &as_lines(&report), total.into());
    }
    if let [Err(unusable)] = checked.as_slice() {
        return fail(&plain(&unusable.why));
    }
    let mut text = String::new();
    for (index, one) in checked.iter().enumerate() {
        let _ = writeln!(text, "{}\n", styled(HEADING, format!("--- item {index} ---")));
        text += &match one {
            Ok(report) => report.to_text(),
            Err(unusable) => styled(WARNING, plain(&unusable.why)) + "\n",
        };
        text.push('\n');
    }
    let of = |which: Verdict| checked.iter().filter(|one| verdict(one) == which).count();
    let (held, false_ones, unusable) =
        (of(Verdict::True), of(Verdict::False), of(Verdict::Unusable));
    let line = format!("{held} true, {false_ones} false, {unusable} not anchored or unusable");
    let style = if total == Verdict::True { HEADING } else { BAD };
    let _ = writeln!(text, "{}", styled(style, line));
    print(out, &text, total.into())
}

/// What a batch of these comes to.
fn worst(verdicts: impl Iterator<Item = Verdict>) -> Verdict {
    verdicts.fold(Verdict::True, |worst, verdict| match (worst, verdict) {
        (Verdict::False, _) | (_, Verdict::False) => Verdict::False,
        (Verdict::Unusable, _) | (_, Verdict::Unusable) => Verdict::Unusable,
        (Verdict::True, Verdict::True) => Verdict::True,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Verdict::{False, True, Unusable};

    #[test]
    fn a_batch_is_as_good_as_its_worst_item() {
        for (verdicts, expected) in [
            (&[True, True][..], True),
            (&[True, Unusable, True], Unusable),
            (&[Unusable, False, True], False),
            (&[False, Unusable], False),
        ] {
            assert_eq!(worst(verdicts.iter().copied()), expected, "{verdicts:?}");
        }
    }
}
