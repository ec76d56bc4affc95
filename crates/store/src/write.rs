//! What goes into a batch: verified blocks, tree nodes, states. Nothing here commits.

use superroot_chain::{Evidence, Extent, VerifiedBlock};
use superroot_proof::hash::keccak256;
use superroot_proof::mpt::OrderedTrie;
use superroot_types::{BlockNumber, ChainKey, Family, Hash};

use crate::layout::{
    BlockRow, BodyRow, ChainState, MiniMmrLeafRow, RefusedRow, block_key, chain_key,
    history_node_key, mini_mmr_leaf_key, mini_mmr_node_key, transaction_key, twig_key,
};
use crate::read::{load_block, load_body};
use crate::{Batch, Store, StoreError, Table};

/// Stores a block: its row, the tries that were verified with it, and a place for each transaction.
/// With `evidence` it is final from then on.
///
/// The number has to be free, freed earlier in the same batch by [`remove_block`], or held by the
/// same block with no more than is given now; evidence once stored stays. The batch expects the row
/// found, so that two writers cannot both believe it.
///
/// # Errors
/// [`StoreError::Block`] where another block, or the same with more, is held; errors of reading.
pub fn put_block(
    batch: &mut Batch,
    store: &dyn Store,
    block: &VerifiedBlock,
    evidence: Option<&Evidence>,
) -> Result<(), StoreError> {
    let (chain, number) = (block.chain(), block.number());
    let key = block_key(chain, number);
    let refuse = |why| StoreError::Block { chain, number, why };
    let mut evidence = evidence.cloned();
    if batch.written(Table::Block, &key) != Some(None) {
        let held = load_block(store, chain, number)?;
        if let Some(held) = &held {
            if held.hash != block.hash() {
                return Err(refuse("another block is held at that number"));
            }
            if !covers(block.extent(), held.extent) {
                return Err(refuse("it is held with more than is given"));
            }
            evidence = evidence.or_else(|| held.evidence.clone());
        }
        expect_block(batch, chain, number, held.as_ref())?;
    }
    let tx_count = block.transactions().or(block.receipts()).map(<[_]>::len);
    let row = BlockRow {
        hash: block.hash(),
        parent_hash: block.parent_hash(),
        timestamp: block.timestamp(),
        extent: block.extent(),
        tx_count: tx_count.map(|count| u32::try_from(count).unwrap_or(u32::MAX)),
        header: block.header().to_vec(),
        evidence,
    };
    batch.put(Table::Block, key, encode_block(chain, number, &row)?);
    let body = BodyRow {
        transactions: block.transactions().map(OrderedTrie::build),
        receipts: block.receipts().map(OrderedTrie::build),
    };
    if !body.is_empty() {
        batch.put(Table::Body, key, body.encode()?);
    }
    for (tx_index, hash) in (0..).zip(block.transaction_hashes().unwrap_or_default()) {
        batch.put(Table::Transaction, transaction_key(chain, hash, number, tx_index), []);
    }
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
    if row.evidence.is_some() {
        return Err(StoreError::Block { chain, number, why: "a final block is never removed" });
    }
    expect_block(batch, chain, number, Some(&row))?;
    let key = block_key(chain, number);
    for (tx_index, hash) in (0..).zip(transaction_hashes(store, chain, number, &row)?) {
        batch.delete(Table::Transaction, transaction_key(chain, &hash, number, tx_index));
    }
    batch.delete(Table::Block, key).delete(Table::Body, key);
    Ok(Some(row))
}

/// Hashes of the block's transactions, out of the leaves in its body.
fn transaction_hashes(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
    row: &BlockRow,
) -> Result<Vec<Hash>, StoreError> {
    if !row.extent.transactions {
        return Ok(Vec::new());
    }
    let key = block_key(chain, number);
    let corrupt =
        || StoreError::corrupt(Table::Body, &key, "a transaction of the block is missing");
    let body = load_body(store, chain, number)?;
    let trie = body.and_then(|body| body.transactions).ok_or_else(corrupt)?;
    let count = u64::from(row.tx_count.ok_or_else(corrupt)?);
    let leaf = |index| trie.leaf(index).ok().flatten().ok_or_else(corrupt);
    // The leaf of every EVM transaction hashes to the transaction's hash (EIP-2718).
    (0..count).map(|index| leaf(index).map(keccak256)).collect()
}

/// Makes the batch depend on the row of a block being exactly this, or not there.
fn expect_block(
    batch: &mut Batch,
    chain: ChainKey,
    number: BlockNumber,
    held: Option<&BlockRow>,
) -> Result<(), StoreError> {
    let bytes = held.map(|held| encode_block(chain, number, held)).transpose()?;
    batch.expect(Table::Block, block_key(chain, number), bytes.as_deref());
    Ok(())
}

fn encode_block(
    chain: ChainKey,
    number: BlockNumber,
    row: &BlockRow,
) -> Result<Vec<u8>, StoreError> {
    let why = "its evidence is of a kind that this build cannot store";
    row.encode().ok_or(StoreError::Block { chain, number, why })
}

/// Whether `more` holds every tree that `less` does.
const fn covers(more: Extent, less: Extent) -> bool {
    (more.transactions || !less.transactions) && (more.receipts || !less.receipts)
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

/// Stores a leaf of a family's Mini-MMR, and the way back from its twig.
pub fn put_mini_mmr_leaf(batch: &mut Batch, family: Family, leaf_index: u64, row: &MiniMmrLeafRow) {
    let chain = ChainKey { family, id: row.chain_id };
    batch.put(Table::MiniMmrLeaf, mini_mmr_leaf_key(family, leaf_index), row.encode());
    batch.put(Table::MiniMmrLeaf, twig_key(chain, row.twig_index), leaf_index.to_be_bytes());
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

/// Stores a registry under its root. The bytes are its maker's.
pub fn put_registry(batch: &mut Batch, root: &Hash, bytes: impl Into<Vec<u8>>) {
    batch.put(Table::Registry, root.0, bytes);
}
