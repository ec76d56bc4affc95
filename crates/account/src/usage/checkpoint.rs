//! Usage checkpoints: a root a day over the usage of all accounts ([`superroot_proof::usage`]).
//!
//! A root is fixed before the first transaction and stays, also after late counts for the day.

use std::sync::Arc;

use rand::TryRng;
use rand::rngs::SysRng;
use superroot_proof::usage::{UsageDay, UsageLeaf, UsageRow, path, range_root};
use superroot_store::{ScanOrder, Store, StoreError, Table, WriteBatch};
use superroot_types::{Address, Hash, LeafIndex};
use uuid::Uuid;

use super::checkpoint_rows::{
    CheckpointEvent, LEAVES_PER_ROW, UsageCheckpoint, day_of_checkpoint, decode_checkpoint,
    decode_leaf, decode_leaves, encode_checkpoint, encode_leaf, encode_leaves, leaf_key,
    leaves_key,
};
use super::reader::hourly;
use super::rows::{self, HOUR, SUBJECT_END, UsageSubject};
use crate::calendar::Day;
use crate::meter::UsageSum;
use crate::place::{after, next};
use crate::usage::HourlyRow;
use crate::{AccountError, AccountId, Environment};

/// Rows per read.
const SCAN_ROWS: usize = 1_000;
/// Most hourly rows of an account and day in a proof.
pub const PROOF_ROWS_MAX: usize = 16_384;

/// Usage of an account in a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountUsage {
    pub leaf: UsageLeaf,
    pub index: LeafIndex,
    /// Path to the range root, lowest first.
    pub path: Vec<Hash>,
    pub rows: Result<Vec<HourlyRow>, MissingRows>,
}

/// Reason for missing hourly rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingRows {
    /// More than [`PROOF_ROWS_MAX`].
    TooMany,
    /// Rows removed since, or counted late.
    Changed,
}

impl MissingRows {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TooMany => "too_many",
            Self::Changed => "changed",
        }
    }
}

/// An environment's checkpoints. Blocks.
#[derive(Clone)]
pub struct UsageCheckpoints {
    store: Arc<dyn Store>,
    environment: Environment,
}

/// An account's leaf, with the hash.
struct HashedLeaf {
    account: AccountId,
    leaf: UsageLeaf,
    hash: Hash,
}

impl UsageCheckpoints {
    #[must_use]
    pub const fn new(store: Arc<dyn Store>, environment: Environment) -> Self {
        Self { store, environment }
    }

    /// Checkpoints before a day, newest first.
    pub fn list(
        &self,
        before: Option<Day>,
        limit: usize,
    ) -> Result<Vec<UsageCheckpoint>, AccountError> {
        let start = rows::checkpoints_prefix(self.environment);
        let end = match before {
            Some(day) => Some(rows::checkpoint_key(self.environment, day)),
            None => after(&start),
        };
        let found =
            self.store.scan(Table::Usage, &start, end.as_deref(), limit, ScanOrder::Falling)?;
        found.iter().map(|(key, row)| self.decode(key, row)).collect()
    }

    pub fn newest(&self) -> Result<Option<UsageCheckpoint>, AccountError> {
        Ok(self.list(None, 1)?.pop())
    }

    pub fn of_day(&self, day: Day) -> Result<Option<UsageCheckpoint>, AccountError> {
        let key = rows::checkpoint_key(self.environment, day);
        let row = self.store.get(Table::Usage, &key)?;
        row.map(|row| self.decode(&key, &row)).transpose()
    }

    /// Checkpoint with a sequence at the newest contract.
    pub fn of_sequence(&self, sequence: u64) -> Result<Option<UsageCheckpoint>, AccountError> {
        let Some(newest) = self.newest()? else { return Ok(None) };
        // each day has one sequence, so a contract's are as far apart as their days
        let days = newest.sequence.checked_sub(sequence).and_then(|days| u32::try_from(days).ok());
        let Some(day) = days.and_then(|days| newest.day.days_before(days)) else { return Ok(None) };
        let found = self.of_day(day)?;
        let is_it =
            |one: &UsageCheckpoint| (one.contract, one.sequence) == (newest.contract, sequence);
        Ok(found.filter(is_it))
    }

    fn decode(&self, key: &[u8], row: &[u8]) -> Result<UsageCheckpoint, AccountError> {
        let checkpoint = day_of_checkpoint(key)
            .and_then(|day| decode_checkpoint(self.environment.byte(), day, row));
        checkpoint.ok_or_else(|| rows::corrupt(key, "not a usage checkpoint"))
    }

    /// Fixes the root of a day for a sequence at a contract. A fixed root stays.
    ///
    /// # Errors
    /// [`AccountError`]: nothing is fixed then.
    pub fn fix(
        &self,
        day: Day,
        contract: Address,
        sequence: u64,
    ) -> Result<UsageCheckpoint, AccountError> {
        if let Some(fixed) = self.of_day(day)? {
            return Ok(fixed);
        }
        let mut leaves = self.leaves(day)?;
        leaves.sort_by_key(|leaf| leaf.hash);
        let hashes: Vec<Hash> = leaves.iter().map(|leaf| leaf.hash).collect();
        let usage = UsageDay {
            environment: self.environment.byte(),
            day: day.number(),
            accounts: u64::try_from(hashes.len()).unwrap_or(u64::MAX),
            range_root: range_root(&hashes),
        };
        let checkpoint = UsageCheckpoint { day, contract, sequence, usage, event: None };
        let mut batch = WriteBatch::new();
        for HashedLeaf { account, leaf, .. } in &leaves {
            let key = leaf_key(self.environment, *account, day);
            batch.put(Table::Usage, key, encode_leaf(leaf));
        }
        for (chunk, hashes) in (0..).zip(hashes.chunks(LEAVES_PER_ROW)) {
            let key = leaves_key(self.environment, day, chunk);
            batch.put(Table::Usage, key, encode_leaves(hashes));
        }
        let key = rows::checkpoint_key(self.environment, day);
        batch.expect(Table::Usage, key.clone(), None);
        batch.put(Table::Usage, key, encode_checkpoint(&checkpoint));
        match self.store.commit(batch) {
            Ok(()) => Ok(checkpoint),
            // another process fixed it
            Err(StoreError::Conflict { .. }) => Ok(self.of_day(day)?.unwrap_or(checkpoint)),
            Err(error) => Err(error.into()),
        }
    }

    /// Notes the proven event of a checkpoint.
    pub fn prove(
        &self,
        checkpoint: &UsageCheckpoint,
        event: CheckpointEvent,
    ) -> Result<(), AccountError> {
        let key = rows::checkpoint_key(self.environment, checkpoint.day);
        let proven = UsageCheckpoint { event: Some(event), ..*checkpoint };
        let mut batch = WriteBatch::new();
        batch.put(Table::Usage, key, encode_checkpoint(&proven));
        Ok(self.store.commit(batch)?)
    }

    /// Usage of an account in a checkpoint; `None` without usage on that day.
    pub fn usage(
        &self,
        checkpoint: &UsageCheckpoint,
        account: AccountId,
    ) -> Result<Option<AccountUsage>, AccountError> {
        let day = checkpoint.day;
        let key = leaf_key(self.environment, account, day);
        let Some(row) = self.store.get(Table::Usage, &key)? else { return Ok(None) };
        let corrupt = || rows::corrupt(&key, "not the usage of an account");
        let leaf = decode_leaf(account, day, &row).ok_or_else(corrupt)?;
        let hashes = self.hashes(checkpoint)?;
        let hash = leaf.hash();
        let at = hashes.binary_search(&hash).map_err(|_| corrupt())?;
        let index = LeafIndex(u64::try_from(at).map_err(|_| corrupt())?);
        let rows = match leaf.rows <= u32::try_from(PROOF_ROWS_MAX).unwrap_or(u32::MAX) {
            true => self.rows_of(account, day, &leaf)?,
            false => Err(MissingRows::TooMany),
        };
        Ok(Some(AccountUsage { leaf, index, path: path(&hashes, index), rows }))
    }

    fn rows_of(
        &self,
        account: AccountId,
        day: Day,
        leaf: &UsageLeaf,
    ) -> Result<Result<Vec<HourlyRow>, MissingRows>, AccountError> {
        let mut hashes = Vec::new();
        let mut listed = Vec::new();
        self.each_row(account, day, |key, value, row| {
            hashes.push(row.hash());
            listed.push(hourly(key, value)?);
            Ok(hashes.len() <= PROOF_ROWS_MAX)
        })?;
        let is_same = range_root(&hashes) == leaf.range_root;
        Ok(if is_same { Ok(listed) } else { Err(MissingRows::Changed) })
    }

    /// A day's leaf hashes.
    fn hashes(&self, checkpoint: &UsageCheckpoint) -> Result<Vec<Hash>, AccountError> {
        let mut hashes = Vec::new();
        let mut chunk = 0_u32;
        while u64::try_from(hashes.len()).is_ok_and(|len| len < checkpoint.usage.accounts) {
            let key = leaves_key(self.environment, checkpoint.day, chunk);
            let row = self.store.get(Table::Usage, &key)?;
            let leaves = row.as_deref().and_then(decode_leaves).filter(|leaves| !leaves.is_empty());
            hashes.extend(leaves.ok_or_else(|| rows::corrupt(&key, "not the leaves of a day"))?);
            chunk = chunk.saturating_add(1);
        }
        Ok(hashes)
    }

    /// Leaves of all accounts with usage on a day.
    fn leaves(&self, day: Day) -> Result<Vec<HashedLeaf>, AccountError> {
        let mut leaves = Vec::new();
        let (mut start, end) = rows::accounts_with_days(self.environment);
        loop {
            let found = self.store.scan(Table::Usage, &start, Some(&end), 1, ScanOrder::Rising)?;
            let Some((key, _)) = found.first() else { return Ok(leaves) };
            let subject = key.get(..SUBJECT_END);
            let account = subject.and_then(|subject| subject.get(3..)?.try_into().ok());
            let (Some(subject), Some(account)) = (subject, account) else {
                return Err(rows::corrupt(key, "too short for its kind"));
            };
            leaves.extend(self.leaf(AccountId(Uuid::from_bytes(account)), day)?);
            let Some(after) = after(subject) else { return Ok(leaves) };
            start = after;
        }
    }

    fn leaf(&self, account: AccountId, day: Day) -> Result<Option<HashedLeaf>, AccountError> {
        let mut hashes = Vec::new();
        let mut sum = UsageSum::default();
        self.each_row(account, day, |_, _, row| {
            hashes.push(row.hash());
            sum.requests = sum.requests.saturating_add(row.requests);
            sum.tokens = sum.tokens.saturating_add(row.tokens);
            Ok(true)
        })?;
        if hashes.is_empty() {
            return Ok(None);
        }
        let mut blind = [0; 32];
        SysRng.try_fill_bytes(&mut blind).map_err(|_| AccountError::Randomness)?;
        let leaf = UsageLeaf {
            account: account.0.into_bytes(),
            day: day.number(),
            blind: Hash(blind),
            rows: u32::try_from(hashes.len()).unwrap_or(u32::MAX),
            requests: sum.requests,
            tokens: sum.tokens,
            range_root: range_root(&hashes),
        };
        Ok(Some(HashedLeaf { account, leaf, hash: leaf.hash() }))
    }

    /// Calls back for each hourly row of a day, in order of the keys, until `false`.
    fn each_row(
        &self,
        account: AccountId,
        day: Day,
        mut each: impl FnMut(&[u8], &[u8], UsageRow) -> Result<bool, AccountError>,
    ) -> Result<(), AccountError> {
        let prefix = rows::subject_prefix(HOUR, self.environment, UsageSubject::Account(account));
        let [from, until] = day.hours();
        let mut start = [prefix.as_slice(), &from.to_be_bytes()].concat();
        let end = [prefix.as_slice(), &until.to_be_bytes()].concat();
        loop {
            let found =
                self.store.scan(Table::Usage, &start, Some(&end), SCAN_ROWS, ScanOrder::Rising)?;
            for (key, value) in &found {
                let row = key.get(SUBJECT_END..).and_then(rows::decode_usage_row);
                let row = row.ok_or_else(|| rows::corrupt(key, "not an hour"))?;
                let UsageSum { requests, tokens } = rows::decode_sum(key, value)?;
                if !each(key, value, UsageRow { requests, tokens, ..row })? {
                    return Ok(());
                }
            }
            match found.last() {
                Some((last, _)) if found.len() == SCAN_ROWS => start = next(last),
                _ => return Ok(()),
            }
        }
    }
}
