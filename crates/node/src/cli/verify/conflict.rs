//! Contradicting statements by one set.

use serde_json::{Value, json};
use superroot_client::{ConflictJudgment, judge_conflict};
use superroot_proof::finality::{ConflictShown, FinalityConflict, SignedPlace, Verdict};
use superroot_types::{ChainKey, Clock, SystemClock};
use superroot_wire::finality::LightClientConflict;
use superroot_wire::parse_json;

use super::VerifyArgs;
use crate::chains;
use crate::cli::report::{
    CommandOutcome, CommandVerdict, ShownMember, check_line, object, print_members,
};
use crate::cli::style::{BAD, GOOD, HEADING, WARNING, styled};
use crate::cli::trust;

const STEP: &str = "conflict";

/// Body, if similar to a conflict.
pub(super) fn of(body: &[u8]) -> Option<Value> {
    if body.trim_ascii_start().first() != Some(&b'{') {
        return None;
    }
    let body = parse_json(body).ok()?;
    (body.get("conflict")?.is_string() && body.get("set")?.is_object()).then_some(body)
}

/// Judges the bytes, from the reader's own set of signers.
pub(super) fn check(args: &VerifyArgs, body: Value) -> CommandOutcome {
    let said: LightClientConflict = match serde_json::from_value(body) {
        Ok(said) => said,
        Err(error) => return unusable(format!("it looks like a conflict, but is none: {error}")),
    };
    let Some(conflict) = FinalityConflict::decode(&said.conflict.0) else {
        return of_false("the bytes of `conflict` cannot be read");
    };
    let chain = ChainKey { family: said.family, id: said.chain_id };
    let Some((_, row)) = chains::known().by_key(chain) else {
        return unusable(format!("chain {chain} is not known here"));
    };
    let folder = trust::light_clients(args.trust_store.as_deref());
    let judged = judge_conflict(folder.as_ref(), (row, said.network), &conflict, SystemClock.now());
    match judged {
        Err(error) => unusable(format!("{error:#}")),
        Ok(None) => unusable(format!("{} leaves no evidence that can be checked", row.name)),
        Ok(Some(ConflictJudgment { verdict: Verdict::Refusal(why), .. })) => {
            of_false(&why.to_string())
        }
        Ok(Some(ConflictJudgment { verdict: Verdict::NotEnough(why), .. })) => {
            unusable(format!("it shows nothing: {why}"))
        }
        Ok(Some(ConflictJudgment { verdict: Verdict::Shown(shown), is_trusted })) => {
            outcome(&row.name, &shown, is_trusted)
        }
    }
}

fn outcome(chain: &str, shown: &ConflictShown, is_trusted: bool) -> CommandOutcome {
    let members = members(chain, shown);
    let verdict = if is_trusted { CommandVerdict::True } else { CommandVerdict::Unusable };
    let error = (!is_trusted).then(|| {
        json!({ "step": STEP, "reason": "the set is none that you pinned, or passed from your pin" })
    });
    let json = json!({
        "valid": is_trusted,
        "exit": verdict as u8,
        "kind": STEP,
        "shown": object(&members),
        "error": error,
    });
    let mut text = statement() + &check_line(Some(true), STEP, "both statements hold") + "\n";
    print_members(&mut text, &members);
    text += &match is_trusted {
        true => styled(GOOD, format!("\nTRUE: signers of {chain} that you trust made both\n")),
        false => styled(
            WARNING,
            format!(
                "\nNOT SHOWN: set {} is none that you pinned, or passed from your pin\n",
                shown.number
            ),
        ),
    };
    text += "Both are signed, and at most one is true. Trust no finality of this chain until it is clear which, and pass this file on.\n";
    CommandOutcome { verdict, json, text: Ok(text) }
}

fn members(chain: &str, shown: &ConflictShown) -> Vec<ShownMember> {
    let [first, second] = shown.hashes;
    let mut members = vec![
        ("chain", json!(chain)),
        ("set", json!(shown.set)),
        ("set_number", json!(shown.number)),
    ];
    match shown.place {
        Some(SignedPlace::Number(number)) => members.push(("block_number", json!(number))),
        Some(SignedPlace::Slot(slot)) => members.push(("slot", json!(slot))),
        None => members.push(("next_set_number", json!(shown.number.saturating_add(1)))),
    }
    members.push(("hash", json!(first)));
    members.push(("other_hash", json!(second)));
    let names = ["signed_by", "other_signed_by"];
    members.extend(names.into_iter().zip(&shown.by).map(|(name, by)| (name, json!(by))));
    members
}

fn statement() -> String {
    format!("{}\n\n", styled(HEADING, "Statement  signers of a chain contradict themselves"))
}

fn unusable(why: String) -> CommandOutcome {
    CommandOutcome::unusable(STEP, why)
}

fn of_false(why: &str) -> CommandOutcome {
    let json = json!({
        "valid": false,
        "exit": CommandVerdict::False as u8,
        "kind": STEP,
        "error": { "step": STEP, "reason": why },
    });
    let line = check_line(Some(false), STEP, why);
    let text = format!("{}{line}\n\n{}\n", statement(), styled(BAD, format!("FALSE: {why}")));
    CommandOutcome { verdict: CommandVerdict::False, json, text: Ok(text) }
}
