//! Location of a tested store, and access that panics.

use std::sync::Arc;

use crate::{Row, ScanOrder, Store, Table, WriteBatch};

/// Location for one store.
pub trait Home: Sync {
    /// Opens the store at this location; again only after every handle was dropped.
    fn open(&self) -> Arc<dyn Store>;
}

/// Commits one batch; panics on failure.
pub(super) fn commit(store: &dyn Store, fill: impl FnOnce(&mut WriteBatch)) {
    let mut batch = WriteBatch::new();
    fill(&mut batch);
    store.commit(batch).expect("a commit without conflict succeeds");
}

pub(super) fn get(store: &dyn Store, table: Table, key: &[u8]) -> Option<Vec<u8>> {
    store.get(table, key).expect("a sound row is read")
}

pub(super) fn all(store: &dyn Store, table: Table) -> Vec<Row> {
    store.scan(table, b"", None, usize::MAX, ScanOrder::Rising).expect("a sound table is read")
}
