//! Journal in the store: movements of money by account and month.
//!
//! Invariants: entries never change; a kind and reference occur once per account; a closed month gets no further entry;
//! a balance is the sum of its account's entries. Commits of one account are serialised by its balance row, and do not
//! block other accounts.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use superroot_account::row::{self, RowSnapshot};
use superroot_account::{AccountId, Environment, Month, after, next};
use superroot_store::{Row, ScanOrder, Store, StoreError, Table, WriteBatch};
use superroot_types::{Hash, UnixSeconds};

use crate::entry::{EntryKind, JournalEntry, NewEntry};
use crate::error::BillingError;
use crate::keys::{self, BillingKey};

/// Most entries per account and month: each is an invoice line.
pub const ENTRIES_PER_MONTH_MAX: u32 = 5_000;

/// Rows per read.
pub(crate) const PAGE: usize = 1_000;

/// Sum of an account's entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccountBalance {
    /// Account's debt; negative if the service owes.
    pub owes_usdc_e6: i64,
    pub entry_count: u64,
}

/// An entry's position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryAt {
    month: Month,
    number: u32,
}

/// Journal rows of one environment.
#[derive(Clone, Copy)]
pub(crate) struct BillingJournal<'a> {
    pub(crate) store: &'a dyn Store,
    pub(crate) environment: Environment,
}

impl BillingJournal<'_> {
    pub(crate) fn encode(&self, key: BillingKey) -> Vec<u8> {
        key.encode(self.environment)
    }

    pub(crate) fn load<T: DeserializeOwned>(
        &self,
        key: BillingKey,
    ) -> Result<Option<RowSnapshot<T>>, BillingError> {
        Ok(row::load(self.store, key.table(), &self.encode(key))?)
    }

    /// Reads a row; `batch` expects the row to stay unchanged.
    pub(crate) fn expect<T: DeserializeOwned>(
        &self,
        batch: &mut WriteBatch,
        key: BillingKey,
    ) -> Result<Option<T>, BillingError> {
        let held = self.load(key)?;
        let bytes = held.as_ref().map(|held| &held.bytes[..]);
        batch.expect(key.table(), self.encode(key), bytes);
        Ok(held.map(|held| held.value))
    }

    /// Puts a row without an expectation.
    pub(crate) fn put<T: Serialize>(&self, batch: &mut WriteBatch, key: BillingKey, value: &T) {
        batch.put(key.table(), self.encode(key), row::encode(value));
    }

    /// Puts a row that must not exist yet.
    pub(crate) fn put_new<T: Serialize>(&self, batch: &mut WriteBatch, key: BillingKey, value: &T) {
        row::replace(batch, key.table(), self.encode(key), None, value);
    }

    /// Reads a page of rows under `prefix`, from `start` on.
    pub(crate) fn page(
        &self,
        table: Table,
        prefix: &[u8],
        start: &[u8],
        limit: usize,
    ) -> Result<Vec<Row>, BillingError> {
        let end = after(prefix);
        Ok(self.store.scan(table, start, end.as_deref(), limit.min(PAGE), ScanOrder::Rising)?)
    }

    /// Calls `each` with key and row under `prefix`, a page at a time.
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

    pub(crate) fn book(&self, account: AccountId) -> Result<AccountBalance, BillingError> {
        Ok(self.load(BillingKey::Book(account))?.map(|held| held.value).unwrap_or_default())
    }

    /// Finds an entry by kind and reference; `batch` expects the result to stay unchanged.
    pub(crate) fn find(
        &self,
        batch: &mut WriteBatch,
        account: AccountId,
        kind: EntryKind,
        reference: &str,
    ) -> Result<Option<JournalEntry>, BillingError> {
        let key = BillingKey::Reference(account, reference_hash(kind, reference));
        let Some(EntryAt { month, number }) = self.expect(batch, key)? else { return Ok(None) };
        let entry = self.load(BillingKey::Entry(account, month, number))?;
        let missing = || BillingError::Journal { account, why: "an entry is missing" };
        Ok(Some(entry.ok_or_else(missing)?.value))
    }

    /// Puts entries of an account into `batch`, in the month of `at`. Once per batch and account.
    ///
    /// # Errors
    /// [`BillingError::Month`] if the month is closed; [`BillingError::Full`], [`BillingError::Overflow`],
    /// [`BillingError::Store`].
    pub(crate) fn stage(
        &self,
        batch: &mut WriteBatch,
        account: AccountId,
        at: UnixSeconds,
        entries: &[NewEntry],
    ) -> Result<Vec<JournalEntry>, BillingError> {
        let month = Month::of(at)?;
        self.expect_open(batch, account, month)?;
        let book = self.expect_book(batch, account)?;
        self.stage_in(batch, (account, book), (month, at), entries, ENTRIES_PER_MONTH_MAX)
    }

    /// Like [`BillingJournal::stage`], for one entry.
    pub(crate) fn stage_one(
        &self,
        batch: &mut WriteBatch,
        account: AccountId,
        at: UnixSeconds,
        moved: &NewEntry,
    ) -> Result<JournalEntry, BillingError> {
        let staged = self.stage(batch, account, at, std::slice::from_ref(moved))?.pop();
        staged.ok_or(BillingError::Overflow { what: "the number of entries" }) // one for one
    }

    /// Reads a balance; `batch` expects the balance to stay unchanged, so no entry comes between.
    pub(crate) fn expect_book(
        &self,
        batch: &mut WriteBatch,
        account: AccountId,
    ) -> Result<AccountBalance, BillingError> {
        Ok(self.expect(batch, BillingKey::Book(account))?.unwrap_or_default())
    }

    /// Like [`BillingJournal::stage`], for a month under closing, on the expected balance.
    pub(crate) fn stage_in(
        &self,
        batch: &mut WriteBatch,
        (account, mut book): (AccountId, AccountBalance),
        (month, at): (Month, UnixSeconds),
        entries: &[NewEntry],
        count_max: u32,
    ) -> Result<Vec<JournalEntry>, BillingError> {
        let overflow = BillingError::Overflow { what: "what an account owes" };
        let mut sum = Some(book.owes_usdc_e6);
        let mut staged = Vec::with_capacity(entries.len());
        for (number, moved) in (self.next_number(account, month)?..).zip(entries) {
            if number >= count_max {
                return Err(BillingError::Full { what: "entries", expected: count_max });
            }
            sum = sum.and_then(|sum| sum.checked_add(moved.usdc_e6));
            book.entry_count = book.entry_count.saturating_add(1);
            let entry = JournalEntry { at, month, number, moved: moved.clone() };
            self.put_new(batch, BillingKey::Entry(account, month, number), &entry);
            let hash = reference_hash(moved.kind, &moved.reference);
            self.put_new(batch, BillingKey::Reference(account, hash), &EntryAt { month, number });
            staged.push(entry);
        }
        book.owes_usdc_e6 = sum.ok_or(overflow)?;
        self.put(batch, BillingKey::Book(account), &book);
        Ok(staged)
    }

    fn next_number(&self, account: AccountId, month: Month) -> Result<u32, BillingError> {
        let start = self.encode(BillingKey::Entry(account, month, 0));
        let end = self.encode(BillingKey::Entry(account, month, u32::MAX));
        let last = self.store.scan(Table::Journal, &start, Some(&end), 1, ScanOrder::Falling)?;
        let Some((key, bytes)) = last.first() else { return Ok(0) };
        Ok(row::decode::<JournalEntry>(Table::Journal, key, bytes)?.number.saturating_add(1))
    }

    /// Last closed month of an account; `batch` expects the month to stay unchanged.
    pub(crate) fn closed(
        &self,
        batch: &mut WriteBatch,
        account: AccountId,
    ) -> Result<Option<Month>, BillingError> {
        self.expect(batch, BillingKey::Closed(account))
    }

    /// Refuses a closed month; `batch` fails if the month closes meanwhile.
    pub(crate) fn expect_open(
        &self,
        batch: &mut WriteBatch,
        account: AccountId,
        month: Month,
    ) -> Result<(), BillingError> {
        match self.closed(batch, account)? {
            Some(closed) if month <= closed => Err(BillingError::Month { month, why: "is closed" }),
            Some(_) | None => Ok(()),
        }
    }

    /// All entries of an account's month: at most [`ENTRIES_PER_MONTH_MAX`] and the closing entries.
    pub(crate) fn of_month(
        &self,
        account: AccountId,
        month: Month,
    ) -> Result<Vec<JournalEntry>, BillingError> {
        let prefix = [&keys::entries(self.environment, account)[..], &month.key()].concat();
        let mut entries = Vec::new();
        self.each(Table::Journal, &prefix, |key, bytes| {
            entries.push(row::decode(Table::Journal, key, bytes)?);
            Ok(())
        })?;
        Ok(entries)
    }

    /// Entries of an account after one (or from the first), oldest month first.
    pub(crate) fn list(
        &self,
        account: AccountId,
        behind: Option<(Month, u32)>,
        limit: usize,
    ) -> Result<Vec<JournalEntry>, BillingError> {
        let prefix = keys::entries(self.environment, account);
        let start = behind.map_or_else(
            || prefix.clone(),
            |(month, number)| next(&self.encode(BillingKey::Entry(account, month, number))),
        );
        let rows = self.page(Table::Journal, &prefix, &start, limit)?;
        let entries = rows.iter().map(|(key, bytes)| row::decode(Table::Journal, key, bytes));
        Ok(entries.collect::<Result<_, _>>()?)
    }

    /// Recomputes an account's balance, entry numbers and references. Returns the number of entries.
    ///
    /// # Errors
    /// [`BillingError::Journal`] for altered rows.
    pub(crate) fn check(
        &self,
        account: AccountId,
        book: &AccountBalance,
    ) -> Result<u64, BillingError> {
        let broken = |why| BillingError::Journal { account, why };
        let mut sum = 0_i128;
        let mut count = 0_u64;
        let mut expected: Option<(Month, u32)> = None;
        let prefix = keys::entries(self.environment, account);
        self.each(Table::Journal, &prefix, |key, bytes| {
            let entry: JournalEntry = row::decode(Table::Journal, key, bytes)?;
            let month = entry.month;
            let number = entry.number;
            let first = match expected {
                Some((of, next)) if of == month => next,
                Some(_) | None => 0,
            };
            if number != first || self.encode(BillingKey::Entry(account, month, number)) != key {
                return Err(broken("an entry is missing, or has another's number"));
            }
            let hash = reference_hash(entry.moved.kind, &entry.moved.reference);
            let at = self.load::<EntryAt>(BillingKey::Reference(account, hash))?;
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

/// An entry's lookup hash.
pub(crate) fn reference_hash(kind: EntryKind, reference: &str) -> Hash {
    let bytes = [kind.name().as_bytes(), &[0], reference.as_bytes()].concat();
    Hash(Sha256::digest(bytes).into())
}
