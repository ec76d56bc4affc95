//! Stored SuperRoots.

use superroot_proof::note::Note;
use superroot_proof::registry::LogRegistry;
use superroot_store::{Store, Table, read};
use superroot_types::{LogSize, Sequence};

use crate::AccumulateError;
use crate::record::{Published, decode_registry};

/// `Meta` row: sequence of the last SuperRoot; writers compare and swap this row.
pub(crate) const HEAD: &[u8] = b"super_root_head";

/// Record of the last SuperRoot; `None` before the first.
pub(crate) fn load_last(store: &dyn Store) -> Result<Option<Published>, AccumulateError> {
    let Some(sequence) = load_head(store)? else { return Ok(None) };
    let last = load_published(store, sequence)?;
    let gone = || AccumulateError::corrupt(format!("SuperRoot {sequence} is gone"));
    last.map(Some).ok_or_else(gone)
}

pub(crate) fn load_head(store: &dyn Store) -> Result<Option<Sequence>, AccumulateError> {
    let Some(row) = store.get(Table::Meta, HEAD)? else { return Ok(None) };
    let sequence = row.try_into().map(u64::from_be_bytes);
    sequence
        .map(|sequence| Some(Sequence(sequence)))
        .map_err(|_| AccumulateError::corrupt("the head is malformed"))
}

/// Record of a SuperRoot by sequence; `None` if absent.
pub(crate) fn load_published(
    store: &dyn Store,
    sequence: Sequence,
) -> Result<Option<Published>, AccumulateError> {
    let Some(row) = read::load_super_root(store, sequence)? else {
        return Ok(None);
    };
    let published = Published::decode(&row).filter(|one| one.super_root.sequence == sequence);
    let what = || AccumulateError::corrupt(format!("SuperRoot {sequence} is malformed"));
    published.map(Some).ok_or_else(what)
}

/// Registry of a published SuperRoot.
pub(crate) fn load_registry(
    store: &dyn Store,
    published: &Published,
) -> Result<LogRegistry, AccumulateError> {
    let root = published.registry_root;
    let row = read::load_registry(store, &root)?;
    let registry = row.as_deref().and_then(decode_registry);
    let registry = registry.filter(|registry| registry.root() == root);
    registry.ok_or_else(|| AccumulateError::corrupt(format!("registry {root} is gone")))
}

pub(crate) fn load_note(store: &dyn Store, size: LogSize) -> Result<Option<Note>, AccumulateError> {
    let Some(row) = read::load_note(store, size)? else { return Ok(None) };
    let note = String::from_utf8(row).ok().and_then(|text| Note::parse(&text).ok());
    let what = || AccumulateError::corrupt(format!("the note of size {size} is none"));
    note.map(Some).ok_or_else(what)
}
