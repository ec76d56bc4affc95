//! Rows of accounts and billing: a version byte and JSON, with optimistic commits.

use serde::Serialize;
use serde::de::DeserializeOwned;
use superroot_store::{Store, StoreError, Table, WriteBatch};

/// Only version written and read.
const VERSION: u8 = 1;

/// Most attempts of a change under contention.
pub const ATTEMPTS_MAX: u32 = 64;

/// Current row: value, and bytes to expect in a change.
#[derive(Clone, Debug)]
pub struct RowSnapshot<T> {
    pub value: T,
    pub bytes: Vec<u8>,
}

/// Every attempt lost to another writer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a row of table {table} changed during each of {attempts} attempts to write it")]
pub struct Contended {
    pub table: Table,
    pub attempts: u32,
}

/// `version:u8 ‖ JSON`.
///
/// # Panics
/// For a value without JSON, which no row has.
pub fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = vec![VERSION];
    serde_json::to_writer(&mut bytes, value).expect("rows have text keys and write to memory");
    bytes
}

/// Decodes a row.
///
/// # Errors
/// [`StoreError::Corrupt`] for another version, or bytes that are not exactly such a row.
pub fn decode<T: DeserializeOwned>(
    table: Table,
    key: &[u8],
    bytes: &[u8],
) -> Result<T, StoreError> {
    let corrupt = |why| StoreError::Corrupt { table, key: key.to_vec(), why };
    match bytes.split_first() {
        Some((&VERSION, json)) => {
            serde_json::from_slice(json).map_err(|_| corrupt("not a row of its version"))
        }
        _ => Err(corrupt("a row of another version")),
    }
}

/// Loads a row, if present.
pub fn load<T: DeserializeOwned>(
    store: &dyn Store,
    table: Table,
    key: &[u8],
) -> Result<Option<RowSnapshot<T>>, StoreError> {
    let Some(bytes) = store.get(table, key)? else { return Ok(None) };
    Ok(Some(RowSnapshot { value: decode(table, key, &bytes)?, bytes }))
}

/// Puts a row into `batch`, which fails if the row has changed since reading.
pub fn replace<T: Serialize>(
    batch: &mut WriteBatch,
    table: Table,
    key: Vec<u8>,
    held: Option<&[u8]>,
    value: &T,
) {
    batch.expect(table, key.clone(), held);
    batch.put(table, key, encode(value));
}

/// Commits the batch that `build` makes of the current rows, and rebuilds after a conflict. Errors name `table`. An
/// empty batch is not committed.
///
/// # Errors
/// Errors of `build`; [`Contended`] after [`ATTEMPTS_MAX`] conflicts; otherwise the store's error.
pub fn commit<T, E: From<StoreError> + From<Contended>>(
    store: &dyn Store,
    table: Table,
    mut build: impl FnMut() -> Result<(WriteBatch, T), E>,
) -> Result<T, E> {
    for _ in 0..ATTEMPTS_MAX {
        let (batch, answer) = build()?;
        if batch.is_empty() {
            return Ok(answer);
        }
        match store.commit(batch) {
            Ok(()) => return Ok(answer),
            Err(StoreError::Conflict { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Contended { table, attempts: ATTEMPTS_MAX }.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AccountError;
    use superroot_store::MemoryStore;

    #[test]
    fn a_row_of_another_version_or_with_unknown_members_is_corrupt() {
        #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Row {
            a: u8,
        }
        let bytes = encode(&Row { a: 7 });
        assert_eq!(decode::<Row>(Table::Meta, b"k", &bytes).unwrap(), Row { a: 7 });
        for bad in [&b""[..], b"\x02{\"a\":7}", b"\x01{\"a\":7,\"b\":1}", b"\x01{\"a\":7}x"] {
            let error = decode::<Row>(Table::Meta, b"k", bad).unwrap_err();
            assert!(matches!(error, StoreError::Corrupt { .. }), "{bad:?}");
        }
    }

    #[test]
    fn a_change_that_others_forestall_is_built_anew_and_given_up_in_the_end() {
        let store = MemoryStore::new();
        let mut built = 0_usize;
        let mut disturb = |until: usize| {
            built = 0;
            commit::<_, AccountError>(&store, Table::Meta, || {
                built += 1;
                let before = store.get(Table::Meta, b"k")?;
                let mut batch = WriteBatch::new();
                batch.expect(Table::Meta, b"k", before.as_deref()).put(Table::Meta, b"k", b"mine");
                if built < until {
                    let mut other = WriteBatch::new();
                    other.put(Table::Meta, b"k", built.to_be_bytes());
                    store.commit(other)?;
                }
                Ok((batch, built))
            })
        };
        assert_eq!(disturb(3).unwrap(), 3);
        assert!(matches!(disturb(usize::MAX), Err(AccountError::Contended(_))));
        assert_ne!(store.get(Table::Meta, b"k").unwrap().unwrap(), b"mine");
    }
}
