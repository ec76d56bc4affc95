//! Usage proof of an account and day.

use std::fmt::Write as _;

use serde_json::{Value, json};
use superroot_client::{CheckedUsage, EnclosedProofError, UsageCheckError, Verifier};
use superroot_types::Network;

use super::{VerifyArgs, anchor, false_answer, no_proof, no_row};
use crate::chains;
use crate::cli::report::{
    CommandOutcome, CommandVerdict, FailedStep, Judged, anchor_line, chain_name, check_line,
    origin_lines, print_list, verdict_line,
};
use crate::cli::style::{HEADING, plain, styled};

pub(super) fn check(args: &VerifyArgs, body: &[u8]) -> CommandOutcome {
    let verifier = Verifier::new(chains::known().proof_registry().clone());
    let checked = match verifier.check_usage(body) {
        Ok(checked) => checked,
        Err(error @ UsageCheckError::NoUsage(_)) => return no_proof(args, &error),
        Err(error @ (UsageCheckError::NoLeaf | UsageCheckError::NotProven)) => {
            return CommandOutcome::unusable("usage", error.to_string());
        }
        Err(UsageCheckError::Proof(EnclosedProofError::UnknownChain(chain))) => {
            return no_row(args, chain);
        }
        Err(error) => return refused(&error),
    };
    match anchor::of_proof(&checked.event, args) {
        Ok(found) => shown(&checked, &Judged::of(None, Some(found))),
        Err(error) => CommandOutcome::unusable("trust_store", format!("{error:#}")),
    }
}

fn refused(error: &UsageCheckError) -> CommandOutcome {
    let step = match error {
        UsageCheckError::Rows(_) => "rows",
        UsageCheckError::Leaf(_) => "leaf",
        _ => "event",
    };
    false_answer("usage", FailedStep { step, reason: error.to_string() })
}

fn not_shown(checked: &CheckedUsage, judged: &Judged) -> Vec<String> {
    let contract = superroot_account::show_wallet(&checked.contract);
    let mut not_shown = vec![
        format!(
            "that {contract} is the service's registry: compare it with the address it publishes"
        ),
        "that each request was made: rows are the service's counts, fixed on that day".to_owned(),
        "canonicity: that the chain's own consensus chose this block".to_owned(),
        "what the root does not hold: `endpoint` (it holds the route's number), `state`, `transaction_hash`, `proof_url` \
         and `rows_missing` are the service's words"
            .to_owned(),
    ];
    if !checked.has_rows {
        not_shown.push("the hourly rows: the service gives only their sums".to_owned());
    }
    if !judged.by.witnessed {
        not_shown.push("publication: that everybody else is shown this same SuperRoot".to_owned());
    }
    not_shown
}

fn shown(checked: &CheckedUsage, judged: &Judged) -> CommandOutcome {
    let CheckedUsage { proof, has_rows, contract, event } = checked;
    let checkpoint = &proof.usage_checkpoint;
    let (requests, tokens, rows) = proof
        .leaf
        .as_ref()
        .map_or((0, 0, 0), |leaf| (leaf.requests, leaf.billing_tokens, leaf.row_count));
    let words = format!(
        "account {} made {requests} requests for {tokens} billing tokens on {}",
        plain(&proof.user_id),
        plain(&checkpoint.day)
    );
    let contract = superroot_account::show_wallet(contract);
    let chain = chain_name(event.statement.chain);
    let sequence = event.super_root.map_or(0, |root| root.sequence.0);
    let not_shown = not_shown(checked, judged);
    let mut text = String::new();
    let mut line = |words: String| {
        let _ = writeln!(text, "{words}");
    };
    line(format!("{}  {}", styled(HEADING, "Statement"), styled(HEADING, &words)));
    line(origin_lines(&event.origin));
    let mut good = |name: &str, detail: String| line(check_line(Some(true), name, &detail));
    if *has_rows {
        good("rows", format!("{rows} hourly rows add up to it, and lead to the account's leaf"));
    }
    good("leaf", format!("it is one of {} accounts in the root of the day", checkpoint.accounts));
    good(
        "event",
        format!(
            "{contract} on {chain} has this root as checkpoint {}, proven up to SuperRoot {sequence}",
            checkpoint.sequence
        ),
    );
    let _ = writeln!(text, "{}", anchor_line(judged));
    let listed: Vec<&str> = not_shown.iter().map(String::as_str).collect();
    print_list(&mut text, "Not shown:", &listed);
    let truth = format!("TRUE: {words}, under what is listed above");
    let _ = writeln!(text, "\n{}", verdict_line(judged, &truth));
    let json = to_json(checked, judged, &not_shown);
    CommandOutcome { verdict: judged.verdict, json, text: Ok(text) }
}

fn to_json(checked: &CheckedUsage, judged: &Judged, not_shown: &[String]) -> Value {
    let CheckedUsage { proof, has_rows, contract, event } = checked;
    let checkpoint = &proof.usage_checkpoint;
    let leaf = proof.leaf.as_ref();
    json!({
        "valid": judged.verdict == CommandVerdict::True,
        "exit": judged.verdict as u8,
        "kind": "usage",
        "network": Network::of_origin(&event.origin),
        "origin": event.origin,
        "user_id": proof.user_id,
        "day": checkpoint.day,
        "environment": checkpoint.environment,
        "requests": leaf.map(|leaf| leaf.requests),
        "billing_tokens": leaf.map(|leaf| leaf.billing_tokens),
        "row_count": leaf.map(|leaf| leaf.row_count),
        "has_rows": has_rows,
        "chain_id": checkpoint.chain_id,
        "contract": superroot_account::show_wallet(contract),
        "sequence": checkpoint.sequence,
        "root": checkpoint.root,
        "super_root_hash": event.super_root_hash(),
        "anchored": judged.by,
        "not_shown": not_shown,
        "error": judged.error,
    })
}
