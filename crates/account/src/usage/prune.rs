//! Forgetting what is too old to be kept.

use superroot_store::{Batch, Direction, Store, Table};
use superroot_types::UnixSeconds;

use super::rows::{self, SUBJECT_END};
use crate::calendar::Hour;
use crate::meter::MeterConfig;
use crate::place::{after, next};
use crate::{AccountError, Environment};

/// Rows looked at in one read.
const SCAN_ROWS: usize = 256;

/// Seconds after which a process that has flushed nothing is taken to be gone.
const NODE_SECONDS: u64 = 2 * 86_400;

const ENVIRONMENTS: [Environment; 2] = [Environment::Live, Environment::Test];

/// What a step has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Rows removed.
    pub removed: usize,
    /// Whether everything was gone through: the next step begins anew.
    pub done: bool,
}

/// Removes rows of hours, and everything about address prefixes, that are older than they are kept;
/// sums of accounts stay. A stage without a loop of its own: each step is a commit at most.
#[derive(Debug)]
pub struct Pruner {
    hourly_days: u32,
    /// Which kind of rows is gone through, and from which key.
    place: usize,
    from: Vec<u8>,
}

/// Keys of one kind that begin with `prefix`, and have a time at `time_at`: older ones than
/// `keep_from` go. Behind the first that is kept, all of its group are: a group is what comes before
/// the time.
struct Sweep {
    prefix: Vec<u8>,
    time_at: usize,
    keep_from: [u8; 4],
}

impl Pruner {
    /// A pruner of that configuration.
    #[must_use]
    pub const fn new(config: &MeterConfig) -> Self {
        Self { hourly_days: config.hourly_days, place: 0, from: Vec::new() }
    }

    /// Looks at about `rows_max` rows and removes the old ones among them. Blocks.
    ///
    /// # Errors
    /// That of the store.
    pub fn step(
        &mut self,
        store: &dyn Store,
        now: UnixSeconds,
        rows_max: usize,
    ) -> Result<Pruned, AccountError> {
        let sweeps = sweeps(Hour::of(now).days_before(self.hourly_days));
        let mut batch = Batch::new();
        let mut removed = 0;
        let mut looked_at = 0;
        while looked_at < rows_max {
            let Some(sweep) = sweeps.get(self.place) else {
                removed += remove_gone_nodes(store, now, &mut batch)?;
                self.place = 0;
                store.commit(batch)?;
                return Ok(Pruned { removed, done: true });
            };
            let next = sweep.step(store, &self.from, &mut batch, &mut removed)?;
            looked_at += SCAN_ROWS;
            self.place += usize::from(next.is_none());
            self.from = next.unwrap_or_default();
        }
        if removed > 0 {
            store.commit(batch)?;
        }
        Ok(Pruned { removed, done: false })
    }
}

impl Sweep {
    /// Where to go on; `None` at the end.
    fn step(
        &self,
        store: &dyn Store,
        from: &[u8],
        batch: &mut Batch,
        removed: &mut usize,
    ) -> Result<Option<Vec<u8>>, AccountError> {
        let start = from.max(self.prefix.as_slice());
        let end = after(&self.prefix);
        let found =
            store.scan(Table::Usage, start, end.as_deref(), SCAN_ROWS, Direction::Rising)?;
        for (key, _) in &found {
            let (Some(group), Some(time)) =
                (key.get(..self.time_at), key.get(self.time_at..self.time_at + 4))
            else {
                return Err(rows::corrupt(key, "too short for its kind"));
            };
            if time >= self.keep_from.as_slice() {
                return Ok(after(group).filter(|next| next.starts_with(&self.prefix)));
            }
            batch.delete(Table::Usage, key.as_slice());
            *removed += 1;
        }
        let full = found.len() == SCAN_ROWS;
        Ok(found.last().filter(|_| full).map(|(last, _)| next(last)))
    }
}

fn sweeps(keep_from: Hour) -> Vec<Sweep> {
    let (hour, day) = (keep_from.to_be_bytes(), keep_from.day().to_be_bytes());
    let month = rows::month_bytes(keep_from.day().month());
    let mut sweeps = Vec::new();
    for environment in ENVIRONMENTS {
        let of = |kind, length: usize| {
            let mut prefix =
                rows::subject_prefix(kind, environment, super::Subject::Prefix([0; 16]));
            prefix.truncate(length);
            prefix
        };
        let by_subject = |prefix, keep_from| Sweep { prefix, time_at: SUBJECT_END, keep_from };
        sweeps.push(by_subject(of(rows::HOUR, 2), hour));
        sweeps.push(by_subject(of(rows::DAY, 3), day));
        sweeps.push(by_subject(of(rows::MONTH, 3), month));
        sweeps.push(by_subject(of(rows::ROUTE, 3), month));
        sweeps.push(Sweep { prefix: of(rows::PREFIXES, 2), time_at: 2, keep_from: hour });
    }
    sweeps
}

/// Sequences of processes that have written nothing for days.
fn remove_gone_nodes(
    store: &dyn Store,
    now: UnixSeconds,
    batch: &mut Batch,
) -> Result<usize, AccountError> {
    let mut removed = 0;
    let (start, end) = ([rows::FLUSH], [rows::FLUSH + 1]);
    let found = store.scan(Table::Usage, &start, Some(&end), 1_000, Direction::Rising)?;
    for (key, value) in &found {
        let [_, at] = rows::decode_numbers(key, value)?;
        if at.saturating_add(NODE_SECONDS) < now.0 {
            batch.expect(Table::Usage, key.as_slice(), Some(value));
            batch.delete(Table::Usage, key.as_slice());
            removed += 1;
        }
    }
    Ok(removed)
}
