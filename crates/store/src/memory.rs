//! In-memory store, for tests and as the reference model for other backends.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::batch::check_key;
use crate::{CheckReport, Row, ScanOrder, Store, StoreError, Table, WriteBatch};

type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

/// All tables and the commit count.
#[derive(Debug)]
struct Tables {
    rows: [Rows; Table::ALL.len()],
    commit_count: u64,
}

impl Default for Tables {
    fn default() -> Self {
        Self { rows: std::array::from_fn(|_| Rows::new()), commit_count: Default::default() }
    }
}

/// [`Store`] in memory, lost when dropped.
#[derive(Debug, Default)]
pub struct MemoryStore {
    tables: RwLock<Tables>,
}

impl MemoryStore {
    /// Empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Read guard. No thread can leave the tables half written, so a poisoned lock is harmless.
    fn read(&self) -> RwLockReadGuard<'_, Tables> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Tables> {
        self.tables.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        check_key(table, key)?;
        Ok(self.read().rows[table.index()].get(key).cloned())
    }

    fn scan(
        &self,
        table: Table,
        start: &[u8],
        end: Option<&[u8]>,
        limit: usize,
        direction: ScanOrder,
    ) -> Result<Vec<Row>, StoreError> {
        if end.is_some_and(|end| end <= start) {
            return Ok(Vec::new());
        }
        let end = end.map_or(Bound::Unbounded, Bound::Excluded);
        let tables = self.read();
        let rows = tables.rows[table.index()].range::<[u8], _>((Bound::Included(start), end));
        let owned = |(key, value): (&Vec<u8>, &Vec<u8>)| (key.clone(), value.clone());
        Ok(match direction {
            ScanOrder::Rising => rows.take(limit).map(owned).collect(),
            ScanOrder::Falling => rows.rev().take(limit).map(owned).collect(),
        })
    }

    fn commit(&self, batch: WriteBatch) -> Result<(), StoreError> {
        batch.check_bounds()?;
        let mut tables = self.write();
        batch.check_expectations(|table, key| Ok(tables.rows[table.index()].get(key)))?;
        for (table, key, value) in batch.writes() {
            let rows = &mut tables.rows[table.index()];
            match value {
                Some(value) => _ = rows.insert(key.to_vec(), value.to_vec()),
                None => _ = rows.remove(key),
            }
        }
        tables.commit_count += 1;
        Ok(())
    }

    fn commit_count(&self) -> u64 {
        self.read().commit_count
    }

    fn check(&self, progress: &mut dyn FnMut(Table, u64)) -> Result<CheckReport, StoreError> {
        let row_counts = self.read().rows.each_ref().map(|rows| rows.len() as u64);
        let mut report = CheckReport::default();
        for (table, row_count) in Table::ALL.into_iter().zip(row_counts) {
            report.row_count += row_count;
            progress(table, row_count);
        }
        Ok(report)
    }
}
