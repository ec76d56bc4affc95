//! Feed rows: append and read.

use superroot_types::{ChainKey, Hash, Sequence, UnixSeconds};

use super::change::{BLOCKS_MAX, Changes, FeedChange, FeedRow};
use crate::layout::{StoredRow, end_of_prefix, feed_key, feed_prefix, publication_key};
use crate::{Row, ScanOrder, Store, StoreError, Table, WriteBatch};

/// Most rows pruned per commit: more than a commit writes, so that a shortened retention takes effect.
const PRUNED_MAX: u64 = 8;

/// Row numbers in a feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedBounds {
    /// Oldest kept row.
    pub oldest: u64,
    /// Next row to be written.
    pub next: u64,
}

/// Appends changes to a chain's feed and prunes rows older than `kept_seconds`. Call once per batch: reads the store
/// only. The batch expects that no other writer appends the same rows.
///
/// # Errors
/// Read errors.
pub fn append(
    batch: &mut WriteBatch,
    store: &dyn Store,
    chain: ChainKey,
    changes: Changes,
    now: UnixSeconds,
    kept_seconds: u64,
) -> Result<(), StoreError> {
    let rows = in_rows(changes.into_vec());
    if rows.is_empty() {
        return Ok(());
    }
    let newest = load_newest(store, chain)?;
    let (mut next, mut oldest) = newest.map_or((0, 0), |(number, row)| (number + 1, row.oldest));
    for _ in 0..PRUNED_MAX.min(next - oldest) {
        let key = feed_key(chain, oldest);
        let bytes = store.get(Table::Feed, &key)?;
        let row = bytes.map(|bytes| FeedRow::decode(&key, &bytes)).transpose()?;
        if row.is_some_and(|row| row.at.0.saturating_add(kept_seconds) >= now.0) {
            break;
        }
        batch.delete(Table::Feed, key);
        oldest += 1;
    }
    batch.expect(Table::Feed, feed_key(chain, next), None);
    for changes in rows {
        let row = FeedRow { oldest, at: now, changes };
        batch.put(Table::Feed, feed_key(chain, next), row.encode());
        next += 1;
    }
    Ok(())
}

/// Splits changes into rows that respect the block limit per row.
fn in_rows(changes: Vec<FeedChange>) -> Vec<Vec<FeedChange>> {
    let mut rows: Vec<Vec<FeedChange>> = Vec::new();
    let mut blocks = 0;
    for change in changes {
        let more = change.block_count();
        match rows.last_mut().filter(|_| blocks + more <= BLOCKS_MAX) {
            Some(row) => {
                blocks += more;
                row.push(change);
            }
            None => {
                blocks = more;
                rows.push(vec![change]);
            }
        }
    }
    rows
}

/// Returns a chain's feed bounds; `None` before the first row.
///
/// # Errors
/// As [`Store::scan`].
pub fn load_bounds(store: &dyn Store, chain: ChainKey) -> Result<Option<FeedBounds>, StoreError> {
    let newest = load_newest(store, chain)?;
    Ok(newest.map(|(number, row)| FeedBounds { oldest: row.oldest, next: number + 1 }))
}

/// Returns numbered feed rows from a cursor on: at most `limit`.
///
/// # Errors
/// As [`Store::scan`].
pub fn load_rows(
    store: &dyn Store,
    chain: ChainKey,
    cursor: u64,
    limit: usize,
) -> Result<Vec<(u64, FeedRow)>, StoreError> {
    let start = feed_key(chain, cursor);
    let end = end_of_prefix(&feed_prefix(chain));
    let rows = store.scan(Table::Feed, &start, end.as_deref(), limit, ScanOrder::Rising)?;
    rows.iter().map(|row| decode(chain, row)).collect()
}

fn load_newest(store: &dyn Store, chain: ChainKey) -> Result<Option<(u64, FeedRow)>, StoreError> {
    let prefix = feed_prefix(chain);
    let end = end_of_prefix(&prefix);
    let newest = store.scan(Table::Feed, &prefix, end.as_deref(), 1, ScanOrder::Falling)?;
    newest.first().map(|row| decode(chain, row)).transpose()
}

fn decode(chain: ChainKey, (key, bytes): &Row) -> Result<(u64, FeedRow), StoreError> {
    let corrupt = || StoreError::corrupt(Table::Feed, key, "not a key of a feed");
    let number = key.strip_prefix(&feed_prefix(chain)).and_then(|rest| rest.try_into().ok());
    let number = number.map(u64::from_be_bytes).ok_or_else(corrupt)?;
    Ok((number, FeedRow::decode(key, bytes)?))
}

/// Appends a publication; its row number is the sequence. Publications are never pruned.
pub fn put_publication(batch: &mut WriteBatch, sequence: Sequence, hash: &Hash) {
    batch.put(Table::Feed, publication_key(sequence), hash.0);
}

/// Returns publications with their hashes from a sequence on: at most `limit`.
///
/// # Errors
/// As [`Store::scan`].
pub fn load_publications(
    store: &dyn Store,
    sequence: Sequence,
    limit: usize,
) -> Result<Vec<(Sequence, Hash)>, StoreError> {
    let start = publication_key(sequence);
    let end = publication_key(Sequence(u64::MAX));
    let rows = store.scan(Table::Feed, &start, Some(&end), limit, ScanOrder::Rising)?;
    let publications = rows.iter().map(|(key, bytes)| {
        let corrupt = || StoreError::corrupt(Table::Feed, key, "not a publication");
        let sequence = key.split_first().and_then(|(_, rest)| rest.try_into().ok());
        let hash = bytes.as_slice().try_into().map(Hash).map_err(|_| corrupt())?;
        Ok((Sequence(u64::from_be_bytes(sequence.ok_or_else(corrupt)?)), hash))
    });
    publications.collect()
}
