//! A report for programs. Names are part of the contract: they are added to, never changed.

use serde_json::{Map, Value, json};
use superroot_proof::bundle::{Facts, Statement, Subject};
use superroot_types::Network;

use super::{Anchoring, LevelRow, Report, Verdict, chain_name};

impl Report {
    /// The report as one object.
    pub(crate) fn to_json(&self) -> Value {
        let (examined, verdict) = (&self.examined, self.verdict());
        let error = self.error();
        json!({
            "valid": verdict == Verdict::True,
            "exit": verdict.code(),
            "network": Network::of_origin(&examined.bundle.origin),
            "origin": examined.bundle.origin,
            "statement": statement(&examined.bundle.statement),
            "levels": examined.levels().iter().map(level).collect::<Value>(),
            "super_root": super_root(examined.facts.as_ref()),
            "anchored": anchored(self.anchoring.as_ref()),
            "not_shown": examined.not_shown(),
            "unproven": examined.unproven,
            "error": error.map(|error| json!({ "step": error.word(), "reason": error.reason })),
        })
    }
}

/// The report where there was nothing to report on: the same members, with nothing in them.
pub(crate) fn unusable(step: &str, why: &str) -> Value {
    json!({
        "valid": false,
        "exit": Verdict::Unusable.code(),
        "network": null,
        "origin": null,
        "statement": null,
        "levels": [],
        "super_root": null,
        "anchored": { "by": null },
        "not_shown": [],
        "unproven": [],
        "error": { "step": step, "reason": why },
    })
}

/// What is claimed.
pub(crate) fn statement(statement: &Statement) -> Value {
    let log_index = match statement.subject {
        Subject::Log { log_index, .. } => Some(log_index),
        Subject::Block | Subject::Transaction { .. } | Subject::Absence { .. } => None,
    };
    json!({
        "kind": statement.subject.name(),
        "chain": chain_name(statement.chain),
        "family": statement.chain.family,
        "chain_id": statement.chain.id,
        "block_number": statement.number,
        "transaction_index": statement.subject.tx_index(),
        "log_index": log_index,
    })
}

fn level(row: &LevelRow) -> Value {
    let shown = row.shown.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    json!({
        "level": row.level.number(),
        "name": row.level.name(),
        "ok": row.state.ok(),
        "shown": shown.collect::<Map<_, _>>(),
        "detail": row.detail,
    })
}

fn super_root(facts: Option<&Facts>) -> Option<Value> {
    let super_root = facts?.super_root.as_ref()?;
    Some(json!({
        "super_root_hash": super_root.hash(),
        "log_id": super_root.log_id,
        "sequence": super_root.sequence,
        "timestamp": super_root.timestamp,
        "tree_root": super_root.tree_root,
    }))
}

/// By whose word the SuperRoot is trusted.
pub(crate) fn anchored(anchoring: Option<&Anchoring>) -> Value {
    match anchoring {
        Some(Anchoring::Given { hash }) => json!({ "by": "superroot", "super_root_hash": hash }),
        Some(Anchoring::Pinned { file }) => json!({ "by": "trust_store", "file": file }),
        Some(Anchoring::Contradicted { .. } | Anchoring::Nothing { .. }) | None => {
            json!({ "by": null })
        }
    }
}
