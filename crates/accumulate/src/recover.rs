//! Opening a log: what was published must still come out of the store.

use superroot_proof::registry::{Profile, Registry, RuleFrom};
use superroot_proof::superroot::log_id;
use superroot_store::{Batch, Direction, Store, Table};
use superroot_types::Family;

use crate::AccumulateError;
use crate::nodes::Range;
use crate::record::Published;
use crate::recorded::{load_last, load_registry};
use crate::target::{load_goal, load_target};

/// Row of `Meta` that holds the origin of everything in the store: written before all else, and
/// never changed.
const ORIGIN: &[u8] = b"origin";

/// Loads the last SuperRoot and checks it against the log's origin, the configured registry and the
/// nodes that the next step builds on. A store without an origin is given this one.
pub(crate) fn open(
    store: &dyn Store,
    registry: &Registry,
    origin: &str,
) -> Result<Option<Published>, AccumulateError> {
    let last = load_last(store)?;
    claim(store, origin, last.as_ref())?;
    if let Some((reference, standing)) = load_standing(store, last.as_ref())? {
        check_registry(&standing, &reference, registry)?;
    }
    let Some(last) = last else { return Ok(None) };
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

/// Makes sure that the store is this origin's: its row says so, or it holds nothing of another one.
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
    let mut batch = Batch::new();
    batch.expect(Table::Meta, ORIGIN, None).put(Table::Meta, ORIGIN, origin);
    store.commit(batch).map_err(AccumulateError::commit)
}

/// The origin whose blocks and SuperRoots a store holds; `None` for one that no log was opened in.
///
/// # Errors
/// [`AccumulateError::Corrupt`] where the row is no origin; else the store's error.
pub fn load_origin(store: &dyn Store) -> Result<Option<String>, AccumulateError> {
    let Some(row) = store.get(Table::Meta, ORIGIN)? else { return Ok(None) };
    let origin = String::from_utf8(row).ok().filter(|origin| log_id(origin).is_ok());
    origin.map(Some).ok_or_else(|| AccumulateError::corrupt("the origin is malformed"))
}

/// Checks that a store which holds anything says of which log it is: its origin, which has the log
/// id of the last SuperRoot. Gives the origin; `None` for a store without blocks.
///
/// # Errors
/// [`AccumulateError::Corrupt`] where it does not; else the store's error.
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

/// Whether any chain has a state, a block, or a refused one.
fn holds_blocks(store: &dyn Store) -> Result<bool, AccumulateError> {
    for table in [Table::ChainState, Table::Block, Table::Refused] {
        if !store.scan(table, b"", None, 1, Direction::Rising)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What a registry has and the standing log has not: the next SuperRoot takes it in, for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Appended {
    /// A row.
    Row {
        /// Its place, from 0.
        row: usize,
        /// What the log will commit to.
        profile: Profile,
    },
    /// A rule of a row that stands.
    Rule {
        /// Place of the row, from 0.
        row: usize,
        /// CAIP-2 name of its chain.
        caip2: String,
        /// The rule.
        rule: RuleFrom,
    },
}

impl Appended {
    /// Place of the row that is new, or has something new.
    #[must_use]
    pub const fn row(&self) -> usize {
        match self {
            Self::Row { row, .. } | Self::Rule { row, .. } => *row,
        }
    }
}

impl core::fmt::Display for Appended {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Row { row, profile } => write!(f, "row {row}, {}", profile.caip2),
            Self::Rule { row, caip2, rule: RuleFrom { from_number, code } } => {
                write!(f, "rule {code:#06x} from {from_number} on in row {row}, {caip2}")
            }
        }
    }
}

/// The newest SuperRoot that the log is known to have, and its rows: the last one held, or the last one
/// that is to be repeated.
pub(crate) fn load_standing(
    store: &dyn Store,
    last: Option<&Published>,
) -> Result<Option<(Published, Registry)>, AccumulateError> {
    if let Some(goal) = load_goal(store)?
        && let Some(target) = load_target(store, goal)?
    {
        return Ok(Some((target.published, target.registry)));
    }
    let Some(last) = last else { return Ok(None) };
    Ok(Some((last.clone(), load_registry(store, last)?)))
}

/// What `registry` adds to the standing one, of which it is known to change nothing.
pub(crate) fn appended(standing: &Registry, registry: &Registry) -> Vec<Appended> {
    let mut appended = Vec::new();
    for (row, profile) in registry.rows().iter().enumerate() {
        let Some(before) = standing.rows().get(row) else {
            appended.push(Appended::Row { row, profile: profile.clone() });
            continue;
        };
        let new = profile.rules.iter().skip(before.rules.len());
        let caip2 = &profile.caip2;
        appended.extend(new.map(|rule| Appended::Rule { row, caip2: caip2.clone(), rule: *rule }));
    }
    appended
}

/// Rows are appended, never moved, changed or removed; a row only gains rules above its chain's
/// number, a withdrawal, or a rule by which its committed blocks are read already.
pub(crate) fn check_registry(
    standing: &Registry,
    last: &Published,
    registry: &Registry,
) -> Result<(), AccumulateError> {
    for (row, before) in standing.rows().iter().enumerate() {
        let wrong = |why: &str| AccumulateError::Registry {
            row,
            why: format!("{why} ({} {})", before.caip2, before.chain),
        };
        let after = registry.rows().get(row).ok_or_else(|| wrong("the row is missing"))?;
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
