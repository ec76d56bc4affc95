//! Proofs behind a launch, by launch hash.

use std::fmt::Write as _;

use serde_json::{Value, json};
use superroot_client::{CheckedSignal, EnclosedProofError, SignalCheckError, Verifier};
use superroot_types::Network;

use super::{VerifyArgs, anchor, false_answer, no_proof, no_row};
use crate::chains;
use crate::cli::report::{
    CommandOutcome, CommandVerdict, FailedStep, Judged, anchor_line, chain_name, check_line,
    origin_lines, print_list, verdict_line,
};
use crate::cli::style::{HEADING, styled};

pub(super) fn check(args: &VerifyArgs, body: &[u8]) -> CommandOutcome {
    let verifier = Verifier::new(chains::known().proof_registry().clone());
    let checked = match verifier.check_signal(body) {
        Ok(checked) => checked,
        Err(error @ SignalCheckError::NoSignal(_)) => return no_proof(args, &error),
        Err(SignalCheckError::Proof(_, EnclosedProofError::UnknownChain(chain))) => {
            return no_row(args, chain);
        }
        Err(error) => return refused(&error),
    };
    match anchor::of_proof(&checked.events[0], args) {
        Ok(found) => shown(&checked, &Judged::of(None, Some(found))),
        Err(error) => CommandOutcome::unusable("trust_store", format!("{error:#}")),
    }
}

fn refused(error: &SignalCheckError) -> CommandOutcome {
    let step = match error {
        SignalCheckError::Hash { .. } => "proof_hash",
        SignalCheckError::Pool(_) => "pool",
        _ => "events",
    };
    false_answer("launch", FailedStep { step, reason: error.to_string() })
}

/// Checked launch, ready to be shown.
struct LaunchReport<'a> {
    checked: &'a CheckedSignal,
    judged: &'a Judged,
    /// Statement in words.
    words: String,
    not_shown: Vec<&'static str>,
}

fn shown(checked: &CheckedSignal, judged: &Judged) -> CommandOutcome {
    let report = LaunchReport::new(checked, judged);
    let json = report.to_json();
    CommandOutcome { verdict: judged.verdict, json, text: Ok(report.to_text()) }
}

impl<'a> LaunchReport<'a> {
    fn new(checked: &'a CheckedSignal, judged: &'a Judged) -> Self {
        let CheckedSignal { pool, protocol, pair, adds, hooks, events, .. } = checked;
        let [creation, liquidity] = events;
        let chain = chain_name(creation.statement.chain);
        let [token0, token1] = pair;
        let second = if *adds { "it got liquidity" } else { "an event that adds none ended it" };
        let words = format!(
            "{protocol} made the pool {pool:#x} of {token0:#x} and {token1:#x} in block {} of {chain}, and {second} in \
             block {}",
            creation.statement.number, liquidity.statement.number
        );
        let mut not_shown = vec![
            "canonicity: that the chain's own consensus chose these blocks",
            "finality: that the blocks can no longer be replaced",
            "what the liquidity is worth, and that it is still there",
            "that a token is what its symbol says, or can be sold again",
        ];
        if hooks.is_some() {
            not_shown.push("what the pool's hook does at each trade");
        }
        if !judged.by.witnessed {
            not_shown.push("publication: that everybody else is shown this same SuperRoot");
        }
        Self { checked, judged, words, not_shown }
    }

    fn to_text(&self) -> String {
        let Self { checked, judged, words, not_shown } = self;
        let CheckedSignal { proof_hash, events, .. } = checked;
        let [creation, _] = events;
        let sequence = creation.super_root.map_or(0, |root| root.sequence.0);
        let mut text = String::new();
        let mut line = |words: String| {
            let _ = writeln!(text, "{words}");
        };
        line(format!("{}  {}", styled(HEADING, "Statement"), styled(HEADING, words)));
        line(origin_lines(&creation.origin));
        let mut good = |name: &str, detail: String| line(check_line(Some(true), name, &detail));
        good("events", format!("both are proven up to SuperRoot {sequence}"));
        good("pool", "a factory known here made it, and both events are of it".to_owned());
        good("proof_hash", format!("{proof_hash} is the hash of these two events"));
        let _ = writeln!(text, "{}", anchor_line(judged));
        print_list(&mut text, "Not shown:", not_shown);
        let truth = format!("TRUE: {words}, under what is listed above");
        let _ = writeln!(text, "\n{}", verdict_line(judged, &truth));
        text
    }

    fn to_json(&self) -> Value {
        let Self { checked, judged, not_shown, .. } = self;
        let CheckedSignal { proof_hash, pool, pool_id, protocol, pair, adds, hooks, events } =
            checked;
        let [creation, liquidity] = events;
        json!({
            "valid": judged.verdict == CommandVerdict::True,
            "exit": judged.verdict as u8,
            "kind": "launch",
            "network": Network::of_origin(&creation.origin),
            "origin": creation.origin,
            "chain_id": creation.statement.chain.id,
            "proof_hash": proof_hash,
            "protocol": protocol,
            "pool": format!("{pool:#x}"),
            "pool_id": pool_id,
            "pair": pair.map(|token| format!("{token:#x}")),
            "adds_liquidity": adds,
            "hooks": hooks.map(|hooks| format!("{hooks:#x}")),
            "creation_block": creation.statement.number,
            "block": liquidity.statement.number,
            "super_root_hash": creation.super_root_hash(),
            "anchored": judged.by,
            "not_shown": not_shown,
            "error": judged.error,
        })
    }
}
