//! The journal in the store: what every account's money did, month by month.
//!
//! What must always hold: entries never change; of one kind and reference an account has one entry; a
//! closed month gets no more; a book is the sum of its account's entries. Commits of one account wait
//! for each other by its book, and for those of no other account.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use superroot_account::row::{self, Held};
use superroot_account::{AccountId, Environment, Month, after, next};
use superroot_store::{Batch, Direction, Row, Store, StoreError, Table};
use superroot_types::{Hash, UnixSeconds};

use crate::entry::{Entry, EntryKind, NewEntry};
use crate::error::BillingError;
use crate::keys::{self, Key};

/// Entries that an account may have in a month: each is a line of its invoice.
pub const ENTRIES_PER_MONTH_MAX: u32 = 5_000;

/// Rows read at one time.
pub(crate) const PAGE: usize = 1_000;

/// What an account's entries come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Book {
    /// Their sum: what the account owes, below zero where the service owes.
    pub owes_usdc_e6: i64,
    /// How many there are.
    pub entry_count: u64,
}

/// Where an entry stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryAt {
    month: Month,
    number: u32,
}

/// The rows of one environment.
#[derive(Clone, Copy)]
pub(crate) struct Journal<'a> {
    pub(crate) store: &'a dyn Store,
    pub(crate) environment: Environment,
}

impl Journal<'_> {
    pub(crate) fn encode(&self, key: Key) -> Vec<u8> {
        key.encode(self.environment)
    }

    pub(crate) fn load<T: DeserializeOwned>(
        &self,
        key: Key,
    ) -> Result<Option<Held<T>>, BillingError> {
        Ok(row::load(self.store, key.table(), &self.encode(key))?)
    }

    /// The row of a key, which `batch` then expects to stay as it is read.
    pub(crate) fn expect<T: DeserializeOwned>(
        &self,
        batch: &mut Batch,
        key: Key,
    ) -> Result<Option<T>, BillingError> {
        let held = self.load(key)?;
        let bytes = held.as_ref().map(|held| &held.bytes[..]);
        batch.expect(key.table(), self.encode(key), bytes);
        Ok(held.map(|held| held.value))
    }

    /// Puts a row; what `batch` expects of it is another's to say.
    pub(crate) fn put<T: Serialize>(&self, batch: &mut Batch, key: Key, value: &T) {
        batch.put(key.table(), self.encode(key), row::encode(value));
    }

    /// Puts a row that must not be there yet.
    pub(crate) fn put_new<T: Serialize>(&self, batch: &mut Batch, key: Key, value: &T) {
        row::replace(batch, key.table(), self.encode(key), None, value);
    }

    /// A page of the rows that begin with `prefix`, from `start` on.
    pub(crate) fn page(
        &self,
        table: Table,
        prefix: &[u8],
        start: &[u8],
        limit: usize,
    ) -> Result<Vec<Row>, BillingError> {
        let end = after(prefix);
        Ok(self.store.scan(table, start, end.as_deref(), limit.min(PAGE), Direction::Rising)?)
    }

    /// Calls `each` for every row that begins with `prefix`, with its key, a page at a time.
    pub(crate) fn each(
        &self,
        table: Table,
        prefix: &[u8],
        mut each: impl FnMut(&[u8], &[u8]) -> Result<(), BillingError>,
    ) -> Result<(), BillingError> {
        let mut start = prefix.to_vec();
        loop {
            let rows = self.page(table, prefix, &start, PAGE)?;
            for (key, bytes) in &rows {
                each(key, bytes)?;
            }
            match rows.last() {
                Some((last, _)) if rows.len() == PAGE => start = next(last),
                Some(_) | None => return Ok(()),
            }
        }
    }

    /// What an account's entries come to.
    pub(crate) fn book(&self, account: AccountId) -> Result<Book, BillingError> {
        Ok(self.load(Key::Book(account))?.map(|held| held.value).unwrap_or_default())
    }

    /// The entry of a kind and reference, if there is one; `batch` expects that to stay so.
    pub(crate) fn find(
        &self,
        batch: &mut Batch,
        account: AccountId,
        kind: EntryKind,
        reference: &str,
    ) -> Result<Option<Entry>, BillingError> {
        let key = Key::Reference(account, reference_hash(kind, reference));
        let Some(EntryAt { month, number }) = self.expect(batch, key)? else { return Ok(None) };
        let entry = self.load(Key::Entry(account, month, number))?;
        let missing = || BillingError::Journal { account, why: "an entry is missing" };
        Ok(Some(entry.ok_or_else(missing)?.value))
    }

    /// Puts entries of an account into `batch`, in the month of `at`. Once a batch and account.
    ///
    /// # Errors
    /// [`BillingError::Month`] where that month is closed, [`BillingError::Full`],
    /// [`BillingError::Overflow`]; [`BillingError::Store`].
    pub(crate) fn stage(
        &self,
        batch: &mut Batch,
        account: AccountId,
        at: UnixSeconds,
        entries: &[NewEntry],
    ) -> Result<Vec<Entry>, BillingError> {
        let month = Month::of(at)?;
        self.expect_open(batch, account, month)?;
        let book = self.expect_book(batch, account)?;
        self.stage_in(batch, (account, book), (month, at), entries, ENTRIES_PER_MONTH_MAX)
    }

    /// As [`Journal::stage`], of one entry.
    pub(crate) fn stage_one(
        &self,
        batch: &mut Batch,
        account: AccountId,
        at: UnixSeconds,
        moved: &NewEntry,
    ) -> Result<Entry, BillingError> {
        let staged = self.stage(batch, account, at, std::slice::from_ref(moved))?.pop();
        staged.ok_or(BillingError::Overflow { what: "the number of entries" }) // one for one
    }

    /// An account's book, which `batch` expects to stay as it is: nothing is entered meanwhile.
    pub(crate) fn expect_book(
        &self,
        batch: &mut Batch,
        account: AccountId,
    ) -> Result<Book, BillingError> {
        Ok(self.expect(batch, Key::Book(account))?.unwrap_or_default())
    }

    /// As [`Journal::stage`], into a month that the caller closes, on the book that it expects.
    pub(crate) fn stage_in(
        &self,
        batch: &mut Batch,
        (account, mut book): (AccountId, Book),
        (month, at): (Month, UnixSeconds),
        entries: &[NewEntry],
        count_max: u32,
    ) -> Result<Vec<Entry>, BillingError> {
        let overflow = BillingError::Overflow { what: "what an account owes" };
        let (mut sum, mut staged) = (Some(book.owes_usdc_e6), Vec::with_capacity(entries.len()));
        for (number, moved) in (self.next_number(account, month)?..).zip(entries) {
            if number >= count_max {
                return Err(BillingError::Full { what: "entries", expected: count_max });
            }
            sum = sum.and_then(|sum| sum.checked_add(moved.usdc_e6));
            book.entry_count = book.entry_count.saturating_add(1);
            let entry = Entry { at, month, number, moved: moved.clone() };
            self.put_new(batch, Key::Entry(account, month, number), &entry);
            let hash = reference_hash(moved.kind, &moved.reference);
            self.put_new(batch, Key::Reference(account, hash), &EntryAt { month, number });
            staged.push(entry);
        }
        book.owes_usdc_e6 = sum.ok_or(overflow)?;
        self.put(batch, Key::Book(account), &book);
        Ok(staged)
    }

    fn next_number(&self, account: AccountId, month: Month) -> Result<u32, BillingError> {
        let start = self.encode(Key::Entry(account, month, 0));
        let end = self.encode(Key::Entry(account, month, u32::MAX));
        let last = self.store.scan(Table::Journal, &start, Some(&end), 1, Direction::Falling)?;
        let Some((key, bytes)) = last.first() else { return Ok(0) };
        Ok(row::decode::<Entry>(Table::Journal, key, bytes)?.number.saturating_add(1))
    }

    /// The last month that is closed for an account; `batch` expects that to stay so.
    pub(crate) fn closed(
        &self,
        batch: &mut Batch,
        account: AccountId,
    ) -> Result<Option<Month>, BillingError> {
        self.expect(batch, Key::Closed(account))
    }

    /// Refuses a month that is closed for an account; `batch` holds only while it is open.
    pub(crate) fn expect_open(
        &self,
        batch: &mut Batch,
        account: AccountId,
        month: Month,
    ) -> Result<(), BillingError> {
        match self.closed(batch, account)? {
            Some(closed) if month <= closed => Err(BillingError::Month { month, why: "is closed" }),
            Some(_) | None => Ok(()),
        }
    }

    /// All entries of an account's month: [`ENTRIES_PER_MONTH_MAX`] and those of its closing at most.
    pub(crate) fn of_month(
        &self,
        account: AccountId,
        month: Month,
    ) -> Result<Vec<Entry>, BillingError> {
        let prefix = [&keys::entries(self.environment, account)[..], &month.key()].concat();
        let mut entries = Vec::new();
        self.each(Table::Journal, &prefix, |key, bytes| {
            entries.push(row::decode(Table::Journal, key, bytes)?);
            Ok(())
        })?;
        Ok(entries)
    }

    /// Entries of an account behind one (or from the first), oldest month first.
    pub(crate) fn list(
        &self,
        account: AccountId,
        behind: Option<(Month, u32)>,
        limit: usize,
    ) -> Result<Vec<Entry>, BillingError> {
        let prefix = keys::entries(self.environment, account);
        let start = behind.map_or_else(
            || prefix.clone(),
            |(month, number)| next(&self.encode(Key::Entry(account, month, number))),
        );
        let rows = self.page(Table::Journal, &prefix, &start, limit)?;
        let entries = rows.iter().map(|(key, bytes)| row::decode(Table::Journal, key, bytes));
        Ok(entries.collect::<Result<_, _>>()?)
    }

    /// Adds an account's entries up anew: its book, their numbers and references. Answers how many
    /// there are.
    ///
    /// # Errors
    /// [`BillingError::Journal`] where something is not as it was written.
    pub(crate) fn check(&self, account: AccountId, book: &Book) -> Result<u64, BillingError> {
        let broken = |why| BillingError::Journal { account, why };
        let (mut sum, mut count) = (0_i128, 0_u64);
        let mut expected: Option<(Month, u32)> = None;
        let prefix = keys::entries(self.environment, account);
        self.each(Table::Journal, &prefix, |key, bytes| {
            let entry: Entry = row::decode(Table::Journal, key, bytes)?;
            let (month, number) = (entry.month, entry.number);
            let first = match expected {
                Some((of, next)) if of == month => next,
                Some(_) | None => 0,
            };
            if number != first || self.encode(Key::Entry(account, month, number)) != key {
                return Err(broken("an entry is missing, or has another's number"));
            }
            let hash = reference_hash(entry.moved.kind, &entry.moved.reference);
            let at = self.load::<EntryAt>(Key::Reference(account, hash))?;
            if at.is_none_or(|at| at.value != EntryAt { month, number }) {
                return Err(broken("a reference leads elsewhere"));
            }
            expected = Some((month, number.saturating_add(1)));
            sum += i128::from(entry.moved.usdc_e6);
            count += 1;
            Ok(())
        })?;
        if i128::from(book.owes_usdc_e6) != sum || book.entry_count != count {
            return Err(broken("its book is not the sum of its entries"));
        }
        Ok(count)
    }
}

pub(crate) fn corrupt(table: Table, key: &[u8]) -> BillingError {
    StoreError::Corrupt { table, key: key.to_vec(), why: "not a row of billing" }.into()
}

/// What an entry is found by.
pub(crate) fn reference_hash(kind: EntryKind, reference: &str) -> Hash {
    let bytes = [kind.name().as_bytes(), &[0], reference.as_bytes()].concat();
    Hash(Sha256::digest(bytes).into())
}
