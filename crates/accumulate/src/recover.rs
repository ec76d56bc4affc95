//! Opening a log: checks that the store still yields the published data.

use superroot_proof::registry::{HashRuleFrom, LogRegistry, Profile};
use superroot_proof::superroot::log_id;
use superroot_store::{ScanOrder, Store, Table, WriteBatch};
use superroot_types::{Family, RowIndex};

use crate::AccumulateError;
use crate::nodes::NodeRange;
use crate::record::Published;
use crate::recorded::{load_last, load_registry};
use crate::target::{load_goal, load_target};

/// `Meta` row: origin of the store; written before any other row, never changed.
const ORIGIN: &[u8] = b"origin";

/// Loads the last SuperRoot and checks the log's origin, the configured registry and the nodes for the next step.
/// Writes the origin to a store without one.
pub(crate) fn open(
    store: &dyn Store,
    registry: &LogRegistry,
    origin: &str,
) -> Result<Option<Published>, AccumulateError> {
    let last = load_last(store)?;
    claim(store, origin, last.as_ref())?;
    if let Some((reference, standing)) = load_standing(store, last.as_ref())? {
        check_registry(&standing, &reference, registry)?;
    }
    let Some(last) = last else { return Ok(None) };
    for (family, mini_mmr) in Family::ALL.into_iter().zip(&last.mini_mmrs) {
        let root = NodeRange::MiniMmr(family).root(store, mini_mmr.leaf_count)?;
        if root != mini_mmr.range_root {
            let what = format!("the {family} Mini-MMR gives another root");
            return Err(AccumulateError::corrupt(what));
        }
    }
    let root = NodeRange::History.root(store, last.history.leaf_count)?;
    if root != last.history.log_root {
        return Err(AccumulateError::corrupt("the history gives another root"));
    }
    Ok(Some(last))
}

/// Ensures that the store belongs to this origin: the origin row matches, or the store has no other origin's data.
fn claim(store: &dyn Store, origin: &str, last: Option<&Published>) -> Result<(), AccumulateError> {
    let other = |got: String| AccumulateError::Origin { got, expected: origin.to_owned() };
    let standing = load_origin(store)?;
    let published = last.map(|last| last.super_root.log_id);
    if let Some(standing) = &standing
        && standing != origin
    {
        return Err(other(standing.clone()));
    }
    if let Some(id) = published.filter(|id| log_id(origin).ok() != Some(*id)) {
        return Err(other(format!("of log id {id}")));
    }
    if standing.is_some() {
        return Ok(());
    }
    if published.is_none() && holds_blocks(store)? {
        return Err(other("none, though it holds blocks: collect them anew".to_owned()));
    }
    let mut batch = WriteBatch::new();
    batch.expect(Table::Meta, ORIGIN, None).put(Table::Meta, ORIGIN, origin);
    store.commit(batch).map_err(AccumulateError::commit)
}

/// Origin of the stored blocks and SuperRoots; `None` if no log was ever opened in the store.
///
/// # Errors
/// [`AccumulateError::Corrupt`] for a malformed origin; store errors.
pub fn load_origin(store: &dyn Store) -> Result<Option<String>, AccumulateError> {
    let Some(row) = store.get(Table::Meta, ORIGIN)? else { return Ok(None) };
    let origin = String::from_utf8(row).ok().filter(|origin| log_id(origin).is_ok());
    origin.map(Some).ok_or_else(|| AccumulateError::corrupt("the origin is malformed"))
}

/// Checks that a non-empty store names its origin, and that the origin matches the log id of the last SuperRoot.
/// Returns the origin; `None` for a store without blocks.
///
/// # Errors
/// [`AccumulateError::Corrupt`] if the check fails; store errors.
pub fn check_origin(store: &dyn Store) -> Result<Option<String>, AccumulateError> {
    let last = load_last(store)?;
    let Some(origin) = load_origin(store)? else {
        if last.is_some() || holds_blocks(store)? {
            return Err(AccumulateError::corrupt("it has blocks, but not of which log they are"));
        }
        return Ok(None);
    };
    let id = log_id(&origin).ok();
    if last.is_some_and(|last| id != Some(last.super_root.log_id)) {
        let what = format!("the last SuperRoot is not of {origin}");
        return Err(AccumulateError::corrupt(what));
    }
    Ok(Some(origin))
}

/// Whether any chain has a state, a block, or a refused block.
fn holds_blocks(store: &dyn Store) -> Result<bool, AccumulateError> {
    for table in [Table::ChainState, Table::Block, Table::Refused] {
        if !store.scan(table, b"", None, 1, ScanOrder::Rising)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Registry addition compared with the current log: the next SuperRoot commits to it permanently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegistryAppend {
    /// New row.
    Row {
        /// Index, from 0.
        row: RowIndex,
        profile: Profile,
    },
    /// New rule in an existing row.
    Rule {
        /// Row index, from 0.
        row: RowIndex,
        /// CAIP-2 name of the chain.
        caip2: String,
        rule: HashRuleFrom,
    },
}

impl RegistryAppend {
    /// Index of the new or extended row.
    #[must_use]
    pub const fn row(&self) -> RowIndex {
        match self {
            Self::Row { row, .. } | Self::Rule { row, .. } => *row,
        }
    }
}

impl core::fmt::Display for RegistryAppend {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Row { row, profile } => write!(f, "row {row}, {}", profile.caip2),
            Self::Rule { row, caip2, rule: HashRuleFrom { from_number, code } } => {
                write!(f, "rule {code:#06x} from {from_number} on in row {row}, {caip2}")
            }
        }
    }
}

/// Newest known SuperRoot and its rows: the last SuperRoot to repeat, else the last stored one.
pub(crate) fn load_standing(
    store: &dyn Store,
    last: Option<&Published>,
) -> Result<Option<(Published, LogRegistry)>, AccumulateError> {
    if let Some(goal) = load_goal(store)?
        && let Some(target) = load_target(store, goal)?
    {
        return Ok(Some((target.published, target.registry)));
    }
    let Some(last) = last else { return Ok(None) };
    Ok(Some((last.clone(), load_registry(store, last)?)))
}

/// Additions in `registry` to the current registry; `registry` must change nothing else.
pub(crate) fn appended(standing: &LogRegistry, registry: &LogRegistry) -> Vec<RegistryAppend> {
    let mut appended = Vec::new();
    for (row, profile) in registry.numbered_rows() {
        let Some(before) = standing.row(row) else {
            appended.push(RegistryAppend::Row { row, profile: profile.clone() });
            continue;
        };
        let new = profile.rules.iter().skip(before.rules.len());
        let caip2 = &profile.caip2;
        appended.extend(new.map(|rule| RegistryAppend::Rule {
            row,
            caip2: caip2.clone(),
            rule: *rule,
        }));
    }
    appended
}

/// Checks the registry rules. Rows are appended, never moved, changed or removed; an existing row only gains rules
/// above its chain's number, a withdrawal, or a rule already applied to its committed blocks.
pub(crate) fn check_registry(
    standing: &LogRegistry,
    last: &Published,
    registry: &LogRegistry,
) -> Result<(), AccumulateError> {
    for (row, before) in standing.numbered_rows() {
        let wrong = |why: &str| AccumulateError::Registry {
            row,
            why: format!("{why} ({} {})", before.caip2, before.chain),
        };
        let after = registry.row(row).ok_or_else(|| wrong("the row is missing"))?;
        if after.chain != before.chain || after.caip2 != before.caip2 {
            return Err(wrong("another chain stands there"));
        }
        let added = after.rules.strip_prefix(before.rules.as_slice());
        let added = added.ok_or_else(|| wrong("a rule was changed or removed"))?;
        let number = last.reference(before.chain).map(|(_, reference)| reference.number.0);
        let early = number.is_some_and(|number| before.is_reread_by(added, number));
        if early {
            return Err(wrong("a new rule begins at or below a committed number"));
        }
    }
    Ok(())
}
