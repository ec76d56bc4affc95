//! Store interface.

use crate::{StoreError, Table, WriteBatch};

/// Key and value.
pub type Row = (Vec<u8>, Vec<u8>);

/// Most faults in a check's list; further faults are only counted.
pub const FAULTS_MAX: usize = 1_000;

/// Scan order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanOrder {
    /// Smallest key first.
    Rising,
    /// Largest key first.
    Falling,
}

/// Result after checking every row.
#[derive(Debug, Default)]
pub struct CheckReport {
    /// Rows read.
    pub row_count: u64,
    /// Faulty rows, listed or not.
    pub fault_count: u64,
    /// First [`FAULTS_MAX`] faults.
    pub faults: Vec<StoreError>,
}

impl CheckReport {
    pub(crate) fn add(&mut self, fault: StoreError) {
        self.fault_count = self.fault_count.saturating_add(1);
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(fault);
        }
    }
}

/// Ordered tables, written in batches. Calls block: async code wraps them in `spawn_blocking`.
///
/// Guarantees for every backend, checked by `conformance`:
/// - Atomicity: a batch is written completely or not at all.
/// - Durability: after `commit` returns `Ok`, the batch survives a process crash.
/// - Visibility: a reader who has seen one row from a batch finds all its other rows.
/// - Serial commits: a failed expectation changes nothing; if two batches expect and change the same row, exactly one
///   succeeds.
/// - Snapshot scans: a scan is one moment in its table, ordered by key bytes.
/// - Integrity: an altered row is an error, never an answer.
pub trait Store: Send + Sync {
    /// Returns a row's value.
    ///
    /// # Errors
    /// [`StoreError::KeyLength`], [`StoreError::Corrupt`], or an engine error.
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// Returns the rows with `start <= key`, and `key < end` if an end is given: at most `limit`, fewer only if no more
    /// exist.
    ///
    /// # Errors
    /// As [`Store::get`]; one bad row in the range fails the scan.
    fn scan(
        &self,
        table: Table,
        start: &[u8],
        end: Option<&[u8]>,
        limit: usize,
        direction: ScanOrder,
    ) -> Result<Vec<Row>, StoreError>;

    /// Writes the batch if its expectations are met. An empty batch is also a commit.
    ///
    /// # Errors
    /// [`StoreError::Conflict`], a bound (`KeyLength`, `ValueLength`, `BatchLength`) or [`StoreError::Full`]: nothing
    /// was written, the store goes on. Any other error: the outcome is unknown, the handle is dead and every further
    /// commit returns [`StoreError::Dead`]; open the store again.
    fn commit(&self, batch: WriteBatch) -> Result<(), StoreError>;

    /// Commits since the store was created.
    fn commit_count(&self) -> u64;

    /// Reads every row in every table, in order and by key, and lists the faults. Calls `progress` with each table and
    /// its rows read to date, at least once per table.
    ///
    /// # Errors
    /// Only read failures; faulty rows are listed in the report.
    fn check(&self, progress: &mut dyn FnMut(Table, u64)) -> Result<CheckReport, StoreError>;
}
