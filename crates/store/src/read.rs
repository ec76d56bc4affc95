//! Decoded reads. An unreadable row is [`StoreError::Corrupt`].

mod published;
mod row;

use std::ops::Range;

use superroot_chain::FinalityEvidence;
use superroot_proof::finality::{ConsensusEvidence, FinalityConflict};
use superroot_proof::ledger::Body;
use superroot_proof::ledger::evm::HistoryProof;
use superroot_types::{BlockNumber, ChainKey, Hash};

pub use self::published::{
    load_history_node, load_leaf_index, load_mini_mmr_leaf, load_mini_mmr_node,
    load_newest_super_root, load_note, load_registry, load_sequence, load_super_root,
    load_twig_nodes,
};
use self::row::{load, load_node};
use crate::layout::{
    BackfillRow, BlockRow, ChainState, ContestRow, HALT_PREFIX, HaltRow, RefusedRow, RetractionRow,
    StoredRow, WatchFilter, block_key, chain_key, chain_watch_key, contest_key, decode_block_key,
    decode_halt_key, decode_transaction_key, end_of_prefix, halt_key, set_key, transaction_key,
    transaction_prefix, watch_key,
};
use crate::{ScanOrder, Store, StoreError, Table, scan};

/// Most places that a search for one transaction returns.
pub const CANDIDATES_MAX: usize = 64;

/// Possible transaction position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TransactionPlace {
    /// Block number.
    pub number: BlockNumber,
    /// Position in the block.
    pub tx_index: u32,
}

/// Returns a chain's progress; `None` for an unknown chain.
///
/// # Errors
/// As [`Store::get`].
pub fn load_chain_state(
    store: &dyn Store,
    chain: ChainKey,
) -> Result<Option<ChainState>, StoreError> {
    load(store, Table::ChainState, &chain_key(chain))
}

/// Returns a block, final or not.
///
/// # Errors
/// As [`Store::get`].
pub fn load_block(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
) -> Result<Option<BlockRow>, StoreError> {
    load(store, Table::Block, &block_key(chain, number))
}

/// Returns the finality evidence that a block names by `agreed`; `None` if not stored.
///
/// # Errors
/// As [`Store::get`].
pub fn load_evidence(
    store: &dyn Store,
    chain: ChainKey,
    agreed: BlockNumber,
) -> Result<Option<FinalityEvidence>, StoreError> {
    load(store, Table::Evidence, &block_key(chain, agreed))
}

/// Returns the first of what was signed about a block from `first` to `last`, as it was sent.
///
/// # Errors
/// As [`Store::scan`]; [`StoreError::Corrupt`] for bytes that are no evidence.
pub fn load_signed_from(
    store: &dyn Store,
    chain: ChainKey,
    first: BlockNumber,
    last: BlockNumber,
) -> Result<Option<ConsensusEvidence>, StoreError> {
    load_signed(store, chain, (first, last), ScanOrder::Rising)
}

/// Returns the last of what was signed about a block up to `last`, as it was sent.
///
/// # Errors
/// As [`load_signed_from`].
pub fn load_signed_to(
    store: &dyn Store,
    chain: ChainKey,
    last: BlockNumber,
) -> Result<Option<ConsensusEvidence>, StoreError> {
    load_signed(store, chain, (BlockNumber(0), last), ScanOrder::Falling)
}

fn load_signed(
    store: &dyn Store,
    chain: ChainKey,
    (first, last): (BlockNumber, BlockNumber),
    order: ScanOrder,
) -> Result<Option<ConsensusEvidence>, StoreError> {
    let start = block_key(chain, first);
    let end = block_key(chain, BlockNumber(last.0.saturating_add(1)));
    let rows = store.scan(Table::Signed, &start, Some(&end), 1, order)?;
    let Some((key, bytes)) = rows.first() else { return Ok(None) };
    let corrupt = || StoreError::corrupt(Table::Signed, key, "not evidence");
    ConsensusEvidence::decode(bytes).map(Some).ok_or_else(corrupt)
}

/// Returns contradicting statements by one set, unchecked; `None` if not stored.
///
/// # Errors
/// As [`Store::get`]; [`StoreError::Corrupt`] for malformed bytes.
pub fn load_conflict(
    store: &dyn Store,
    chain: ChainKey,
) -> Result<Option<FinalityConflict>, StoreError> {
    let key = chain_key(chain);
    let Some(bytes) = store.get(Table::Conflict, &key)? else { return Ok(None) };
    let corrupt = || StoreError::corrupt(Table::Conflict, &key, "not a conflict");
    FinalityConflict::decode(&bytes).map(Some).ok_or_else(corrupt)
}

/// Returns proven hashes of ancestors in the state of a block; `None` if not stored.
///
/// # Errors
/// As [`Store::get`]; [`StoreError::Corrupt`] for other bytes.
pub fn load_ancestors(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
) -> Result<Option<HistoryProof>, StoreError> {
    let key = block_key(chain, number);
    let Some(bytes) = store.get(Table::Ancestor, &key)? else { return Ok(None) };
    let corrupt = || StoreError::corrupt(Table::Ancestor, &key, "not proofs of ancestors");
    HistoryProof::decode(&bytes).map(Some).ok_or_else(corrupt)
}

/// Returns the step from a set of signers to the next, unchecked.
///
/// # Errors
/// As [`Store::get`].
pub fn load_set_step(
    store: &dyn Store,
    chain: ChainKey,
    set: u64,
) -> Result<Option<Vec<u8>>, StoreError> {
    store.get(Table::SetStep, &set_key(chain, set))
}

/// Returns the numbers of the first and the last set with a stored step.
///
/// # Errors
/// As [`Store::scan`]; [`StoreError::Corrupt`] for a key that is none of a set.
pub fn load_set_range(
    store: &dyn Store,
    chain: ChainKey,
) -> Result<Option<(u64, u64)>, StoreError> {
    let (start, end) = (set_key(chain, 0), set_key(chain, u64::MAX));
    let at = |order| {
        let rows = store.scan(Table::SetStep, &start, Some(&end), 1, order)?;
        let number = |(key, _): &(Vec<u8>, _)| -> Result<u64, StoreError> {
            let corrupt = || StoreError::corrupt(Table::SetStep, key, "not a key of a set");
            key.last_chunk().map(|number| u64::from_be_bytes(*number)).ok_or_else(corrupt)
        };
        rows.first().map(number).transpose()
    };
    Ok(at(ScanOrder::Rising)?.zip(at(ScanOrder::Falling)?))
}

/// Returns at most `limit` blocks in a number range, ascending; numbers without a block are left out.
///
/// # Errors
/// As [`Store::scan`].
pub fn load_blocks(
    store: &dyn Store,
    chain: ChainKey,
    numbers: Range<BlockNumber>,
    limit: usize,
) -> Result<Vec<(BlockNumber, BlockRow)>, StoreError> {
    let start = block_key(chain, numbers.start);
    let end = block_key(chain, numbers.end);
    let rows = store.scan(Table::Block, &start, Some(&end), limit, ScanOrder::Rising)?;
    let blocks = rows.iter().map(|(key, bytes)| {
        let (_, number) = decode_block_key(key)
            .ok_or_else(|| StoreError::corrupt(Table::Block, key, "not a key of a block"))?;
        Ok((number, BlockRow::decode(key, bytes)?))
    });
    blocks.collect()
}

/// Returns a block's trees; `None` if the block was stored without trees.
///
/// # Errors
/// As [`Store::get`].
pub fn load_body(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
) -> Result<Option<Body>, StoreError> {
    load(store, Table::Body, &block_key(chain, number))
}

/// Returns at most [`CANDIDATES_MAX`] transaction places for a hash prefix (all that is indexed), ascending.
///
/// # Errors
/// As [`Store::scan`].
pub fn find_transaction(
    store: &dyn Store,
    chain: ChainKey,
    hash: &Hash,
) -> Result<Vec<TransactionPlace>, StoreError> {
    let all = BlockNumber(0)..BlockNumber(u64::MAX);
    find_transaction_within(store, chain, hash, all, ScanOrder::Rising)
}

/// Like [`find_transaction`], for a block range and in either direction.
///
/// # Errors
/// As [`Store::scan`].
pub fn find_transaction_within(
    store: &dyn Store,
    chain: ChainKey,
    hash: &Hash,
    blocks: Range<BlockNumber>,
    direction: ScanOrder,
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

/// Returns the reason why a block was refused.
///
/// # Errors
/// As [`Store::get`].
pub fn load_refused(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
) -> Result<Option<RefusedRow>, StoreError> {
    load(store, Table::Refused, &block_key(chain, number))
}

/// Returns the newest refused blocks, descending: at most `limit`.
///
/// # Errors
/// As [`Store::scan`].
pub fn load_newest_refused(
    store: &dyn Store,
    chain: ChainKey,
    limit: usize,
) -> Result<Vec<(BlockNumber, RefusedRow)>, StoreError> {
    let start = chain_key(chain);
    let end = end_of_prefix(&start);
    let rows = store.scan(Table::Refused, &start, end.as_deref(), limit, ScanOrder::Falling)?;
    let refused = rows.iter().map(|(key, bytes)| {
        let (_, number) = decode_block_key(key)
            .ok_or_else(|| StoreError::corrupt(Table::Refused, key, "not a key of a block"))?;
        Ok((number, RefusedRow::decode(key, bytes)?))
    });
    refused.collect()
}

/// Returns the refused block numbers in a range, ascending: at most `limit`.
///
/// # Errors
/// As [`Store::scan`].
pub fn load_refused_numbers(
    store: &dyn Store,
    chain: ChainKey,
    numbers: Range<BlockNumber>,
    limit: usize,
) -> Result<Vec<BlockNumber>, StoreError> {
    let start = block_key(chain, numbers.start);
    let end = block_key(chain, numbers.end);
    let rows = store.scan(Table::Refused, &start, Some(&end), limit, ScanOrder::Rising)?;
    let numbers = rows.iter().map(|(key, _)| {
        let found = decode_block_key(key).map(|(_, number)| number);
        found.ok_or_else(|| StoreError::corrupt(Table::Refused, key, "not a key of a block"))
    });
    numbers.collect()
}

/// Returns a chain's retracted blocks (taken as final, but not final), by number.
///
/// # Errors
/// As [`Store::scan`].
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

/// Returns reason and start time for a chain's halt; `None` if not halted.
///
/// # Errors
/// As [`Store::get`].
pub fn load_halt(store: &dyn Store, chain: ChainKey) -> Result<Option<HaltRow>, StoreError> {
    load(store, Table::Halt, &halt_key(chain))
}

/// Returns all halted chains, by chain, in one scan; usually none.
///
/// # Errors
/// As [`Store::scan`].
pub fn load_halts(store: &dyn Store) -> Result<Vec<(ChainKey, HaltRow)>, StoreError> {
    let halts = scan::rows_of(store, Table::Halt, &HALT_PREFIX).map(|row| {
        let (key, bytes) = row?;
        let wrong = || StoreError::corrupt(Table::Halt, &key, "not a key of a halt");
        Ok((decode_halt_key(&key).ok_or_else(wrong)?, HaltRow::decode(&key, &bytes)?))
    });
    halts.collect()
}

/// Returns a chain's first contested block: its nodes retracted the block after finality, so the block and its
/// descendants must not be published. `None` after a later final block descends from the stored blocks, which then
/// count as final again.
///
/// # Errors
/// As [`Store::get`].
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

/// Returns the first and last block in a chain's latest retraction, whether valid again or not; `None` if never
/// retracted.
///
/// # Errors
/// As [`Store::get`].
pub fn load_last_contest(
    store: &dyn Store,
    chain: ChainKey,
) -> Result<Option<(BlockNumber, BlockNumber)>, StoreError> {
    let contest: Option<ContestRow> = load(store, Table::Halt, &contest_key(chain))?;
    Ok(contest.map(|contest| (contest.from, contest.held_to)))
}

/// Returns the backfill progress in the twig below a chain's run; `None` without a backfill.
///
/// # Errors
/// As [`Store::get`].
pub fn load_backfill(
    store: &dyn Store,
    chain: ChainKey,
) -> Result<Option<BackfillRow>, StoreError> {
    load(store, Table::Backfill, &chain_key(chain))
}

/// Returns the watch list with this hash.
///
/// # Errors
/// As [`Store::get`].
pub fn load_watch(store: &dyn Store, hash: &Hash) -> Result<Option<WatchFilter>, StoreError> {
    load(store, Table::Watch, &watch_key(hash))
}

/// Returns the hash for a chain's current watch list.
///
/// # Errors
/// As [`Store::get`].
pub fn load_chain_watch(store: &dyn Store, chain: ChainKey) -> Result<Option<Hash>, StoreError> {
    load_node(store, Table::Watch, &chain_watch_key(chain))
}
