//! Writing rows, and reading them.

use superroot_types::{ChainKey, Hash, UnixSeconds};

use super::change::{BLOCKS_MAX, Change, Changes, FeedRow};
use crate::layout::{StoredRow, end_of_prefix, feed_key, feed_prefix, publication_key};
use crate::{Batch, Direction, Row, Store, StoreError, Table};

/// Rows that one commit prunes at most: more than it writes, so that a shorter span is reached.
const PRUNED_MAX: u64 = 8;

/// Which rows of a feed there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The oldest that is kept.
    pub oldest: u64,
    /// The one that will be written next.
    pub next: u64,
}

/// Puts changes into a chain's feed, and prunes what is older than `kept_seconds`. Once a batch: it
/// looks at the store alone. The batch expects that nobody else writes the same rows.
///
/// # Errors
/// Errors of reading.
pub fn append(
    batch: &mut Batch,
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

/// As many rows as are needed for none to be about too many blocks.
fn in_rows(changes: Vec<Change>) -> Vec<Vec<Change>> {
    let mut rows: Vec<Vec<Change>> = Vec::new();
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

/// Which rows a chain's feed has; `None` as long as nothing was written.
///
/// # Errors
/// Those of [`Store::scan`].
pub fn load_bounds(store: &dyn Store, chain: ChainKey) -> Result<Option<Bounds>, StoreError> {
    let newest = load_newest(store, chain)?;
    Ok(newest.map(|(number, row)| Bounds { oldest: row.oldest, next: number + 1 }))
}

/// Rows of a chain's feed from a cursor on, with their numbers: at most `limit`.
///
/// # Errors
/// Those of [`Store::scan`].
pub fn load_rows(
    store: &dyn Store,
    chain: ChainKey,
    cursor: u64,
    limit: usize,
) -> Result<Vec<(u64, FeedRow)>, StoreError> {
    let (start, end) = (feed_key(chain, cursor), end_of_prefix(&feed_prefix(chain)));
    let rows = store.scan(Table::Feed, &start, end.as_deref(), limit, Direction::Rising)?;
    rows.iter().map(|row| decode(chain, row)).collect()
}

fn load_newest(store: &dyn Store, chain: ChainKey) -> Result<Option<(u64, FeedRow)>, StoreError> {
    let prefix = feed_prefix(chain);
    let end = end_of_prefix(&prefix);
    let newest = store.scan(Table::Feed, &prefix, end.as_deref(), 1, Direction::Falling)?;
    newest.first().map(|row| decode(chain, row)).transpose()
}

fn decode(chain: ChainKey, (key, bytes): &Row) -> Result<(u64, FeedRow), StoreError> {
    let corrupt = || StoreError::corrupt(Table::Feed, key, "not a key of a feed");
    let number = key.strip_prefix(&feed_prefix(chain)).and_then(|rest| rest.try_into().ok());
    let number = number.map(u64::from_be_bytes).ok_or_else(corrupt)?;
    Ok((number, FeedRow::decode(key, bytes)?))
}

/// Puts a publication into its feed, whose rows are numbered by sequence and are never pruned.
pub fn put_publication(batch: &mut Batch, sequence: u64, hash: &Hash) {
    batch.put(Table::Feed, publication_key(sequence), hash.0);
}

/// Publications from a sequence on, with their hashes: at most `limit`.
///
/// # Errors
/// Those of [`Store::scan`].
pub fn load_publications(
    store: &dyn Store,
    sequence: u64,
    limit: usize,
) -> Result<Vec<(u64, Hash)>, StoreError> {
    let (start, end) = (publication_key(sequence), publication_key(u64::MAX));
    let rows = store.scan(Table::Feed, &start, Some(&end), limit, Direction::Rising)?;
    let publications = rows.iter().map(|(key, bytes)| {
        let corrupt = || StoreError::corrupt(Table::Feed, key, "not a publication");
        let sequence = key.split_first().and_then(|(_, rest)| rest.try_into().ok());
        let hash = bytes.as_slice().try_into().map(Hash).map_err(|_| corrupt())?;
        Ok((u64::from_be_bytes(sequence.ok_or_else(corrupt)?), hash))
    });
    publications.collect()
}
