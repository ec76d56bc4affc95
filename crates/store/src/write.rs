//! Batch writes: verified blocks, tree nodes, states. No function here commits.

mod signed;

use std::borrow::Cow;

use superroot_chain::finality::{BlockLink, Candidate};
use superroot_chain::{Extent, FinalBlock, FinalityEvidence, VerifiedBlock};
use superroot_types::{
    BlockNumber, ChainKey, Family, Hash, LeafIndex, LogSize, Sequence, TwigIndex,
};

use crate::layout::{
    BackfillRow, BlockRow, ChainState, ContestRow, HaltRow, KeptEntries, MiniMmrLeafRow,
    RefusedRow, RetractionRow, TwigNodes, WatchFilter, block_key, chain_key, chain_watch_key,
    contest_key, encode_body, halt_key, history_node_key, mini_mmr_leaf_key, mini_mmr_node_key,
    retraction_key, transaction_key, twig_key, twig_nodes_key, watch_key,
};
use crate::read::{load_block, load_body, load_chain_state, load_contested};
use crate::{Store, StoreError, Table, WriteBatch};

use self::signed::put_signed;
pub use self::signed::{
    delete_ancestors, delete_evidence, put_ancestors, put_conflict, put_evidence, put_set_step,
};

/// Stores a block with everything received: [`put_kept_block`] with [`KeptEntries::All`].
///
/// # Errors
/// As [`put_kept_block`].
pub fn put_block(
    batch: &mut WriteBatch,
    store: &dyn Store,
    block: &VerifiedBlock,
) -> Result<(), StoreError> {
    put_kept_block(batch, store, block, &KeptEntries::All)
}

/// Stores a block: its row, the verified trees (or the nodes that prove the kept entries and their completeness), and a
/// place per kept transaction. With no kept entry, stores only the header. Finality is unchanged: not final, unless
/// stored as final.
///
/// The number must be free, freed earlier in the same batch by [`remove_block`], or taken by the same block with no
/// more data than given now. The batch expects the row found, so that two writers cannot both succeed.
///
/// # Errors
/// [`StoreError::Block`] if another block, or the same with more data, is stored, or if a kept entry does not exist in
/// the block; read errors.
pub fn put_kept_block(
    batch: &mut WriteBatch,
    store: &dyn Store,
    block: &VerifiedBlock,
    kept: &KeptEntries,
) -> Result<(), StoreError> {
    put_row(batch, store, block, kept, None)
}

/// Makes a block final; no other function does. Stores the evidence once for all blocks that share it; the first
/// evidence stored stays. A newly verified block is stored as by [`put_kept_block`]; a stored block keeps its data.
///
/// # Errors
/// As [`put_kept_block`]; [`StoreError::Block`] if a block expected in the store, with the given hash and parent, is
/// missing or was changed earlier in the same batch.
pub fn put_final(
    batch: &mut WriteBatch,
    store: &dyn Store,
    block: &FinalBlock,
    kept: &KeptEntries,
) -> Result<(), StoreError> {
    let key = block_key(block.link().chain, block.agreed());
    if batch.written(Table::Evidence, &key).is_none() && store.get(Table::Evidence, &key)?.is_none()
    {
        batch.put(Table::Evidence, key, block.evidence().encode());
    }
    match block.candidate() {
        Candidate::Verified(verified) => {
            put_row(batch, store, verified, kept, Some(block.agreed()))
        }
        Candidate::Held(link) => finalise_held(batch, store, link, block.agreed()),
    }
}

fn put_row(
    batch: &mut WriteBatch,
    store: &dyn Store,
    block: &VerifiedBlock,
    kept: &KeptEntries,
    mut agreed: Option<BlockNumber>,
) -> Result<(), StoreError> {
    let chain = block.chain();
    let number = block.number();
    let key = block_key(chain, number);
    let refuse = |why| StoreError::Block { chain, number, why };
    let keeps_nothing = matches!(kept, KeptEntries::Some(indexes) if indexes.is_empty());
    let extent = if keeps_nothing { Extent::default() } else { block.extent() };
    let mut is_made_final = agreed.is_some();
    if batch.written(Table::Block, &key) != Some(None) {
        let held = load_block(store, chain, number)?;
        if let Some(held) = &held {
            is_made_final &= held.agreed.is_none();
            if held.hash != block.hash() {
                return Err(refuse("another block is held at that number"));
            }
            if !extent.covers(held.extent) || !keeps(kept, held) {
                return Err(refuse("it is held with more than is given"));
            }
            agreed = held.agreed.or(agreed);
        }
        expect_block(batch, chain, number, held.as_ref());
    }
    let row = BlockRow {
        hash: block.hash(),
        parent_hash: block.parent_hash(),
        timestamp: block.timestamp(),
        extent,
        kept: kept.clone(),
        tx_count: block.tx_count().map(|count| u32::try_from(count).unwrap_or(u32::MAX)),
        header: block.header().to_vec(),
        agreed,
    };
    batch.put(Table::Block, key, row.encode());
    put_signed(batch, store, block, is_made_final)?;
    if keeps_nothing {
        return Ok(());
    }
    if let Some(body) = block.body() {
        let kept = match kept {
            KeptEntries::All => Cow::Borrowed(body),
            KeptEntries::Some(tx_indexes) => {
                let kept = body.keep(tx_indexes, row.tx_count.unwrap_or(0));
                Cow::Owned(kept.map_err(|cause| refuse(cause.why()))?)
            }
        };
        batch.put(Table::Body, key, encode_body(&kept)?);
    }
    let hashes = (0..).zip(block.transaction_hashes().unwrap_or_default());
    for (tx_index, hash) in hashes.filter(|(tx_index, _)| kept.holds(*tx_index)) {
        batch.put(Table::Transaction, transaction_key(chain, hash, number, tx_index), []);
    }
    Ok(())
}

/// Makes a stored block final.
fn finalise_held(
    batch: &mut WriteBatch,
    store: &dyn Store,
    link: &BlockLink,
    agreed: BlockNumber,
) -> Result<(), StoreError> {
    let BlockLink { chain, number, .. } = *link;
    let key = block_key(chain, number);
    let refuse = |why| StoreError::Block { chain, number, why };
    if batch.written(Table::Block, &key).is_some() {
        return Err(refuse("it is changed by the same batch"));
    }
    let held = load_block(store, chain, number)?;
    let held = held.filter(|held| held.link(chain, number) == *link);
    let held = held.ok_or_else(|| refuse("it is not held"))?;
    expect_block(batch, chain, number, Some(&held));
    let row = BlockRow { agreed: held.agreed.or(Some(agreed)), ..held };
    batch.put(Table::Block, key, row.encode());
    Ok(())
}

/// Removes a non-final block and everything that [`put_block`] wrote for it. Returns the block row, or `None` if no
/// block is stored.
///
/// # Errors
/// [`StoreError::Block`] for a final block; [`StoreError::Corrupt`] if the body is missing a transaction; read errors.
pub fn remove_block(
    batch: &mut WriteBatch,
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
) -> Result<Option<BlockRow>, StoreError> {
    let Some(row) = load_block(store, chain, number)? else { return Ok(None) };
    if row.is_final() {
        return Err(StoreError::Block { chain, number, why: "a final block is never removed" });
    }
    expect_block(batch, chain, number, Some(&row));
    let key = block_key(chain, number);
    for (tx_index, hash) in transaction_hashes(store, chain, number, &row)? {
        batch.delete(Table::Transaction, transaction_key(chain, &hash, number, tx_index));
    }
    batch.delete(Table::Block, key).delete(Table::Body, key).delete(Table::Signed, key);
    Ok(Some(row))
}

/// Positions and hashes for the block's kept transactions, from the leaves in its body.
fn transaction_hashes(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
    row: &BlockRow,
) -> Result<Vec<(u32, Hash)>, StoreError> {
    if !row.extent.transactions {
        return Ok(Vec::new());
    }
    let key = block_key(chain, number);
    let corrupt =
        || StoreError::corrupt(Table::Body, &key, "a transaction of the block is missing");
    let body = load_body(store, chain, number)?.ok_or_else(corrupt)?;
    let count = row.tx_count.ok_or_else(corrupt)?;
    let kept = (0..count).filter(|tx_index| row.kept.holds(*tx_index));
    let hash = |tx_index| body.transaction_hash(tx_index).ok().flatten().ok_or_else(corrupt);
    kept.map(|tx_index| Ok((tx_index, hash(tx_index)?))).collect()
}

/// Adds the expectation that a block's row is exactly this, or absent.
fn expect_block(
    batch: &mut WriteBatch,
    chain: ChainKey,
    number: BlockNumber,
    held: Option<&BlockRow>,
) {
    let bytes = held.map(BlockRow::encode);
    batch.expect(Table::Block, block_key(chain, number), bytes.as_deref());
}

/// Whether `kept` includes all stored entries.
fn keeps(kept: &KeptEntries, held: &BlockRow) -> bool {
    match (kept, &held.kept) {
        (KeptEntries::All, _) => true,
        (KeptEntries::Some(now), KeptEntries::Some(before)) => {
            before.iter().all(|index| now.binary_search(index).is_ok())
        }
        (KeptEntries::Some(_), KeptEntries::All) => held.extent == Extent::default(),
    }
}

/// Sets a chain's progress.
pub fn put_chain_state(batch: &mut WriteBatch, chain: ChainKey, state: &ChainState) {
    batch.put(Table::ChainState, chain_key(chain), state.encode());
}

/// Adds the expectation that a chain has exactly this state (`None`: unknown chain).
pub fn expect_chain_state(batch: &mut WriteBatch, chain: ChainKey, state: Option<&ChainState>) {
    let bytes = state.map(ChainState::encode);
    batch.expect(Table::ChainState, chain_key(chain), bytes.as_deref());
}

/// Records a refused block with the reason.
pub fn put_refused(batch: &mut WriteBatch, chain: ChainKey, number: BlockNumber, row: &RefusedRow) {
    batch.put(Table::Refused, block_key(chain, number), row.encode());
}

/// Removes a refusal record after a valid block has arrived.
pub fn remove_refused(batch: &mut WriteBatch, chain: ChainKey, number: BlockNumber) {
    batch.delete(Table::Refused, block_key(chain, number));
}

/// Records a retraction: a block taken as final, but not final. The first record per pair stays. The block and all its
/// descendants are then contested: [`load_contested`].
///
/// # Errors
/// Read errors.
pub fn put_retraction(
    batch: &mut WriteBatch,
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
    row: &RetractionRow,
) -> Result<(), StoreError> {
    let key = retraction_key(chain, number, &row.other_hash);
    if store.get(Table::Retraction, &key)?.is_none() {
        batch.put(Table::Retraction, key, row.encode());
    }
    put_contest(batch, store, chain, number)
}

/// Contests a chain's stored blocks from a number on. The lowest number counts; within one batch, the last.
///
/// # Errors
/// Read errors.
pub fn put_contest(
    batch: &mut WriteBatch,
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
) -> Result<(), StoreError> {
    let from = load_contested(store, chain)?.map_or(number, |before| before.min(number));
    let indexed = load_chain_state(store, chain)?.and_then(|state| state.indexed);
    let held_to = indexed.map_or(number, |tip| tip.number);
    let contest = ContestRow { from, held_to };
    batch.put(Table::Halt, contest_key(chain), contest.encode());
    Ok(())
}

/// Keeps the nodes' evidence about a block that was not taken.
pub fn put_node_evidence(
    batch: &mut WriteBatch,
    chain: ChainKey,
    agreed: BlockNumber,
    evidence: &FinalityEvidence,
) {
    batch.put(Table::Evidence, block_key(chain, agreed), evidence.encode());
}

/// Halts a chain: no collection until [`clear_halt`].
pub fn put_halt(batch: &mut WriteBatch, chain: ChainKey, row: &HaltRow) {
    batch.put(Table::Halt, halt_key(chain), row.encode());
}

/// Clears a halt, after an operator's review. Retractions stay.
pub fn clear_halt(batch: &mut WriteBatch, chain: ChainKey) {
    batch.delete(Table::Halt, halt_key(chain));
}

/// Records backfill progress in the twig below a chain's run; `None` when complete and counted.
pub fn put_backfill(batch: &mut WriteBatch, chain: ChainKey, row: Option<&BackfillRow>) {
    match row {
        Some(row) => batch.put(Table::Backfill, chain_key(chain), row.encode()),
        None => batch.delete(Table::Backfill, chain_key(chain)),
    };
}

/// Stores a watch list under its hash and makes the list current for the chain.
pub fn put_watch(batch: &mut WriteBatch, chain: ChainKey, watch: &WatchFilter) {
    let hash = watch.hash();
    batch.put(Table::Watch, watch_key(&hash), watch.encode());
    batch.put(Table::Watch, chain_watch_key(chain), hash.0);
}

/// Stores a family's Mini-MMR leaf and the index from its twig.
pub fn put_mini_mmr_leaf(
    batch: &mut WriteBatch,
    family: Family,
    leaf_index: LeafIndex,
    row: &MiniMmrLeafRow,
) {
    let chain = ChainKey { family, id: row.chain_id };
    batch.put(Table::MiniMmrLeaf, mini_mmr_leaf_key(family, leaf_index), row.encode());
    batch.put(Table::MiniMmrLeaf, twig_key(chain, row.twig_index), leaf_index.0.to_be_bytes());
}

/// Stores a sealed twig's inner nodes.
pub fn put_twig_nodes(
    batch: &mut WriteBatch,
    chain: ChainKey,
    twig_index: TwigIndex,
    nodes: &TwigNodes,
) {
    batch.put(Table::MiniMmrLeaf, twig_nodes_key(chain, twig_index), nodes.encode());
}

/// Stores a family's Mini-MMR node.
pub fn put_mini_mmr_node(
    batch: &mut WriteBatch,
    family: Family,
    height: u8,
    index: u64,
    node: &Hash,
) {
    batch.put(Table::MiniMmrNode, mini_mmr_node_key(family, height, index), node.0);
}

/// Stores a history log node.
pub fn put_history_node(batch: &mut WriteBatch, height: u8, index: u64, node: &Hash) {
    batch.put(Table::HistoryNode, history_node_key(height, index), node.0);
}

/// Stores a `SuperRoot` under its sequence, and the index from its hash. The maker defines the bytes.
pub fn put_super_root(
    batch: &mut WriteBatch,
    sequence: Sequence,
    hash: &Hash,
    bytes: impl Into<Vec<u8>>,
) {
    batch.put(Table::SuperRoot, sequence.0.to_be_bytes(), bytes);
    batch.put(Table::SuperRootByHash, hash.0, sequence.0.to_be_bytes());
}

/// Stores the signed note for a log size unless one exists: a log signs one note per size.
pub fn put_note(batch: &mut WriteBatch, size: LogSize, note: impl Into<Vec<u8>>) {
    batch.expect(Table::Note, size.0.to_be_bytes(), None);
    batch.put(Table::Note, size.0.to_be_bytes(), note);
}

/// Replaces a note with a version that has more cosignatures.
pub fn replace_note(
    batch: &mut WriteBatch,
    size: LogSize,
    before: &[u8],
    note: impl Into<Vec<u8>>,
) {
    batch.expect(Table::Note, size.0.to_be_bytes(), Some(before));
    batch.put(Table::Note, size.0.to_be_bytes(), note);
}

/// Stores a registry under its root. The maker defines the bytes.
pub fn put_registry(batch: &mut WriteBatch, root: &Hash, bytes: impl Into<Vec<u8>>) {
    batch.put(Table::Registry, root.0, bytes);
}
