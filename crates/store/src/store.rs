//! What a store promises.

use crate::{Batch, StoreError, Table};

/// A key and its value.
pub type Row = (Vec<u8>, Vec<u8>);

/// Faults that a check lists at most; more are only counted.
pub const FAULTS_MAX: usize = 1_000;

/// The order in which a scan hands rows out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Smallest key first.
    Rising,
    /// Largest key first.
    Falling,
}

/// What a check of every row found.
#[derive(Debug, Default)]
pub struct CheckReport {
    /// Rows read.
    pub row_count: u64,
    /// Faulty rows, listed or not.
    pub fault_count: u64,
    /// The first [`FAULTS_MAX`] faults.
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

/// Ordered tables of rows, written in batches. Calls block: async code wraps them in
/// `spawn_blocking`.
///
/// What every backend promises, and `conformance` checks:
/// - A batch is atomic: all of it is there, or nothing.
/// - It is durable once `commit` has returned `Ok`: it survives the death of the process.
/// - A reader sees whole batches: who has seen one row of a batch finds the others as well.
/// - Commits are in one order. A batch whose expectation fails changes nothing, and of two batches
///   that expect the same row and change it exactly one succeeds.
/// - A scan is one moment of its table, ordered by the bytes of the keys.
/// - A stored row that differs from what was written is an error, never an answer.
pub trait Store: Send + Sync {
    /// The value of a row.
    ///
    /// # Errors
    /// [`StoreError::KeyLength`], [`StoreError::Corrupt`], or that of the engine.
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// Rows with `start <= key`, and `key < end` where an end is given: at most `limit`, fewer only
    /// where there are no more.
    ///
    /// # Errors
    /// As [`Store::get`]; one bad row among those asked for fails the scan.
    fn scan(
        &self,
        table: Table,
        start: &[u8],
        end: Option<&[u8]>,
        limit: usize,
        direction: Direction,
    ) -> Result<Vec<Row>, StoreError>;

    /// Writes the batch, if its expectations hold. An empty batch is a commit as well.
    ///
    /// # Errors
    /// [`StoreError::Conflict`], a bound (`KeyLength`, `ValueLength`, `BatchLength`) or
    /// [`StoreError::Full`]: nothing was written, the store goes on. Any other: it is unknown whether the batch was written, the
    /// handle is dead and answers [`StoreError::Dead`] to every further commit; open again.
    fn commit(&self, batch: Batch) -> Result<(), StoreError>;

    /// Commits since the store was made.
    fn commit_count(&self) -> u64;

    /// Reads every row of every table, in order and by its key, and lists what is faulty. `progress` is called with each table and the
    /// rows read in it so far, at least once for every table.
    ///
    /// # Errors
    /// Only where reading itself fails; a faulty row is listed in the report.
    fn check(&self, progress: &mut dyn FnMut(Table, u64)) -> Result<CheckReport, StoreError>;
}
