//! Change log: evictions for the cache of every node.
//!
//! ```text
//! meta   accounts/changed/ id:16   -> who changed
//! ```
//! A change of an account, key, wallet or lift adds a row with a random id to its own commit, so changes never wait for
//! each other. A node reads the rows and evicts the subjects of unseen ones. A row is removed once a node has seen it
//! for [`KEPT_MS`]; a node that has not read for half that time evicts everything. A new account or key is not logged:
//! unknown keys are never cached.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use superroot_store::{ScanOrder, Store, StoreError, Table, WriteBatch};
use superroot_types::{Address, Hash};
use uuid::Uuid;

use crate::{AccountId, place, row};

const CHANGED: &[u8] = b"accounts/changed/";

/// Time from a node's first sight of a change to its removal, in milliseconds of that node's stopwatch.
pub(crate) const KEPT_MS: u64 = 60_000;

/// Rows per read.
const PAGE: usize = 1_000;

/// A change's subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Changed {
    /// All keys of an account and its sub-accounts.
    Account(AccountId),
    /// All keys of accounts with a claim or proof of a wallet.
    Wallet(Address),
    /// One key, by its SHA-256.
    Key(Hash),
}

/// Adds the subjects of the other writes to `batch`.
pub fn note(batch: &mut WriteBatch, changed: &[Changed]) {
    batch.put(Table::Meta, place_of(Uuid::new_v4()), row::encode(&changed));
}

/// Seen changes with the stopwatch reading of the first sight.
#[derive(Debug, Default)]
pub(crate) struct SeenChanges(HashMap<Uuid, u64>);

impl SeenChanges {
    /// Reads the unseen changes.
    ///
    /// # Errors
    /// [`StoreError`]: nothing counts as seen.
    pub(crate) fn look(
        &mut self,
        store: &dyn Store,
        now_ms: u64,
    ) -> Result<Vec<Changed>, StoreError> {
        let mut seen = HashMap::with_capacity(self.0.len());
        let mut news = Vec::new();
        let mut start = CHANGED.to_vec();
        let end = place::after(CHANGED);
        loop {
            let rows = store.scan(Table::Meta, &start, end.as_deref(), PAGE, ScanOrder::Rising)?;
            for (key, bytes) in &rows {
                let id = id_of(key)?;
                let since = self.0.get(&id).copied();
                if since.is_none() {
                    news.extend(row::decode::<Vec<Changed>>(Table::Meta, key, bytes)?);
                }
                seen.insert(id, since.unwrap_or(now_ms));
            }
            match rows.last() {
                Some((last, _)) if rows.len() == PAGE => start = place::next(last),
                Some(_) | None => break,
            }
        }
        self.0 = seen;
        Ok(news)
    }

    /// Puts the removal of some changes seen long enough into `batch`. Returns their number.
    pub(crate) fn stage_removal(&self, batch: &mut WriteBatch, now_ms: u64) -> usize {
        let is_over = |since: u64| since.saturating_add(KEPT_MS) <= now_ms;
        let over = self.0.iter().filter(|(_, since)| is_over(**since)).take(PAGE);
        let places: Vec<_> = over.map(|(id, _)| place_of(*id)).collect();
        for place in &places {
            batch.delete(Table::Meta, &place[..]);
        }
        places.len()
    }
}

fn place_of(id: Uuid) -> Vec<u8> {
    [CHANGED, id.as_bytes()].concat()
}

fn id_of(key: &[u8]) -> Result<Uuid, StoreError> {
    let id = key.strip_prefix(CHANGED).and_then(|id| Uuid::from_slice(id).ok());
    let table = Table::Meta;
    let why = "not a change of accounts";
    id.ok_or_else(|| StoreError::Corrupt { table, key: key.to_vec(), why })
}

#[cfg(test)]
mod tests {
    use super::*;
    use superroot_store::MemoryStore;

    fn change(store: &MemoryStore, changed: &[Changed]) {
        let mut batch = WriteBatch::new();
        note(&mut batch, changed);
        store.commit(batch).unwrap();
    }

    #[test]
    fn each_change_is_told_once_and_removed_when_it_was_seen_long_enough() {
        let (store, mut seen) = (MemoryStore::new(), SeenChanges::default());
        assert_eq!(seen.look(&store, 0).unwrap(), []);
        let (a, b) = (Changed::Account(AccountId::random()), Changed::Wallet(Address([1; 20])));
        change(&store, &[a]);
        assert_eq!(seen.look(&store, 10).unwrap(), [a]);
        change(&store, &[b, Changed::Key(Hash([2; 32]))]);
        assert_eq!(seen.look(&store, 20).unwrap(), [b, Changed::Key(Hash([2; 32]))]);
        assert_eq!(seen.look(&store, 30).unwrap(), []);
        let removed = |seen: &SeenChanges, now_ms| {
            let mut batch = WriteBatch::new();
            let count = seen.stage_removal(&mut batch, now_ms);
            store.commit(batch).unwrap();
            count
        };
        assert_eq!(removed(&seen, 10 + KEPT_MS - 1), 0);
        assert_eq!(removed(&seen, 10 + KEPT_MS), 1, "the one that was seen first");
        assert_eq!(seen.look(&store, 40).unwrap(), []);
        assert_eq!(removed(&seen, 20 + KEPT_MS), 1);
        assert_eq!(SeenChanges::default().look(&store, 50).unwrap(), []);
    }

    #[test]
    fn changes_at_one_time_do_not_wait_for_each_other() {
        let store = MemoryStore::new();
        let (mut first, mut second) = (WriteBatch::new(), WriteBatch::new());
        note(&mut first, &[Changed::Key(Hash([1; 32]))]);
        note(&mut second, &[Changed::Key(Hash([2; 32]))]);
        store.commit(second).unwrap();
        store.commit(first).unwrap();
        assert_eq!(SeenChanges::default().look(&store, 0).unwrap().len(), 2);
    }

    #[test]
    fn a_log_longer_than_a_page_is_read_whole() {
        let store = MemoryStore::new();
        for _ in 0..2 * PAGE + 1 {
            change(&store, &[Changed::Key(Hash([1; 32]))]);
        }
        assert_eq!(SeenChanges::default().look(&store, 0).unwrap().len(), 2 * PAGE + 1);
        let pinned = b"\x01[{\"wallet\":\"0x0101010101010101010101010101010101010101\"}]";
        assert_eq!(row::encode(&[Changed::Wallet(Address([1; 20]))]), pinned);
    }
}
