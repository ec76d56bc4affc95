//! Signatures of a chain's own consensus, as nodes sent them.

use superroot_chain::VerifiedBlock;
use superroot_proof::finality::{ConsensusEvidence, FinalityConflict};
use superroot_proof::ledger::evm::HistoryProof;
use superroot_types::{BlockNumber, ChainKey};

use crate::layout::{block_key, chain_key, set_key};
use crate::{Store, StoreError, Table, WriteBatch};

/// Stores the evidence that came with a block, and the step to the next set, if the block ends a set. What is stored
/// stays, unless the block becomes final now: signatures around a head block may have been others.
pub(super) fn put_signed(
    batch: &mut WriteBatch,
    store: &dyn Store,
    block: &VerifiedBlock,
    is_made_final: bool,
) -> Result<(), StoreError> {
    let Some(signed) = block.signed() else { return Ok(()) };
    let chain = block.chain();
    let key = block_key(chain, signed.evidence.number);
    let is_free = !matches!(batch.written(Table::Signed, &key), Some(Some(_)));
    let held = store.get(Table::Signed, &key)?.and_then(|held| ConsensusEvidence::decode(&held));
    let is_other = held.is_none_or(|held| held.hash != signed.evidence.hash);
    if is_free && (is_other || is_made_final) {
        put_evidence(batch, chain, &signed.evidence);
    }
    if let Some(set) = signed.ends_set
        && (is_made_final || store.get(Table::SetStep, &set_key(chain, set))?.is_none())
    {
        let step = signed.step.as_ref().unwrap_or(&signed.evidence.body);
        put_set_step(batch, chain, set, step.clone());
    }
    Ok(())
}

/// Stores evidence of a chain's own consensus under its block.
pub fn put_evidence(batch: &mut WriteBatch, chain: ChainKey, evidence: &ConsensusEvidence) {
    batch.put(Table::Signed, block_key(chain, evidence.number), evidence.encode());
}

/// Deletes evidence under a block.
pub fn delete_evidence(batch: &mut WriteBatch, chain: ChainKey, number: BlockNumber) {
    batch.delete(Table::Signed, block_key(chain, number));
}

/// Stores contradicting statements by one set, unless the chain has some.
///
/// # Errors
/// As [`Store::get`].
pub fn put_conflict(
    batch: &mut WriteBatch,
    store: &dyn Store,
    chain: ChainKey,
    conflict: &FinalityConflict,
) -> Result<(), StoreError> {
    let key = chain_key(chain);
    if store.get(Table::Conflict, &key)?.is_none() {
        batch.put(Table::Conflict, key, conflict.encode());
    }
    Ok(())
}

/// Stores proven hashes of ancestors under the block with the state.
pub fn put_ancestors(
    batch: &mut WriteBatch,
    chain: ChainKey,
    number: BlockNumber,
    proof: &HistoryProof,
) {
    batch.put(Table::Ancestor, block_key(chain, number), proof.encode());
}

/// Deletes the ancestors' hashes under a block.
pub fn delete_ancestors(batch: &mut WriteBatch, chain: ChainKey, number: BlockNumber) {
    batch.delete(Table::Ancestor, block_key(chain, number));
}

/// Stores the step from a set of signers to the next.
pub fn put_set_step(batch: &mut WriteBatch, chain: ChainKey, set: u64, step: Vec<u8>) {
    batch.put(Table::SetStep, set_key(chain, set), step);
}
