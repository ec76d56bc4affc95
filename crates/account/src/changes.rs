//! The log of changes: what every node forgets of what it remembers.
//!
//! ```text
//! meta   accounts/epoch            -> 7
//!        accounts/changed/ 4..=7   -> who changed; the last CHANGES_KEPT are kept
//! ```
//! A change of an account, key, wallet or subscription raises the epoch in its own commit, and says
//! whom it is about. A node that has applied epoch 4 forgets those of 5 to 7; one that has fallen
//! behind what is kept forgets everybody. What is new (an account, a key) changes nobody's answer
//! and is not noted: what is unknown is never remembered.

use serde::{Deserialize, Serialize};
use superroot_store::{Batch, Direction, Store, Table};
use superroot_types::{Address, Hash};

use crate::{AccountError, AccountId, row};

const EPOCH: &[u8] = b"accounts/epoch";
const CHANGED: &[u8] = b"accounts/changed/";

/// Changes that are kept for nodes that fell behind.
pub(crate) const CHANGES_KEPT: u64 = 4_096;

/// Whom a change is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Changed {
    /// All keys of an account, and of its sub-accounts.
    Account(AccountId),
    /// All keys of accounts that claim or have proven a wallet.
    Wallet(Address),
    /// One key, by its SHA-256.
    Key(Hash),
}

/// Notes in `batch` whom its other writes are about. Once a batch.
///
/// # Errors
/// [`AccountError::Store`].
pub fn note(store: &dyn Store, batch: &mut Batch, changed: &[Changed]) -> Result<(), AccountError> {
    let held = row::load::<u64>(store, Table::Meta, EPOCH)?;
    let epoch = held.as_ref().map_or(0, |held| held.value).saturating_add(1);
    batch.expect(Table::Meta, EPOCH, held.as_ref().map(|held| &held.bytes[..]));
    batch.put(Table::Meta, EPOCH, row::encode(&epoch));
    batch.put(Table::Meta, place(epoch), row::encode(&changed));
    if let Some(old) = epoch.checked_sub(CHANGES_KEPT) {
        batch.delete(Table::Meta, place(old));
    }
    Ok(())
}

/// What happened after an epoch.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Since {
    /// The epoch now.
    pub(crate) epoch: u64,
    /// Who changed; none where that is not known any more.
    pub(crate) changed: Option<Vec<Changed>>,
}

/// What happened after the epoch `applied`; everything may have, where none was applied.
///
/// # Errors
/// [`AccountError::Store`].
pub(crate) fn since(store: &dyn Store, applied: Option<u64>) -> Result<Since, AccountError> {
    let epoch = row::load::<u64>(store, Table::Meta, EPOCH)?.map_or(0, |held| held.value);
    let count = applied.and_then(|applied| epoch.checked_sub(applied));
    let (Some(applied), Some(count @ 0..=CHANGES_KEPT)) = (applied, count) else {
        return Ok(Since { epoch, changed: None });
    };
    if count == 0 {
        return Ok(Since { epoch, changed: Some(Vec::new()) });
    }
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let (start, end) = (place(applied.saturating_add(1)), place(epoch.saturating_add(1)));
    let rows = store.scan(Table::Meta, &start, Some(&end), count, Direction::Rising)?;
    if rows.len() != count {
        return Ok(Since { epoch, changed: None }); // dropped meanwhile
    }
    let mut changed = Vec::new();
    for (key, bytes) in rows {
        changed.extend(row::decode::<Vec<Changed>>(Table::Meta, &key, &bytes)?);
    }
    Ok(Since { epoch, changed: Some(changed) })
}

fn place(epoch: u64) -> Vec<u8> {
    [CHANGED, &epoch.to_be_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use superroot_store::{MemoryStore, StoreError};

    fn change(store: &MemoryStore, changed: &[Changed]) {
        let mut batch = Batch::new();
        note(store, &mut batch, changed).unwrap();
        store.commit(batch).unwrap();
    }

    #[test]
    fn who_changed_is_told_from_any_epoch_on() {
        let store = MemoryStore::new();
        assert_eq!(since(&store, Some(0)).unwrap(), Since { epoch: 0, changed: Some(vec![]) });
        let (a, b) = (Changed::Account(AccountId::random()), Changed::Wallet(Address([1; 20])));
        change(&store, &[a]);
        change(&store, &[b, Changed::Key(Hash([2; 32]))]);
        let told = |applied| since(&store, applied).unwrap();
        assert_eq!(told(Some(2)), Since { epoch: 2, changed: Some(vec![]) });
        let second = vec![b, Changed::Key(Hash([2; 32]))];
        assert_eq!(told(Some(1)), Since { epoch: 2, changed: Some(second) });
        assert_eq!(told(Some(0)).changed.unwrap().len(), 3);
        assert_eq!(told(None), Since { epoch: 2, changed: None });
        assert_eq!(told(Some(3)), Since { epoch: 2, changed: None }, "a store that was set back");
    }

    #[test]
    fn the_log_is_bounded_and_who_fell_behind_is_told_so() {
        let store = MemoryStore::new();
        let key = Changed::Key(Hash([1; 32]));
        for _ in 0..CHANGES_KEPT + 10 {
            change(&store, &[key]);
        }
        let rows = store.scan(Table::Meta, b"", None, usize::MAX, Direction::Rising).unwrap();
        assert_eq!(rows.len() as u64, CHANGES_KEPT + 1);
        assert_eq!(since(&store, Some(9)).unwrap().changed, None);
        let kept = since(&store, Some(10)).unwrap().changed.unwrap();
        assert_eq!(kept.len() as u64, CHANGES_KEPT);
    }

    #[test]
    fn of_two_changes_at_one_time_one_has_to_look_again() {
        let store = MemoryStore::new();
        let (mut first, mut second) = (Batch::new(), Batch::new());
        note(&store, &mut first, &[]).unwrap();
        note(&store, &mut second, &[]).unwrap();
        store.commit(first).unwrap();
        assert!(matches!(store.commit(second), Err(StoreError::Conflict { .. })));
    }
}
