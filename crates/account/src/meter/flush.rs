use std::collections::{BTreeMap, VecDeque};

use superroot_store::{Store, StoreError, Table, WriteBatch};
use superroot_types::UnixSeconds;
use uuid::Uuid;

use super::shards::UNCOUNTED;
use super::{Meter, MeteredCaller, Tally, UsageSum};
use crate::AccountError;
use crate::row::Contended;
use crate::usage::rows::{self, HourKey, UsageSubject};

/// Most hourly rows per commit.
const ROWS_MAX: usize = 8_192;

/// Most attempts of a commit under contention with other nodes.
const ATTEMPTS_MAX: u32 = 16;

/// Writer of the counts of a [`Meter`]. One per process; has no loop.
pub struct Flusher {
    /// Id of this process in the store.
    node: Uuid,
    /// Drained and unwritten counts, oldest first.
    waiting: VecDeque<Vec<(Tally, UsageSum)>>,
    /// Sequence number of the last written commit.
    sequence: u64,
    /// Whether the oldest batch was committed with unknown outcome.
    in_doubt: bool,
}

impl Default for Flusher {
    fn default() -> Self {
        Self { node: Uuid::new_v4(), waiting: VecDeque::new(), sequence: 0, in_doubt: false }
    }
}

impl Flusher {
    /// Writes all counts so far: hourly rows, and in the same commit the sums of days and months. Counts that an
    /// earlier call could not write come first, and never twice: each commit has the next sequence number of this
    /// process. Returns the number of newly stored requests.
    ///
    /// Blocks. Call once a second, and once at the end.
    ///
    /// # Errors
    /// Errors of the store, or [`AccountError::Contended`]: drained counts remain for the next call, also with the
    /// store reopened.
    pub fn flush(
        &mut self,
        meter: &Meter,
        store: &dyn Store,
        now: UnixSeconds,
    ) -> Result<u64, AccountError> {
        let resolved = self.resolve(store)?;
        let late = self.write_waiting(store, now)?;
        let mut counts = meter.drain();
        // an account's rows together: each of its sums is read and written once, not once a commit
        counts.sort_unstable_by_key(|(tally, _)| *tally);
        self.waiting.extend(counts.chunks(ROWS_MAX).map(<[_]>::to_vec));
        Ok(resolved.saturating_add(late).saturating_add(self.write_waiting(store, now)?))
    }

    /// Resolves the outcome of a commit in doubt. A missing row counts as written, so no request is counted twice.
    fn resolve(&mut self, store: &dyn Store) -> Result<u64, AccountError> {
        if !self.in_doubt {
            return Ok(0);
        }
        let found = self.load_sequence(store)?.map_or(0, |(sequence, _)| sequence);
        self.in_doubt = false;
        if found == self.sequence {
            return Ok(0);
        }
        self.sequence = self.sequence.saturating_add(1);
        Ok(self.waiting.pop_front().map_or(0, |counts| requests(&counts)))
    }

    fn write_waiting(&mut self, store: &dyn Store, now: UnixSeconds) -> Result<u64, AccountError> {
        let mut written = 0_u64;
        while let Some(counts) = self.waiting.pop_front() {
            match self.write(store, &counts, now) {
                Ok(requests) => written = written.saturating_add(requests),
                Err(error) => {
                    self.waiting.push_front(counts);
                    return Err(error);
                }
            }
        }
        Ok(written)
    }

    fn write(
        &mut self,
        store: &dyn Store,
        counts: &[(Tally, UsageSum)],
        now: UnixSeconds,
    ) -> Result<u64, AccountError> {
        for _ in 0..ATTEMPTS_MAX {
            let (mut batch, lost) = draft(store, counts)?;
            let before = self.load_sequence(store)?;
            let next = self.sequence.saturating_add(1);
            let key = rows::flush_key(self.node);
            batch.expect(Table::Usage, key.clone(), before.as_ref().map(|(_, row)| row.as_slice()));
            batch.put(Table::Usage, key, rows::encode_numbers([next, now.0]));
            match store.commit(batch) {
                Ok(()) => {
                    self.sequence = next;
                    metrics::counter!(UNCOUNTED).increment(lost);
                    return Ok(requests(counts).saturating_sub(lost));
                }
                Err(StoreError::Conflict { .. }) => {}
                Err(error) => {
                    self.in_doubt = true; // where it was refused, `resolve` finds that
                    return Err(error.into());
                }
            }
        }
        Err(AccountError::from(Contended { table: Table::Usage, attempts: ATTEMPTS_MAX }))
    }

    /// This process's row: sequence number, and whole row.
    fn load_sequence(&self, store: &dyn Store) -> Result<Option<(u64, Vec<u8>)>, AccountError> {
        let key = rows::flush_key(self.node);
        let Some(row) = store.get(Table::Usage, &key)? else { return Ok(None) };
        let [sequence, _] = rows::decode_numbers(&key, &row)?;
        Ok(Some((sequence, row)))
    }
}

/// Rows by key: current bytes, current sum, and new sum (`None` if only read).
type Held = BTreeMap<Vec<u8>, (Option<Vec<u8>>, UsageSum, Option<UsageSum>)>;

/// Builds the new rows. A damaged row loses only its own counts: those stay uncounted.
fn draft(
    store: &dyn Store,
    counts: &[(Tally, UsageSum)],
) -> Result<(WriteBatch, u64), AccountError> {
    let mut held = Held::new();
    let mut lost = 0_u64;
    for (tally, sum) in counts {
        let keys = keys_of(tally);
        match keys.iter().try_for_each(|key| hold(store, &mut held, key)) {
            Ok(()) => {}
            Err(AccountError::Store(error @ StoreError::Corrupt { .. })) => {
                tracing::error!("{error}, {} requests stay uncounted", sum.requests);
                lost = lost.saturating_add(sum.requests);
                continue;
            }
            Err(error) => return Err(error),
        }
        for key in keys {
            if let Some((_, standing, changed)) = held.get_mut(&key) {
                changed.get_or_insert(*standing).add(*sum);
            }
        }
    }
    let mut batch = WriteBatch::new();
    for (key, (before, _, changed)) in held {
        if let Some(sum) = changed {
            batch.expect(Table::Usage, key.clone(), before.as_deref());
            batch.put(Table::Usage, key, rows::encode_sum(sum));
        }
    }
    Ok((batch, lost))
}

/// Reads a row of a count, once.
fn hold(store: &dyn Store, held: &mut Held, key: &[u8]) -> Result<(), AccountError> {
    if !held.contains_key(key) {
        let before = store.get(Table::Usage, key)?;
        let row = before.as_deref().map(|value| rows::decode_sum(key, value)).transpose()?;
        held.insert(key.to_vec(), (before, row.unwrap_or_default(), None));
    }
    Ok(())
}

/// Hourly row, and its three sums.
fn keys_of(tally: &Tally) -> [Vec<u8>; 4] {
    let (subject, key) = match tally.caller {
        MeteredCaller::Account { account, key } => (UsageSubject::Account(account), Some(key)),
        MeteredCaller::Keyless => (UsageSubject::Keyless, None),
    };
    let Tally { environment, hour, route, chain, status, .. } = *tally;
    let (day, month) = (hour.day(), hour.day().month());
    [
        rows::hour_key(environment, subject, &HourKey { hour, key, route, chain, status }),
        rows::day_key(environment, subject, day),
        rows::month_key(environment, subject, month),
        rows::route_key(environment, subject, month, route, chain),
    ]
}

fn requests(counts: &[(Tally, UsageSum)]) -> u64 {
    counts.iter().fold(0, |all, (_, sum)| all.saturating_add(sum.requests))
}
