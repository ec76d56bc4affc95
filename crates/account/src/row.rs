//! Rows of accounts and of billing: a version byte and JSON, and how they are changed together.

use serde::Serialize;
use serde::de::DeserializeOwned;
use superroot_store::{Batch, Store, StoreError, Table};

/// The version that is written, and the only one that is read.
const VERSION: u8 = 1;

/// How often a change is tried when others change the same rows.
pub const ATTEMPTS_MAX: u32 = 64;

/// A row as it stands: its value, and its bytes to expect when it is changed.
#[derive(Clone, Debug)]
pub struct Held<T> {
    /// What it says.
    pub value: T,
    /// As it is stored.
    pub bytes: Vec<u8>,
}

/// Other writers were faster, each time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a row of table {table} changed during each of {attempts} attempts to write it")]
pub struct Contended {
    /// Table of the row.
    pub table: Table,
    /// Attempts made.
    pub attempts: u32,
}

/// `version:u8 ‖ JSON`.
///
/// # Panics
/// For a value that has no JSON, which no row has.
pub fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = vec![VERSION];
    serde_json::to_writer(&mut bytes, value).expect("rows have text keys and write to memory");
    bytes
}

/// The value of a row.
///
/// # Errors
/// [`StoreError::Corrupt`] for another version, or what is not exactly such a row.
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

/// The row, if it is there.
///
/// # Errors
/// As [`Store::get`] and [`decode`].
pub fn load<T: DeserializeOwned>(
    store: &dyn Store,
    table: Table,
    key: &[u8],
) -> Result<Option<Held<T>>, StoreError> {
    let Some(bytes) = store.get(table, key)? else { return Ok(None) };
    Ok(Some(Held { value: decode(table, key, &bytes)?, bytes }))
}

/// Puts a row into `batch` that holds only where the row is still as it was read.
pub fn replace<T: Serialize>(
    batch: &mut Batch,
    table: Table,
    key: Vec<u8>,
    held: Option<&[u8]>,
    value: &T,
) {
    batch.expect(table, key.clone(), held);
    batch.put(table, key, encode(value));
}

/// Commits what `build` makes of the rows as they stand, and builds anew where others were first.
/// `table` is the one that an error names. Nothing to write is no commit.
///
/// # Errors
/// Whatever `build` returns; [`Contended`] after [`ATTEMPTS_MAX`] conflicts; that of the store
/// otherwise.
pub fn commit<T, E: From<StoreError> + From<Contended>>(
    store: &dyn Store,
    table: Table,
    mut build: impl FnMut() -> Result<(Batch, T), E>,
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
                let mut batch = Batch::new();
                batch.expect(Table::Meta, b"k", before.as_deref()).put(Table::Meta, b"k", b"mine");
                if built < until {
                    let mut other = Batch::new();
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
