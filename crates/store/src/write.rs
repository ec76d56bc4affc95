//! What goes into a batch: verified blocks, tree nodes, states. Nothing here commits.

use std::borrow::Cow;

use superroot_chain::finality::{Candidate, Link};
use superroot_chain::{Extent, FinalBlock, VerifiedBlock};
use superroot_types::{BlockNumber, ChainKey, Family, Hash};

use crate::layout::{
    BackfillRow, BlockRow, ChainState, ContestRow, HaltRow, Kept, MiniMmrLeafRow, RefusedRow,
    RetractionRow, TwigNodes, Watch, block_key, chain_key, chain_watch_key, contest_key,
    encode_body, halt_key, history_node_key, mini_mmr_leaf_key, mini_mmr_node_key, retraction_key,
    transaction_key, twig_key, twig_nodes_key, watch_key,
};
use crate::read::{load_block, load_body, load_chain_state, load_contested};
use crate::{Batch, Store, StoreError, Table};

/// Stores a block with everything that came with it: [`put_kept_block`] with [`Kept::All`].
///
/// # Errors
/// As [`put_kept_block`].
pub fn put_block(
    batch: &mut Batch,
    store: &dyn Store,
    block: &VerifiedBlock,
) -> Result<(), StoreError> {
    put_kept_block(batch, store, block, &Kept::All)
}

/// Stores a block: its row, the trees that were verified with it (or what of them proves the
/// kept entries, and that there are no more), and a place for each kept transaction. Where no
/// entry is kept only the header is stored. Whether it is final stays as it was: no, unless it is held
/// as final.
///
/// The number has to be free, freed earlier in the same batch by [`remove_block`], or held by the
/// same block with no more than is given now. The batch expects the row found, so that two writers
/// cannot both believe it.
///
/// # Errors
/// [`StoreError::Block`] where another block, or the same with more, is held, or where an entry is
/// to be kept that the block does not have; errors of reading.
pub fn put_kept_block(
    batch: &mut Batch,
    store: &dyn Store,
    block: &VerifiedBlock,
    kept: &Kept,
) -> Result<(), StoreError> {
    put_row(batch, store, block, kept, None)
}

/// Lets a block be final from now on: the only way there is. Its evidence is stored once for all
/// blocks that share it; what was stored first stays. A block that was verified just now is stored as
/// by [`put_kept_block`]; one that is held keeps what is held of it.
///
/// # Errors
/// As [`put_kept_block`]; [`StoreError::Block`] where a block that should be held is not, with that
/// hash and parent, or was changed earlier in the same batch.
pub fn put_final(
    batch: &mut Batch,
    store: &dyn Store,
    block: &FinalBlock,
    kept: &Kept,
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
    batch: &mut Batch,
    store: &dyn Store,
    block: &VerifiedBlock,
    kept: &Kept,
    mut agreed: Option<BlockNumber>,
) -> Result<(), StoreError> {
    let (chain, number) = (block.chain(), block.number());
    let key = block_key(chain, number);
    let refuse = |why| StoreError::Block { chain, number, why };
    let keeps_nothing = matches!(kept, Kept::Some(indexes) if indexes.is_empty());
    let extent = if keeps_nothing { Extent::default() } else { block.extent() };
    if batch.written(Table::Block, &key) != Some(None) {
        let held = load_block(store, chain, number)?;
        if let Some(held) = &held {
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
    if keeps_nothing {
        return Ok(());
    }
    if let Some(body) = block.body() {
        let kept = match kept {
            Kept::All => Cow::Borrowed(body),
            Kept::Some(tx_indexes) => {
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

/// Lets a block that is held be final from now on.
fn finalise_held(
    batch: &mut Batch,
    store: &dyn Store,
    link: &Link,
    agreed: BlockNumber,
) -> Result<(), StoreError> {
    let Link { chain, number, .. } = *link;
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

/// Takes a block that is not final out again, with everything [`put_block`] wrote for it. Returns
/// its row, or `None` where no block is held.
///
/// # Errors
/// [`StoreError::Block`] for a final block; [`StoreError::Corrupt`] where its body lacks a
/// transaction; errors of reading.
pub fn remove_block(
    batch: &mut Batch,
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
    batch.delete(Table::Block, key).delete(Table::Body, key);
    Ok(Some(row))
}

/// Places and hashes of the block's kept transactions, out of the leaves in its body.
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

/// Makes the batch depend on the row of a block being exactly this, or not there.
fn expect_block(batch: &mut Batch, chain: ChainKey, number: BlockNumber, held: Option<&BlockRow>) {
    let bytes = held.map(BlockRow::encode);
    batch.expect(Table::Block, block_key(chain, number), bytes.as_deref());
}

/// Whether all that is held of a block is kept of it again.
fn keeps(kept: &Kept, held: &BlockRow) -> bool {
    match (kept, &held.kept) {
        (Kept::All, _) => true,
        (Kept::Some(now), Kept::Some(before)) => {
            before.iter().all(|index| now.binary_search(index).is_ok())
        }
        (Kept::Some(_), Kept::All) => held.extent == Extent::default(),
    }
}

/// Sets how far a chain has come.
pub fn put_chain_state(batch: &mut Batch, chain: ChainKey, state: &ChainState) {
    batch.put(Table::ChainState, chain_key(chain), state.encode());
}

/// Makes the batch depend on a chain standing exactly here, or (for `None`) being unknown.
pub fn expect_chain_state(batch: &mut Batch, chain: ChainKey, state: Option<&ChainState>) {
    let bytes = state.map(ChainState::encode);
    batch.expect(Table::ChainState, chain_key(chain), bytes.as_deref());
}

/// Notes that a block was refused, and why.
pub fn put_refused(batch: &mut Batch, chain: ChainKey, number: BlockNumber, row: &RefusedRow) {
    batch.put(Table::Refused, block_key(chain, number), row.encode());
}

/// Drops the note about a block that was refused: a sound one has come.
pub fn remove_refused(batch: &mut Batch, chain: ChainKey, number: BlockNumber) {
    batch.delete(Table::Refused, block_key(chain, number));
}

/// Notes that a block was taken as final and is not. The first note of one pair stays. From then on
/// the block is contested, with all that stands on it: [`load_contested`].
///
/// # Errors
/// Errors of reading.
pub fn put_retraction(
    batch: &mut Batch,
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

/// Contests what is held of a chain from a number on. Of several such notes the lowest counts; one
/// batch takes the last.
///
/// # Errors
/// Errors of reading.
pub fn put_contest(
    batch: &mut Batch,
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

/// Halts a chain: nothing of it is collected until [`clear_halt`].
pub fn put_halt(batch: &mut Batch, chain: ChainKey, row: &HaltRow) {
    batch.put(Table::Halt, halt_key(chain), row.encode());
}

/// Lets a halted chain go on; for an operator who has looked. Its retractions stay.
pub fn clear_halt(batch: &mut Batch, chain: ChainKey) {
    batch.delete(Table::Halt, halt_key(chain));
}

/// Notes how far the twig below a chain's run is filled; `None` once it counts.
pub fn put_backfill(batch: &mut Batch, chain: ChainKey, row: Option<&BackfillRow>) {
    match row {
        Some(row) => batch.put(Table::Backfill, chain_key(chain), row.encode()),
        None => batch.delete(Table::Backfill, chain_key(chain)),
    };
}

/// Stores a watch list under its hash, and names it as the one the chain is collected under.
pub fn put_watch(batch: &mut Batch, chain: ChainKey, watch: &Watch) {
    let hash = watch.hash();
    batch.put(Table::Watch, watch_key(&hash), watch.encode());
    batch.put(Table::Watch, chain_watch_key(chain), hash.0);
}

/// Stores a leaf of a family's Mini-MMR, and the way back from its twig.
pub fn put_mini_mmr_leaf(batch: &mut Batch, family: Family, leaf_index: u64, row: &MiniMmrLeafRow) {
    let chain = ChainKey { family, id: row.chain_id };
    batch.put(Table::MiniMmrLeaf, mini_mmr_leaf_key(family, leaf_index), row.encode());
    batch.put(Table::MiniMmrLeaf, twig_key(chain, row.twig_index), leaf_index.to_be_bytes());
}

/// Stores the inner nodes of a sealed twig.
pub fn put_twig_nodes(batch: &mut Batch, chain: ChainKey, twig_index: u64, nodes: &TwigNodes) {
    batch.put(Table::MiniMmrLeaf, twig_nodes_key(chain, twig_index), nodes.encode());
}

/// Stores a node of a family's Mini-MMR.
pub fn put_mini_mmr_node(batch: &mut Batch, family: Family, height: u8, index: u64, node: &Hash) {
    batch.put(Table::MiniMmrNode, mini_mmr_node_key(family, height, index), node.0);
}

/// Stores a node of the history log.
pub fn put_history_node(batch: &mut Batch, height: u8, index: u64, node: &Hash) {
    batch.put(Table::HistoryNode, history_node_key(height, index), node.0);
}

/// Stores a `SuperRoot` under its sequence, and the way there from its hash. The bytes are its
/// maker's.
pub fn put_super_root(batch: &mut Batch, sequence: u64, hash: &Hash, bytes: impl Into<Vec<u8>>) {
    batch.put(Table::SuperRoot, sequence.to_be_bytes(), bytes);
    batch.put(Table::SuperRootByHash, hash.0, sequence.to_be_bytes());
}

/// Stores the signed note of a size of the log, where none stands: a log signs one note a size.
pub fn put_note(batch: &mut Batch, size: u64, note: impl Into<Vec<u8>>) {
    batch.expect(Table::Note, size.to_be_bytes(), None);
    batch.put(Table::Note, size.to_be_bytes(), note);
}

/// Puts a note with more cosignatures in the place of the one that stands.
pub fn replace_note(batch: &mut Batch, size: u64, before: &[u8], note: impl Into<Vec<u8>>) {
    batch.expect(Table::Note, size.to_be_bytes(), Some(before));
    batch.put(Table::Note, size.to_be_bytes(), note);
}

/// Stores a registry under its root. The bytes are its maker's.
pub fn put_registry(batch: &mut Batch, root: &Hash, bytes: impl Into<Vec<u8>>) {
    batch.put(Table::Registry, root.0, bytes);
}
