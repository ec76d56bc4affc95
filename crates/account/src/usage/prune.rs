//! Forgetting what is too old to be kept.

use superroot_store::{Batch, Direction, Store, Table};
use superroot_types::UnixSeconds;

use super::rows::{self, SUBJECT_END, TIME_END};
use crate::AccountError;
use crate::calendar::Hour;
use crate::meter::MeterConfig;
use crate::place::{after, next};

/// Rows looked at in one read.
const SCAN_ROWS: usize = 256;

/// Seconds after which a process that has flushed nothing is taken to be gone.
const NODE_SECONDS: u64 = 2 * 86_400;

/// What a step has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Rows removed.
    pub removed: usize,
    /// Whether everything was gone through: the next step begins anew.
    pub done: bool,
}

/// Removes rows of hours that are older than they are kept; sums stay. A stage without a loop of its
/// own: each step is a commit at most.
#[derive(Debug)]
pub struct Pruner {
    hourly_days: u32,
    /// From which key on rows are still to be looked at.
    from: Vec<u8>,
}

impl Pruner {
    /// A pruner of that configuration.
    #[must_use]
    pub fn new(config: &MeterConfig) -> Self {
        Self { hourly_days: config.hourly_days, from: vec![rows::HOUR] }
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
        let keep_from = Hour::of(now).days_before(self.hourly_days).to_be_bytes();
        let (mut batch, mut removed, mut looked_at) = (Batch::new(), 0, 0);
        while looked_at < rows_max {
            let Some(from) = sweep(store, &self.from, keep_from, &mut batch, &mut removed)? else {
                removed += remove_gone_nodes(store, now, &mut batch)?;
                self.from = vec![rows::HOUR];
                store.commit(batch)?;
                return Ok(Pruned { removed, done: true });
            };
            looked_at += SCAN_ROWS;
            self.from = from;
        }
        if removed > 0 {
            store.commit(batch)?;
        }
        Ok(Pruned { removed, done: false })
    }
}

/// Takes out rows of hours from a key on, as far as one read goes or the first that is kept: behind
/// that one, all of its subject are. Where to go on; `None` at the end.
fn sweep(
    store: &dyn Store,
    from: &[u8],
    keep_from: [u8; 4],
    batch: &mut Batch,
    removed: &mut usize,
) -> Result<Option<Vec<u8>>, AccountError> {
    let end = [rows::HOUR + 1];
    let found = store.scan(Table::Usage, from, Some(&end), SCAN_ROWS, Direction::Rising)?;
    for (key, _) in &found {
        let (Some(subject), Some(time)) = (key.get(..SUBJECT_END), key.get(SUBJECT_END..TIME_END))
        else {
            return Err(rows::corrupt(key, "too short for its kind"));
        };
        if time >= keep_from.as_slice() {
            return Ok(after(subject));
        }
        batch.delete(Table::Usage, key.as_slice());
        *removed += 1;
    }
    let full = found.len() == SCAN_ROWS;
    Ok(found.last().filter(|_| full).map(|(last, _)| next(last)))
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
