//! Contradictions: of nodes and signers, and of signers among themselves.

use superroot_chain::ChainSpec;
use superroot_collect::CollectError;
use superroot_proof::finality::{
    ConflictStatements, ConsensusEvidence, FinalityConflict, FinalityParams, Verdict,
    check_conflict,
};
use superroot_store::layout::HaltRow;
use superroot_store::{Store, WriteBatch, write};
use superroot_types::{BlockNumber, Hash, UnixSeconds};
use superroot_wire::paths;

pub(crate) const CONTRADICTIONS: &str = "superroot_finality_contradictions_total";

/// Reports nodes that agreed on another block than the signers; with a time, halts the chain and keeps the evidence.
pub(super) fn contradicted(
    store: &dyn Store,
    row: &ChainSpec,
    (evidence, nodes): (&ConsensusEvidence, Hash),
    halt_at: Option<UnixSeconds>,
) -> anyhow::Result<()> {
    let (chain, number, consensus) = (row.key(), evidence.number, evidence.hash);
    metrics::counter!(CONTRADICTIONS, "chain" => row.slug.clone()).increment(1);
    tracing::error!(
        chain.id = %chain, block.number = %number, %nodes, %consensus,
        "nodes agreed on another block than consensus"
    );
    let Some(since) = halt_at else { return Ok(()) };
    let error = CollectError::EvidenceContradicts { chain, number, nodes, consensus };
    let mut batch = WriteBatch::new();
    write::put_evidence(&mut batch, chain, evidence);
    write::put_halt(&mut batch, chain, &HaltRow { number, since, reason: error.to_string() });
    Ok(store.commit(batch)?)
}

/// Halts a chain whose signers contradict themselves, and keeps both statements; nothing for statements that do not.
pub(super) fn halt_by_conflict(
    store: &dyn Store,
    (row, params): (&ChainSpec, &FinalityParams),
    conflict: &FinalityConflict,
    now: UnixSeconds,
) -> anyhow::Result<()> {
    let Verdict::Shown(shown) = check_conflict(params, conflict, now) else { return Ok(()) };
    let (chain, [first, second]) = (row.key(), shown.hashes);
    let path = paths::light_client_conflict(chain.id);
    let reason = format!(
        "signers_contradict_themselves: set {} of chain {chain} signed both {first} and {second}: {path}",
        shown.number
    );
    metrics::counter!(CONTRADICTIONS, "chain" => row.slug.clone()).increment(1);
    tracing::error!(chain.id = %chain, "{reason}");
    let number = match &conflict.statements {
        ConflictStatements::Blocks([held, _]) => held.number,
        ConflictStatements::Sets(_) => BlockNumber(0),
    };
    let mut batch = WriteBatch::new();
    write::put_conflict(&mut batch, store, chain, conflict)?;
    write::put_halt(&mut batch, chain, &HaltRow { number, since: now, reason });
    Ok(store.commit(batch)?)
}
