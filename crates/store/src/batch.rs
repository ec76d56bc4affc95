//! Write batches: atomic writes and the expectations they depend on.

use std::collections::BTreeMap;

use superroot_proof::hash::RunningSha256;
use superroot_types::Hash;

use crate::{StoreError, Table};

/// Longest key, in bytes.
pub const KEY_BYTES_MAX: usize = 256;

/// Longest value, in bytes.
pub const VALUE_BYTES_MAX: usize = 64 << 20;

/// Largest batch, in bytes: keys and values.
pub const BATCH_BYTES_MAX: usize = 512 << 20;

type Place = (Table, Vec<u8>);

/// Atomic writes: all become visible and durable together, or none.
///
/// The last write to a key counts. Expectations refer to the store before the batch; the last one for a key counts.
///
/// ```
/// use superroot_store::{WriteBatch, MemoryStore, Store, StoreError, Table};
/// let store = MemoryStore::new();
/// let mut batch = WriteBatch::new();
/// batch.expect(Table::Meta, b"leader", None).put(Table::Meta, b"leader", b"a");
/// store.commit(batch.clone())?;
/// assert!(matches!(store.commit(batch), Err(StoreError::Conflict { .. })));
/// # Ok::<(), StoreError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteBatch {
    writes: BTreeMap<Place, Option<Vec<u8>>>,
    expectations: BTreeMap<Place, Option<Vec<u8>>>,
}

impl WriteBatch {
    /// Empty batch.
    #[must_use]
    pub const fn new() -> Self {
        Self { writes: BTreeMap::new(), expectations: BTreeMap::new() }
    }

    /// Sets the row to `value`.
    pub fn put(
        &mut self,
        table: Table,
        key: impl Into<Vec<u8>>,
        value: impl Into<Vec<u8>>,
    ) -> &mut Self {
        self.writes.insert((table, key.into()), Some(value.into()));
        self
    }

    /// Removes the row; a missing row is no error.
    pub fn delete(&mut self, table: Table, key: impl Into<Vec<u8>>) -> &mut Self {
        self.writes.insert((table, key.into()), None);
        self
    }

    /// Compare and swap: the commit requires the row to store exactly `value` (`None`: no row).
    pub fn expect(
        &mut self,
        table: Table,
        key: impl Into<Vec<u8>>,
        value: Option<&[u8]>,
    ) -> &mut Self {
        self.expectations.insert((table, key.into()), value.map(<[u8]>::to_vec));
        self
    }

    /// Whether the batch has neither writes nor expectations.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty() && self.expectations.is_empty()
    }

    /// Pending write for a row: `None` if the batch leaves the row alone, `Some(None)` if the batch removes the row.
    #[must_use]
    pub fn written(&self, table: Table, key: &[u8]) -> Option<Option<&[u8]>> {
        self.writes.get(&(table, key.to_vec())).map(Option::as_deref)
    }

    /// Writes by table and key; no value means removal.
    pub(crate) fn writes(&self) -> impl Iterator<Item = (Table, &[u8], Option<&[u8]>)> {
        self.writes.iter().map(|((table, key), value)| (*table, key.as_slice(), value.as_deref()))
    }

    /// Refuses a batch with a key, value or total past its bound. Every backend checks this first.
    ///
    /// # Errors
    /// [`StoreError::KeyLength`], [`StoreError::ValueLength`], [`StoreError::BatchLength`].
    pub(crate) fn check_bounds(&self) -> Result<(), StoreError> {
        let mut total = 0_usize;
        for ((table, key), value) in self.writes.iter().chain(&self.expectations) {
            check_key(*table, key)?;
            let got = value.as_ref().map_or(0, Vec::len);
            if got > VALUE_BYTES_MAX {
                let expected = VALUE_BYTES_MAX;
                return Err(StoreError::ValueLength { table: *table, got, expected });
            }
            total = total.saturating_add(key.len()).saturating_add(got);
        }
        if total > BATCH_BYTES_MAX {
            return Err(StoreError::BatchLength { got: total, expected: BATCH_BYTES_MAX });
        }
        Ok(())
    }

    /// Refuses a batch whose expectations differ from the rows that `load` finds.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] for the first difference; any error from `load`.
    pub(crate) fn check_expectations<V: AsRef<[u8]>>(
        &self,
        load: impl Fn(Table, &[u8]) -> Result<Option<V>, StoreError>,
    ) -> Result<(), StoreError> {
        for ((table, key), expected) in &self.expectations {
            let got = load(*table, key)?;
            if got.as_ref().map(AsRef::as_ref) != expected.as_deref() {
                return Err(StoreError::Conflict { table: *table });
            }
        }
        Ok(())
    }

    /// Running digest after this batch: SHA-256 over the previous digest and every length-prefixed write, so that no
    /// two batches share their bytes.
    pub(crate) fn digest(&self, previous: &Hash) -> Hash {
        let mut digest = RunningSha256::default();
        digest.add(&previous.0);
        for (table, key, value) in self.writes() {
            digest.add(&write_head((table, key, value))).add(key).add(value.unwrap_or_default());
        }
        digest.finish()
    }
}

/// `table:u8 ‖ put:u8 ‖ key_length:u16 ‖ value_length:u32`; both lengths are within their bounds.
fn write_head((table, key, value): (Table, &[u8], Option<&[u8]>)) -> [u8; 8] {
    let key_length = u16::try_from(key.len()).unwrap_or(u16::MAX).to_be_bytes();
    let value_length = u32::try_from(value.map_or(0, <[u8]>::len)).unwrap_or(u32::MAX);
    let [a, b, c, d] = value_length.to_be_bytes();
    [table.byte(), u8::from(value.is_some()), key_length[0], key_length[1], a, b, c, d]
}

/// Refuses a key past its bound.
pub(crate) fn check_key(table: Table, key: &[u8]) -> Result<(), StoreError> {
    if key.len() > KEY_BYTES_MAX {
        return Err(StoreError::KeyLength { table, got: key.len(), expected: KEY_BYTES_MAX });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest_of(fill: impl Fn(&mut WriteBatch)) -> Hash {
        let mut batch = WriteBatch::new();
        fill(&mut batch);
        batch.digest(&Hash::ZERO)
    }

    #[test]
    fn the_last_write_to_a_key_counts() {
        let mut batch = WriteBatch::new();
        batch.put(Table::Meta, b"k", b"1").delete(Table::Meta, b"k").put(Table::Meta, b"k", b"2");
        assert_eq!(batch.writes().collect::<Vec<_>>(), [(Table::Meta, &b"k"[..], Some(&b"2"[..]))]);
        assert_eq!(batch.written(Table::Meta, b"k"), Some(Some(&b"2"[..])));
        assert_eq!(batch.written(Table::Meta, b"l"), None);
        assert_eq!(batch.delete(Table::Meta, b"k").written(Table::Meta, b"k"), Some(None));
    }

    #[test]
    fn the_digest_binds_table_key_value_kind_and_past() {
        let digests = [
            digest_of(|_| {}),
            digest_of(|batch| _ = batch.put(Table::Meta, b"ab", b"c")),
            digest_of(|batch| _ = batch.put(Table::Meta, b"a", b"bc")),
            digest_of(|batch| _ = batch.put(Table::Block, b"ab", b"c")),
            digest_of(|batch| _ = batch.put(Table::Meta, b"ab", b"")),
            digest_of(|batch| _ = batch.delete(Table::Meta, b"ab")),
            digest_of(|batch| _ = batch.put(Table::Meta, b"a", b"").put(Table::Meta, b"b", b"c")),
            WriteBatch::new().digest(&Hash([1; 32])),
        ];
        let distinct: std::collections::BTreeSet<_> = digests.iter().collect();
        assert_eq!(distinct.len(), digests.len());
    }

    #[test]
    fn expectations_are_outside_the_digest() {
        let bare = digest_of(|batch| _ = batch.put(Table::Meta, b"k", b"v"));
        let careful = digest_of(|batch| {
            batch.expect(Table::Meta, b"k", None).put(Table::Meta, b"k", b"v");
        });
        assert_eq!(bare, careful);
    }

    #[test]
    fn bounds_are_exact() {
        let mut batch = WriteBatch::new();
        batch.put(Table::Meta, vec![0; KEY_BYTES_MAX], vec![0; VALUE_BYTES_MAX]);
        assert!(batch.check_bounds().is_ok());
        let mut long_key = WriteBatch::new();
        long_key.delete(Table::Meta, vec![0; KEY_BYTES_MAX + 1]);
        assert!(matches!(
            long_key.check_bounds(),
            Err(StoreError::KeyLength { got: 257, expected: 256, .. })
        ));
        let mut long_value = WriteBatch::new();
        long_value.put(Table::Meta, b"k", vec![0; VALUE_BYTES_MAX + 1]);
        assert!(matches!(long_value.check_bounds(), Err(StoreError::ValueLength { .. })));
        for key in 0..8_u8 {
            batch.put(Table::Body, [key], vec![0; VALUE_BYTES_MAX]);
        }
        assert!(matches!(batch.check_bounds(), Err(StoreError::BatchLength { .. })));
    }
}
