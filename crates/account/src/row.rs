//! Rows of this crate: a version byte and JSON, and how they are changed together.

use serde::Serialize;
use serde::de::DeserializeOwned;
use superroot_store::{Batch, Store, StoreError, Table};

use crate::AccountError;

/// The version that is written, and the only one that is read.
const VERSION: u8 = 1;

/// How often a change is tried when others change the same rows.
pub(crate) const ATTEMPTS_MAX: u32 = 64;

/// A row as it stands: its value, and its bytes to expect when it is changed.
#[derive(Clone, Debug)]
pub(crate) struct Held<T> {
    pub(crate) value: T,
    pub(crate) bytes: Vec<u8>,
}

/// `version:u8 ‖ JSON`.
pub(crate) fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = vec![VERSION];
    serde_json::to_writer(&mut bytes, value).expect("rows have text keys and write to memory");
    bytes
}

/// # Errors
/// [`StoreError::Corrupt`] for another version, or what is not exactly such a row.
pub(crate) fn decode<T: DeserializeOwned>(
    table: Table,
    key: &[u8],
    bytes: &[u8],
) -> Result<T, AccountError> {
    let corrupt = |why| StoreError::Corrupt { table, key: key.to_vec(), why };
    match bytes.split_first() {
        Some((&VERSION, json)) => {
            serde_json::from_slice(json).map_err(|_| corrupt("not a row of its version").into())
        }
        _ => Err(corrupt("a row of another version").into()),
    }
}

/// The row, if it is there.
///
/// # Errors
/// As [`Store::get`] and [`decode`].
pub(crate) fn load<T: DeserializeOwned>(
    store: &dyn Store,
    table: Table,
    key: &[u8],
) -> Result<Option<Held<T>>, AccountError> {
    let Some(bytes) = store.get(table, key)? else { return Ok(None) };
    Ok(Some(Held { value: decode(table, key, &bytes)?, bytes }))
}

/// Commits what `build` makes of the rows as they stand, and builds anew where others were first.
/// `table` is the one that an error names. Nothing to write is no commit.
///
/// # Errors
/// Whatever `build` returns ([`AccountError::ReferenceDiffers`] only when it comes each time);
/// [`AccountError::Contended`] after [`ATTEMPTS_MAX`] conflicts; that of
/// the store otherwise.
pub(crate) fn commit<T>(
    store: &dyn Store,
    table: Table,
    mut build: impl FnMut() -> Result<(Batch, T), AccountError>,
) -> Result<T, AccountError> {
    let mut refused = None;
    for _ in 0..ATTEMPTS_MAX {
        let (batch, answer) = match build() {
            Ok(built) => built,
            // whoever was first may have taken the reference since the other rows were read
            Err(error @ AccountError::ReferenceDiffers { .. }) => {
                refused = Some(error);
                continue;
            }
            Err(error) => return Err(error),
        };
        refused = None;
        if batch.is_empty() {
            return Ok(answer);
        }
        match store.commit(batch) {
            Ok(()) => return Ok(answer),
            Err(StoreError::Conflict { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(refused.unwrap_or(AccountError::Contended { table, attempts: ATTEMPTS_MAX }))
}

#[cfg(test)]
mod tests {
    use super::*;
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
            assert!(matches!(error, AccountError::Store(StoreError::Corrupt { .. })), "{bad:?}");
        }
    }

    #[test]
    fn a_change_that_others_forestall_is_built_anew_and_given_up_in_the_end() {
        let store = MemoryStore::new();
        let mut built = 0_usize;
        let mut disturb = |until: usize| {
            built = 0;
            commit(&store, Table::Meta, || {
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
        assert!(matches!(disturb(usize::MAX), Err(AccountError::Contended { .. })));
        assert_ne!(store.get(Table::Meta, b"k").unwrap().unwrap(), b"mine");
    }
}
