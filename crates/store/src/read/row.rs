//! Decoded rows.

use superroot_types::Hash;

use crate::layout::StoredRow;
use crate::{Store, StoreError, Table};

pub(super) fn load<R: StoredRow>(
    store: &dyn Store,
    table: Table,
    key: &[u8],
) -> Result<Option<R>, StoreError> {
    store.get(table, key)?.map(|bytes| R::decode(key, &bytes)).transpose()
}

pub(super) fn load_number(
    store: &dyn Store,
    table: Table,
    key: &[u8],
) -> Result<Option<u64>, StoreError> {
    let bytes = store.get(table, key)?;
    bytes.map(|bytes| array(table, key, &bytes).map(u64::from_be_bytes)).transpose()
}

pub(super) fn load_node(
    store: &dyn Store,
    table: Table,
    key: &[u8],
) -> Result<Option<Hash>, StoreError> {
    let bytes = store.get(table, key)?;
    bytes.map(|bytes| array(table, key, &bytes).map(Hash)).transpose()
}

pub(super) fn array<const N: usize>(
    table: Table,
    key: &[u8],
    bytes: &[u8],
) -> Result<[u8; N], StoreError> {
    bytes.try_into().map_err(|_| StoreError::corrupt(table, key, "another length than its kind"))
}
