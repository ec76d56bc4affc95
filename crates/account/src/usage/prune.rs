use superroot_store::{ScanOrder, Store, Table, WriteBatch};
use superroot_types::UnixSeconds;

use super::rows::{self, SUBJECT_END, TIME_END};
use crate::AccountError;
use crate::calendar::Hour;
use crate::meter::MeterConfig;
use crate::place::{after, next};

/// Rows per read.
const SCAN_ROWS: usize = 256;

/// Seconds without a flush after which a process counts as gone.
const NODE_SECONDS: u64 = 2 * 86_400;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    pub removed: usize,
    /// Whether the pass is complete: the next step starts again.
    pub done: bool,
}

/// Remover of expired hourly rows; sums stay. Has no loop: each step is one commit at most.
#[derive(Debug)]
pub struct Pruner {
    hourly_days: u32,
    /// First key still to be read.
    from: Vec<u8>,
}

impl Pruner {
    #[must_use]
    pub fn new(config: &MeterConfig) -> Self {
        Self { hourly_days: config.hourly_days, from: vec![rows::HOUR] }
    }

    /// Reads about `rows_max` rows and removes the expired ones. Blocks.
    pub fn step(
        &mut self,
        store: &dyn Store,
        now: UnixSeconds,
        rows_max: usize,
    ) -> Result<Pruned, AccountError> {
        let keep_from = Hour::of(now).days_before(self.hourly_days).to_be_bytes();
        let mut batch = WriteBatch::new();
        let mut removed = 0;
        let mut looked_at = 0;
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

/// Removes hourly rows from a key on, up to one read or the first unexpired row: all later rows of that subject are
/// unexpired. Returns the next key; `None` at the end.
fn sweep(
    store: &dyn Store,
    from: &[u8],
    keep_from: [u8; 4],
    batch: &mut WriteBatch,
    removed: &mut usize,
) -> Result<Option<Vec<u8>>, AccountError> {
    let end = [rows::HOUR + 1];
    let found = store.scan(Table::Usage, from, Some(&end), SCAN_ROWS, ScanOrder::Rising)?;
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

/// Removes sequences of processes without writes for days.
fn remove_gone_nodes(
    store: &dyn Store,
    now: UnixSeconds,
    batch: &mut WriteBatch,
) -> Result<usize, AccountError> {
    let mut removed = 0;
    let start = [rows::FLUSH];
    let end = [rows::FLUSH + 1];
    let found = store.scan(Table::Usage, &start, Some(&end), 1_000, ScanOrder::Rising)?;
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
