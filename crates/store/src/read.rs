//! Rows out of a store, decoded. Whatever cannot be read is [`StoreError::Corrupt`].

use std::ops::Range;

use superroot_chain::Evidence;
use superroot_proof::ledger::Body;
use superroot_types::{BlockNumber, ChainKey, Family, Hash};

use crate::layout::{
    BackfillRow, BlockRow, ChainState, ContestRow, HALT_PREFIX, HaltRow, MiniMmrLeafRow,
    RefusedRow, RetractionRow, StoredRow, TwigNodes, Watch, block_key, chain_key, chain_watch_key,
    contest_key, decode_block_key, decode_halt_key, decode_transaction_key, end_of_prefix,
    halt_key, history_node_key, mini_mmr_leaf_key, mini_mmr_node_key, transaction_key,
    transaction_prefix, twig_key, twig_nodes_key, watch_key,
};
use crate::{Direction, Store, StoreError, Table, scan};

/// Places that a search for one transaction returns at most.
pub const CANDIDATES_MAX: usize = 64;

/// Where a transaction may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TransactionPlace {
    /// Its block.
    pub number: BlockNumber,
    /// Its place in the block.
    pub tx_index: u32,
}

/// How far a chain has come; `None` for one that is not known here.
///
/// # Errors
/// Those of [`Store::get`].
pub fn load_chain_state(
    store: &dyn Store,
    chain: ChainKey,
) -> Result<Option<ChainState>, StoreError> {
    load(store, Table::ChainState, &chain_key(chain))
}

/// A block, final or not.
///
/// # Errors
/// Those of [`Store::get`].
pub fn load_block(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
) -> Result<Option<BlockRow>, StoreError> {
    load(store, Table::Block, &block_key(chain, number))
}

/// Why a block is final that says so by `agreed`; `None` where that is not held.
///
/// # Errors
/// Those of [`Store::get`].
pub fn load_evidence(
    store: &dyn Store,
    chain: ChainKey,
    agreed: BlockNumber,
) -> Result<Option<Evidence>, StoreError> {
    load(store, Table::Evidence, &block_key(chain, agreed))
}

/// The blocks of a range of numbers, rising: at most `limit`. Numbers without a block are left out.
///
/// # Errors
/// Those of [`Store::scan`].
pub fn load_blocks(
    store: &dyn Store,
    chain: ChainKey,
    numbers: Range<BlockNumber>,
    limit: usize,
) -> Result<Vec<(BlockNumber, BlockRow)>, StoreError> {
    let (start, end) = (block_key(chain, numbers.start), block_key(chain, numbers.end));
    let rows = store.scan(Table::Block, &start, Some(&end), limit, Direction::Rising)?;
    let blocks = rows.iter().map(|(key, bytes)| {
        let (_, number) = decode_block_key(key)
            .ok_or_else(|| StoreError::corrupt(Table::Block, key, "not a key of a block"))?;
        Ok((number, BlockRow::decode(key, bytes)?))
    });
    blocks.collect()
}

/// The trees of a block; `None` where none was given with it.
///
/// # Errors
/// Those of [`Store::get`].
pub fn load_body(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
) -> Result<Option<Body>, StoreError> {
    load(store, Table::Body, &block_key(chain, number))
}

/// Places of transactions whose hash begins like this one, rising, at most [`CANDIDATES_MAX`]. The
/// index holds a part of the hash alone: the caller compares with the transaction itself.
///
/// # Errors
/// Those of [`Store::scan`].
pub fn find_transaction(
    store: &dyn Store,
    chain: ChainKey,
    hash: &Hash,
) -> Result<Vec<TransactionPlace>, StoreError> {
    let all = BlockNumber(0)..BlockNumber(u64::MAX);
    find_transaction_within(store, chain, hash, all, Direction::Rising)
}

/// The same of the blocks in a range, in either direction.
///
/// # Errors
/// Those of [`Store::scan`].
pub fn find_transaction_within(
    store: &dyn Store,
    chain: ChainKey,
    hash: &Hash,
    blocks: Range<BlockNumber>,
    direction: Direction,
) -> Result<Vec<TransactionPlace>, StoreError> {
    let prefix = transaction_prefix(chain, hash);
    // of all blocks also what is no key of one: it is named
    let start = match blocks.start.0 {
        0 => prefix.to_vec(),
        _ => transaction_key(chain, hash, blocks.start, 0).to_vec(),
    };
    let end = match blocks.end.0 {
        u64::MAX => end_of_prefix(&prefix),
        _ => Some(transaction_key(chain, hash, blocks.end, 0).to_vec()),
    };
    let table = Table::Transaction;
    let rows = store.scan(table, &start, end.as_deref(), CANDIDATES_MAX, direction)?;
    let places = rows.iter().map(|(key, _)| {
        let (number, tx_index) = decode_transaction_key(key)
            .ok_or_else(|| StoreError::corrupt(table, key, "not a key of a transaction"))?;
        Ok(TransactionPlace { number, tx_index })
    });
    places.collect()
}

/// Why a block was refused.
///
/// # Errors
/// Those of [`Store::get`].
pub fn load_refused(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
) -> Result<Option<RefusedRow>, StoreError> {
    load(store, Table::Refused, &block_key(chain, number))
}

/// The newest blocks that were refused, falling: at most `limit`.
///
/// # Errors
/// Those of [`Store::scan`].
pub fn load_newest_refused(
    store: &dyn Store,
    chain: ChainKey,
    limit: usize,
) -> Result<Vec<(BlockNumber, RefusedRow)>, StoreError> {
    let start = chain_key(chain);
    let end = end_of_prefix(&start);
    let rows = store.scan(Table::Refused, &start, end.as_deref(), limit, Direction::Falling)?;
    let refused = rows.iter().map(|(key, bytes)| {
        let (_, number) = decode_block_key(key)
            .ok_or_else(|| StoreError::corrupt(Table::Refused, key, "not a key of a block"))?;
        Ok((number, RefusedRow::decode(key, bytes)?))
    });
    refused.collect()
}

/// Numbers of blocks that were refused, rising: at most `limit` of that range.
///
/// # Errors
/// Those of [`Store::scan`].
pub fn load_refused_numbers(
    store: &dyn Store,
    chain: ChainKey,
    numbers: Range<BlockNumber>,
    limit: usize,
) -> Result<Vec<BlockNumber>, StoreError> {
    let (start, end) = (block_key(chain, numbers.start), block_key(chain, numbers.end));
    let rows = store.scan(Table::Refused, &start, Some(&end), limit, Direction::Rising)?;
    let numbers = rows.iter().map(|(key, _)| {
        let found = decode_block_key(key).map(|(_, number)| number);
        found.ok_or_else(|| StoreError::corrupt(Table::Refused, key, "not a key of a block"))
    });
    numbers.collect()
}

/// Blocks of a chain that were taken as final and are not, by number.
///
/// # Errors
/// Those of [`Store::scan`].
pub fn load_retractions(
    store: &dyn Store,
    chain: ChainKey,
) -> Result<Vec<(BlockNumber, RetractionRow)>, StoreError> {
    let table = Table::Retraction;
    let retractions = scan::rows_of(store, table, &chain_key(chain)).map(|row| {
        let (key, bytes) = row?;
        let wrong = || StoreError::corrupt(table, &key, "not a key of a retraction");
        let (block, _) = key.split_first_chunk::<17>().ok_or_else(wrong)?;
        let (_, number) = decode_block_key(block).ok_or_else(wrong)?;
        Ok((number, RetractionRow::decode(&key, &bytes)?))
    });
    retractions.collect()
}

/// Why and since when a chain is halted; `None` for one that is not.
///
/// # Errors
/// Those of [`Store::get`].
pub fn load_halt(store: &dyn Store, chain: ChainKey) -> Result<Option<HaltRow>, StoreError> {
    load(store, Table::Halt, &halt_key(chain))
}

/// Every chain that is halted, by chain, in one read of what is there: mostly nothing.
///
/// # Errors
/// Those of [`Store::scan`].
pub fn load_halts(store: &dyn Store) -> Result<Vec<(ChainKey, HaltRow)>, StoreError> {
    let halts = scan::rows_of(store, Table::Halt, &HALT_PREFIX).map(|row| {
        let (key, bytes) = row?;
        let wrong = || StoreError::corrupt(Table::Halt, &key, "not a key of a halt");
        Ok((decode_halt_key(&key).ok_or_else(wrong)?, HaltRow::decode(&key, &bytes)?))
    });
    halts.collect()
}

/// First block of a chain that counts as final no more, since its nodes took it back: it and what
/// stands on it is not to be published. `None` once a later final block stands on what was held,
/// which then counts as final again.
///
/// # Errors
/// Those of [`Store::get`].
pub fn load_contested(
    store: &dyn Store,
    chain: ChainKey,
) -> Result<Option<BlockNumber>, StoreError> {
    let contest: Option<ContestRow> = load(store, Table::Halt, &contest_key(chain))?;
    let indexed = load_chain_state(store, chain)?.and_then(|state| state.indexed);
    let stands = |contest: &ContestRow| indexed.is_none_or(|tip| tip.number <= contest.held_to);
    let of_halt = load_halt(store, chain)?.map(|halt| halt.number);
    Ok(contest.filter(stands).map(|contest| contest.from).into_iter().chain(of_halt).min())
}

/// First and last block of a chain that were taken back the last time, whether they stand again or
/// not; `None` where none ever were.
///
/// # Errors
/// Those of [`Store::get`].
pub fn load_last_contest(
    store: &dyn Store,
    chain: ChainKey,
) -> Result<Option<(BlockNumber, BlockNumber)>, StoreError> {
    let contest: Option<ContestRow> = load(store, Table::Halt, &contest_key(chain))?;
    Ok(contest.map(|contest| (contest.from, contest.held_to)))
}

/// How far the twig below a chain's run is filled; `None` when none is being filled.
///
/// # Errors
/// Those of [`Store::get`].
pub fn load_backfill(
    store: &dyn Store,
    chain: ChainKey,
) -> Result<Option<BackfillRow>, StoreError> {
    load(store, Table::Backfill, &chain_key(chain))
}

/// The watch list of that hash.
///
/// # Errors
/// Those of [`Store::get`].
pub fn load_watch(store: &dyn Store, hash: &Hash) -> Result<Option<Watch>, StoreError> {
    load(store, Table::Watch, &watch_key(hash))
}

/// Hash of the watch list that a chain is collected under.
///
/// # Errors
/// Those of [`Store::get`].
pub fn load_chain_watch(store: &dyn Store, chain: ChainKey) -> Result<Option<Hash>, StoreError> {
    load_node(store, Table::Watch, &chain_watch_key(chain))
}

/// A leaf of a family's Mini-MMR.
///
/// # Errors
/// Those of [`Store::get`].
pub fn load_mini_mmr_leaf(
    store: &dyn Store,
    family: Family,
    leaf_index: u64,
) -> Result<Option<MiniMmrLeafRow>, StoreError> {
    load(store, Table::MiniMmrLeaf, &mini_mmr_leaf_key(family, leaf_index))
}

/// Which leaf of its family's Mini-MMR a sealed twig is.
///
/// # Errors
/// Those of [`Store::get`].
pub fn load_leaf_index(
    store: &dyn Store,
    chain: ChainKey,
    twig_index: u64,
) -> Result<Option<u64>, StoreError> {
    load_number(store, Table::MiniMmrLeaf, &twig_key(chain, twig_index))
}

/// Inner nodes of a sealed twig; `None` of an empty one, and of one that an earlier build sealed.
///
/// # Errors
/// Those of [`Store::get`].
pub fn load_twig_nodes(
    store: &dyn Store,
    chain: ChainKey,
    twig_index: u64,
) -> Result<Option<TwigNodes>, StoreError> {
    load(store, Table::MiniMmrLeaf, &twig_nodes_key(chain, twig_index))
}

/// A node of a family's Mini-MMR.
///
/// # Errors
/// Those of [`Store::get`].
pub fn load_mini_mmr_node(
    store: &dyn Store,
    family: Family,
    height: u8,
    index: u64,
) -> Result<Option<Hash>, StoreError> {
    load_node(store, Table::MiniMmrNode, &mini_mmr_node_key(family, height, index))
}

/// A node of the history log.
///
/// # Errors
/// Those of [`Store::get`].
pub fn load_history_node(
    store: &dyn Store,
    height: u8,
    index: u64,
) -> Result<Option<Hash>, StoreError> {
    load_node(store, Table::HistoryNode, &history_node_key(height, index))
}

/// The bytes of a `SuperRoot`.
///
/// # Errors
/// Those of [`Store::get`].
pub fn load_super_root(store: &dyn Store, sequence: u64) -> Result<Option<Vec<u8>>, StoreError> {
    store.get(Table::SuperRoot, &sequence.to_be_bytes())
}

/// The signed note of that size of the log.
///
/// # Errors
/// Those of [`Store::get`].
pub fn load_note(store: &dyn Store, size: u64) -> Result<Option<Vec<u8>>, StoreError> {
    store.get(Table::Note, &size.to_be_bytes())
}

/// The sequence of the `SuperRoot` with this hash.
///
/// # Errors
/// Those of [`Store::get`].
pub fn load_sequence(store: &dyn Store, hash: &Hash) -> Result<Option<u64>, StoreError> {
    load_number(store, Table::SuperRootByHash, &hash.0)
}

/// The newest `SuperRoot`: its sequence and bytes.
///
/// # Errors
/// Those of [`Store::scan`].
pub fn load_newest_super_root(store: &dyn Store) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
    let rows = store.scan(Table::SuperRoot, b"", None, 1, Direction::Falling)?;
    let newest = rows.into_iter().next().map(|(key, bytes)| {
        array(Table::SuperRoot, &key, &key).map(|key| (u64::from_be_bytes(key), bytes))
    });
    newest.transpose()
}

/// The bytes of the registry with this root.
///
/// # Errors
/// Those of [`Store::get`].
pub fn load_registry(store: &dyn Store, root: &Hash) -> Result<Option<Vec<u8>>, StoreError> {
    store.get(Table::Registry, &root.0)
}

fn load<R: StoredRow>(
    store: &dyn Store,
    table: Table,
    key: &[u8],
) -> Result<Option<R>, StoreError> {
    store.get(table, key)?.map(|bytes| R::decode(key, &bytes)).transpose()
}

fn load_number(store: &dyn Store, table: Table, key: &[u8]) -> Result<Option<u64>, StoreError> {
    let bytes = store.get(table, key)?;
    bytes.map(|bytes| array(table, key, &bytes).map(u64::from_be_bytes)).transpose()
}

fn load_node(store: &dyn Store, table: Table, key: &[u8]) -> Result<Option<Hash>, StoreError> {
    let bytes = store.get(table, key)?;
    bytes.map(|bytes| array(table, key, &bytes).map(Hash)).transpose()
}

fn array<const N: usize>(table: Table, key: &[u8], bytes: &[u8]) -> Result<[u8; N], StoreError> {
    bytes.try_into().map_err(|_| StoreError::corrupt(table, key, "another length than its kind"))
}
