//! Opening a log: what was published must still come out of the store.

use superroot_proof::registry::Registry;
use superroot_proof::superroot::log_id;
use superroot_store::{Store, Table, read};
use superroot_types::Family;

use crate::AccumulateError;
use crate::nodes::Range;
use crate::record::{Published, decode_registry};

/// Row of `Meta` that holds the sequence of the last SuperRoot; what writers compare and swap.
pub(crate) const HEAD: &[u8] = b"super_root_head";

/// Loads the last SuperRoot and checks it against the log's origin, the configured registry and the
/// nodes that the next step builds on.
pub(crate) fn open(
    store: &dyn Store,
    registry: &Registry,
    origin: &str,
) -> Result<Option<Published>, AccumulateError> {
    let Some(sequence) = load_head(store)? else { return Ok(None) };
    let last = load_published(store, sequence)?
        .ok_or_else(|| AccumulateError::corrupt(format!("SuperRoot {sequence} is gone")))?;
    if log_id(origin).ok() != Some(last.super_root.log_id) {
        let got = format!("{origin} (log id differs)");
        let expected = format!("that of log id {}", last.super_root.log_id);
        return Err(AccumulateError::Origin { got, expected });
    }
    check_registry(store, &last, registry)?;
    for (family, mini_mmr) in Family::ALL.into_iter().zip(&last.mini_mmrs) {
        let root = Range::MiniMmr(family).root(store, mini_mmr.leaf_count)?;
        if root != mini_mmr.range_root {
            let what = format!("the {family} Mini-MMR gives another root");
            return Err(AccumulateError::corrupt(what));
        }
    }
    let root = Range::History.root(store, last.history.leaf_count)?;
    if root != last.history.log_root {
        return Err(AccumulateError::corrupt("the history gives another root"));
    }
    Ok(Some(last))
}

/// Sequence of the last SuperRoot.
pub(crate) fn load_head(store: &dyn Store) -> Result<Option<u64>, AccumulateError> {
    let Some(row) = store.get(Table::Meta, HEAD)? else { return Ok(None) };
    let sequence = row.try_into().map(u64::from_be_bytes);
    sequence.map(Some).map_err(|_| AccumulateError::corrupt("the head is malformed"))
}

/// A SuperRoot's record; `None` when there is none of that sequence.
pub(crate) fn load_published(
    store: &dyn Store,
    sequence: u64,
) -> Result<Option<Published>, AccumulateError> {
    let Some(row) = read::load_super_root(store, sequence)? else {
        return Ok(None);
    };
    let published = Published::decode(&row).filter(|one| one.super_root.sequence == sequence);
    let what = || AccumulateError::corrupt(format!("SuperRoot {sequence} is malformed"));
    published.map(Some).ok_or_else(what)
}

/// The registry of a published SuperRoot.
pub(crate) fn load_registry(
    store: &dyn Store,
    published: &Published,
) -> Result<Registry, AccumulateError> {
    let root = published.registry_root;
    let row = read::load_registry(store, &root)?;
    let registry = row.as_deref().and_then(decode_registry);
    let registry = registry.filter(|registry| registry.root() == root);
    registry.ok_or_else(|| AccumulateError::corrupt(format!("registry {root} is gone")))
}

/// Rows are appended, never moved, changed or removed; a row only gains rules above its chain's
/// number, or a withdrawal.
fn check_registry(
    store: &dyn Store,
    last: &Published,
    registry: &Registry,
) -> Result<(), AccumulateError> {
    let standing = load_registry(store, last)?;
    for (row, before) in standing.rows().iter().enumerate() {
        let wrong = |why: &str| AccumulateError::Registry {
            row,
            why: format!("{why} ({} {})", before.caip2, before.chain),
        };
        let after = registry.rows().get(row).ok_or_else(|| wrong("the row is missing"))?;
        if after.chain != before.chain || after.caip2 != before.caip2 {
            return Err(wrong("another chain stands there"));
        }
        if before.rules.iter().any(|rule| !after.rules.contains(rule)) {
            return Err(wrong("a rule was changed or removed"));
        }
        let number = last.reference(before.chain).map(|(_, reference)| reference.number.0);
        let early =
            after.rules.iter().filter(|rule| !before.rules.contains(rule)).any(|rule| {
                rule.code != 0 && number.is_some_and(|number| rule.from_number <= number)
            });
        if early {
            return Err(wrong("a new rule begins at or below a committed number"));
        }
    }
    Ok(())
}
