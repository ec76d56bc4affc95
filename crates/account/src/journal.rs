//! The ledger of money: double entry, append-only, hash-chained.
//!
//! An *entry* moves amounts between *books*; what it debits is what it credits. A *balance* is what
//! entries have debited and credited to one book so far.
//!
//! ```text
//! genesis <- entry 0 <- entry 1 <- entry 2 <- head      each holds SHA-256 of the row before it
//! ```
//! What must always hold: debits equal credits in every entry and over all books; balances are the
//! sums of the entries; entries never change; of one reference there is one entry.
//!
//! Keys of table `journal`: `environment:u8 ‖ 0` the head; `.. ‖ 1 ‖ sequence:u64` entries;
//! `.. ‖ 2 ‖ SHA-256(reference):32` to the sequence; `.. ‖ 3 ‖ book` balances.

mod entry;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use superroot_store::{Batch, Direction, Store, Table};
use superroot_types::Hash;

use crate::subscription::{LIST_MAX, environment_byte, subscriber_key};
use crate::{AccountError, AccountId, Environment, Subscriber, row};

pub use entry::{Balance, Entry, EntryLine, Posting, Side};

/// Lines that an entry has at most.
pub const ENTRY_LINES_MAX: usize = 64;

/// Entries that one call of [`Journal::entries_of`] looks at.
pub const ENTRIES_LOOKED_AT_MAX: u64 = 100_000;

const TABLE: Table = Table::Journal;

/// Where money lies, or what for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Book {
    /// What the service holds. Debited when it receives.
    Cash,
    /// What the service earned. Credited when it earns.
    Revenue,
    /// What an account owes for invoices. Debited when it is billed.
    Receivable(AccountId),
    /// What is owed to an integrator. Credited with its part of what it charges.
    RevenueShare(AccountId),
    /// What a subscriber paid and has not used. Credited when it pays.
    Credit(Subscriber),
    /// What was paid back to a subscriber: passes through.
    Refunds(Subscriber),
}

impl Book {
    fn key(&self) -> Vec<u8> {
        let by_account =
            |kind: u8, account: &AccountId| [&[kind], &account.0.as_bytes()[..]].concat();
        let by_subscriber = |kind: u8, of| [&[kind][..], &subscriber_key(of)].concat();
        match self {
            Self::Cash => vec![0],
            Self::Revenue => vec![1],
            Self::Receivable(account) => by_account(2, account),
            Self::RevenueShare(account) => by_account(3, account),
            Self::Credit(subscriber) => by_subscriber(4, subscriber),
            Self::Refunds(subscriber) => by_subscriber(5, subscriber),
        }
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    count: u64,
    hash: Hash,
}

/// What was entered, and whether it had been before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entered {
    /// The entry.
    pub entry: Entry,
    /// Whether it was there already: nothing was written.
    pub is_repeat: bool,
}

/// The journal of one environment. Calls block.
#[derive(Clone)]
pub struct Journal {
    store: Arc<dyn Store>,
    environment: Environment,
}

impl Journal {
    /// The one in a store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, environment: Environment) -> Self {
        Self { store, environment }
    }

    /// Enters what happened; once, however often and whenever it is repeated.
    ///
    /// # Errors
    /// [`AccountError::Unbalanced`], [`AccountError::Text`]; [`AccountError::ReferenceDiffers`] where
    /// the reference stands for something else; [`AccountError::Overflow`],
    /// [`AccountError::Contended`], [`AccountError::Store`].
    pub fn enter(&self, posting: &Posting) -> Result<Entered, AccountError> {
        row::commit(&*self.store, TABLE, || {
            let mut batch = Batch::new();
            let entered = self.stage(&mut batch, posting)?;
            Ok((if entered.is_repeat { Batch::new() } else { batch }, entered))
        })
    }

    /// Puts an entry into a batch that writes more than it; several may go into one batch. The batch
    /// then expects the journal as it is now.
    ///
    /// # Errors
    /// As [`Journal::enter`], but for those of the commit.
    pub fn stage(&self, batch: &mut Batch, posting: &Posting) -> Result<Entered, AccountError> {
        posting.validate()?;
        let reference_key = self.reference_key(&posting.reference);
        if let Some(sequence) = Self::read::<u64>(batch, &*self.store, &reference_key)? {
            let entry = Self::read::<Entry>(batch, &*self.store, &self.entry_key(sequence))?;
            let entry = entry.ok_or(AccountError::Journal { sequence, why: "it is missing" })?;
            // told again, it is told at another time
            if (Posting { at: posting.at, ..entry.posting.clone() }) != *posting {
                let reference = posting.reference.clone();
                return Err(AccountError::ReferenceDiffers { reference });
            }
            return Ok(Entered { entry, is_repeat: true });
        }
        let head = Self::read::<Head>(batch, &*self.store, &self.head_key())?.unwrap_or_default();
        let (sequence, previous_hash) = (head.count, head.hash);
        let entry = Entry { sequence, previous_hash, posting: posting.clone() };
        for line in &posting.lines {
            let key = self.balance_key(&line.book);
            let mut balance = Self::read::<Balance>(batch, &*self.store, &key)?.unwrap_or_default();
            balance.add(line)?;
            batch.put(TABLE, key, row::encode(&balance));
        }
        let bytes = row::encode(&entry);
        let count = sequence.checked_add(1);
        let count = count.ok_or(AccountError::Overflow { what: "the number of entries" })?;
        let entry_key = self.entry_key(sequence);
        batch.expect(TABLE, entry_key.clone(), None);
        batch.put(TABLE, self.head_key(), row::encode(&Head { count, hash: hash_of(&bytes) }));
        batch.put(TABLE, entry_key, bytes);
        batch.put(TABLE, reference_key, row::encode(&sequence));
        Ok(Entered { entry, is_repeat: false })
    }

    /// The balance of a book.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn balance(&self, book: &Book) -> Result<Balance, AccountError> {
        let held = row::load(&*self.store, TABLE, &self.balance_key(book))?;
        Ok(held.map(|held| held.value).unwrap_or_default())
    }

    /// Entries from a number on, at most a thousand.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn entries(&self, from: u64, limit: usize) -> Result<Vec<Entry>, AccountError> {
        let rows = self.entry_rows(from, limit)?;
        rows.iter().map(|(key, bytes)| row::decode(TABLE, key, bytes)).collect()
    }

    /// Entries from a number on that touch one of those books, at most `limit` and a thousand, of
    /// [`ENTRIES_LOOKED_AT_MAX`] that are looked at. Answers the number to go on from; none at the
    /// end.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn entries_of(
        &self,
        books: &[Book],
        from: u64,
        limit: usize,
    ) -> Result<(Vec<Entry>, Option<u64>), AccountError> {
        let limit = limit.clamp(1, LIST_MAX);
        let (mut found, mut next) = (Vec::new(), from);
        let end = from.saturating_add(ENTRIES_LOOKED_AT_MAX);
        while next < end {
            let entries = self.entries(next, LIST_MAX)?;
            if entries.is_empty() {
                return Ok((found, None));
            }
            for entry in entries {
                next = entry.sequence.saturating_add(1);
                if entry.touches(books) {
                    found.push(entry);
                }
                if found.len() == limit {
                    return Ok((found, Some(next)));
                }
            }
        }
        Ok((found, (next > from).then_some(next)))
    }

    /// Reads every entry and checks numbers, hashes, sides, references and balances; returns how many
    /// there are. Keeps one balance a book in memory.
    ///
    /// # Errors
    /// [`AccountError::Journal`] with the first entry that is not as it was written (for a balance,
    /// the number after the last entry); [`AccountError::Store`].
    pub fn verify(&self) -> Result<u64, AccountError> {
        let held = row::load::<Head>(&*self.store, TABLE, &self.head_key())?;
        let head = held.map(|held| held.value).unwrap_or_default();
        let mut seen = Head::default();
        let mut balances = BTreeMap::<Vec<u8>, Balance>::new();
        loop {
            let rows = self.entry_rows(seen.count, LIST_MAX)?;
            if rows.is_empty() {
                break;
            }
            for (key, bytes) in rows {
                let entry: Entry = row::decode(TABLE, &key, &bytes)?;
                self.verify_entry(&seen, &entry)?;
                for line in &entry.posting.lines {
                    balances.entry(self.balance_key(&line.book)).or_default().add(line)?;
                }
                seen = Head { count: seen.count.saturating_add(1), hash: hash_of(&bytes) };
            }
        }
        let broken = |why| AccountError::Journal { sequence: seen.count, why };
        if seen != head {
            return Err(broken("the head names another entry than the last"));
        }
        self.verify_balances(&balances, broken)?;
        Ok(seen.count)
    }

    fn verify_entry(&self, before: &Head, entry: &Entry) -> Result<(), AccountError> {
        let broken = |why| AccountError::Journal { sequence: before.count, why };
        if entry.sequence != before.count {
            return Err(broken("it is missing, or has another's number"));
        }
        if entry.previous_hash != before.hash {
            return Err(broken("the entry before it was changed"));
        }
        entry.posting.validate().map_err(|_| broken("its sides differ"))?;
        let key = self.reference_key(&entry.posting.reference);
        let sequence = row::load::<u64>(&*self.store, TABLE, &key)?.map(|held| held.value);
        if sequence != Some(entry.sequence) {
            return Err(broken("its reference leads elsewhere"));
        }
        Ok(())
    }

    fn verify_balances(
        &self,
        expected: &BTreeMap<Vec<u8>, Balance>,
        broken: impl Fn(&'static str) -> AccountError,
    ) -> Result<(), AccountError> {
        let byte = environment_byte(self.environment);
        let (mut start, end) = (vec![byte, 3], [byte, 4]);
        let mut count = 0;
        loop {
            let rows = self.store.scan(TABLE, &start, Some(&end), LIST_MAX, Direction::Rising)?;
            let Some((last, _)) = rows.last() else { break };
            start = [last, &[0][..]].concat();
            for (key, bytes) in &rows {
                if expected.get(key) != Some(&row::decode(TABLE, key, bytes)?) {
                    return Err(broken("a balance is not the sum of the entries"));
                }
                count += 1;
            }
        }
        if count != expected.len() {
            return Err(broken("a balance is missing"));
        }
        Ok(())
    }

    fn entry_rows(
        &self,
        from: u64,
        limit: usize,
    ) -> Result<Vec<superroot_store::Row>, AccountError> {
        let end = [environment_byte(self.environment), 2];
        let start = self.entry_key(from);
        let limit = limit.min(LIST_MAX);
        Ok(self.store.scan(TABLE, &start, Some(&end), limit, Direction::Rising)?)
    }

    /// A row as the batch leaves it. One that it leaves alone is expected to stay as it is read
    /// here: what is made of it would be wrong otherwise.
    fn read<T: serde::de::DeserializeOwned>(
        batch: &mut Batch,
        store: &dyn Store,
        key: &[u8],
    ) -> Result<Option<T>, AccountError> {
        if let Some(written) = batch.written(TABLE, key) {
            return written.map(|bytes| row::decode(TABLE, key, bytes)).transpose();
        }
        let held = row::load(store, TABLE, key)?;
        batch.expect(TABLE, key, held.as_ref().map(|held| &held.bytes[..]));
        Ok(held.map(|held| held.value))
    }

    fn head_key(&self) -> Vec<u8> {
        vec![environment_byte(self.environment), 0]
    }

    fn entry_key(&self, sequence: u64) -> Vec<u8> {
        [&[environment_byte(self.environment), 1][..], &sequence.to_be_bytes()].concat()
    }

    fn reference_key(&self, reference: &str) -> Vec<u8> {
        let hash = hash_of(reference.as_bytes());
        [&[environment_byte(self.environment), 2][..], &hash.0].concat()
    }

    fn balance_key(&self, book: &Book) -> Vec<u8> {
        [&[environment_byte(self.environment), 3][..], &book.key()].concat()
    }
}

fn hash_of(bytes: &[u8]) -> Hash {
    Hash(Sha256::digest(bytes).into())
}

#[cfg(test)]
mod tests;
