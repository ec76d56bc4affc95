//! For tests: a store into which somebody else writes between two reads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use superroot_store::{Batch, CheckReport, Direction, MemoryStore, Row, Store, StoreError, Table};

/// Lets `between` act after each read, with the number of the read, from 1. What it writes goes to
/// the store beneath, past this one.
pub(crate) struct Interrupted<F> {
    store: Arc<MemoryStore>,
    reads: AtomicU32,
    between: F,
}

impl<F: Fn(u32) + Send + Sync> Interrupted<F> {
    pub(crate) fn new(store: Arc<MemoryStore>, between: F) -> Self {
        Self { store, reads: AtomicU32::new(0), between }
    }

    fn after<T>(&self, read: T) -> T {
        (self.between)(self.reads.fetch_add(1, Ordering::SeqCst) + 1);
        read
    }
}

impl<F: Fn(u32) + Send + Sync> Store for Interrupted<F> {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.after(self.store.get(table, key))
    }

    fn scan(
        &self,
        table: Table,
        start: &[u8],
        end: Option<&[u8]>,
        limit: usize,
        direction: Direction,
    ) -> Result<Vec<Row>, StoreError> {
        self.after(self.store.scan(table, start, end, limit, direction))
    }

    fn commit(&self, batch: Batch) -> Result<(), StoreError> {
        self.store.commit(batch)
    }

    fn commit_count(&self) -> u64 {
        self.store.commit_count()
    }

    fn check(&self, progress: &mut dyn FnMut(Table, u64)) -> Result<CheckReport, StoreError> {
        self.store.check(progress)
    }
}
