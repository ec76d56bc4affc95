//! From memory into the store.

use std::collections::{BTreeMap, VecDeque};

use superroot_store::{Batch, Store, StoreError, Table};
use superroot_types::UnixSeconds;
use uuid::Uuid;

use super::shards::UNCOUNTED;
use super::{Caller, Meter, Sum, Tally};
use crate::AccountError;
use crate::row::Contended;
use crate::usage::rows::{self, HourKey, Subject};

/// Rows of hours that one commit changes at most.
const ROWS_MAX: usize = 8_192;

/// How often a commit is tried when other nodes change the same rows.
const ATTEMPTS_MAX: u32 = 16;

/// Writes what a [`Meter`] counted. One per process: a stage without a loop of its own.
pub struct Flusher {
    /// Names this process in the store.
    node: Uuid,
    /// Drained and not written yet, oldest first.
    waiting: VecDeque<Vec<(Tally, Sum)>>,
    /// The sequence of the last commit that was written.
    sequence: u64,
    /// Whether the oldest was handed to a commit that did not say how it ended.
    in_doubt: bool,
}

impl Default for Flusher {
    fn default() -> Self {
        Self { node: Uuid::new_v4(), waiting: VecDeque::new(), sequence: 0, in_doubt: false }
    }
}

impl Flusher {
    /// Writes everything that was counted until now: rows of hours, and in the same commit the sums
    /// of their days and months. What an earlier call could not write is written first, and never
    /// twice: each commit carries the next number of this process's sequence. Answers how many
    /// requests are in the store now and were not before.
    ///
    /// Blocks. Call it once a second, and once at the end.
    ///
    /// # Errors
    /// That of the store, or [`AccountError::Contended`]: what was drained is kept for the next
    /// call, which may come with the store opened again.
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

    /// Finds out how a commit in doubt ended. Where its row is gone it counts as written: nobody is
    /// counted twice.
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
        counts: &[(Tally, Sum)],
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

    /// This process's row: the sequence, and the whole row.
    fn load_sequence(&self, store: &dyn Store) -> Result<Option<(u64, Vec<u8>)>, AccountError> {
        let key = rows::flush_key(self.node);
        let Some(row) = store.get(Table::Usage, &key)? else { return Ok(None) };
        let [sequence, _] = rows::decode_numbers(&key, &row)?;
        Ok(Some((sequence, row)))
    }
}

/// Rows by key: as they stand, and with what is added to them; nothing is in one that is only read.
type Held = BTreeMap<Vec<u8>, (Option<Vec<u8>>, Sum, Option<Sum>)>;

/// The rows as they will stand. A damaged row keeps out the counts that belong into it, and nobody
/// else's: those stay uncounted.
fn draft(store: &dyn Store, counts: &[(Tally, Sum)]) -> Result<(Batch, u64), AccountError> {
    let (mut held, mut lost) = (Held::new(), 0_u64);
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
    let mut batch = Batch::new();
    for (key, (before, _, changed)) in held {
        if let Some(sum) = changed {
            batch.expect(Table::Usage, key.clone(), before.as_deref());
            batch.put(Table::Usage, key, rows::encode_sum(sum));
        }
    }
    Ok((batch, lost))
}

/// Reads a row that a count belongs into, once.
fn hold(store: &dyn Store, held: &mut Held, key: &[u8]) -> Result<(), AccountError> {
    if !held.contains_key(key) {
        let before = store.get(Table::Usage, key)?;
        let row = before.as_deref().map(|value| rows::decode_sum(key, value)).transpose()?;
        held.insert(key.to_vec(), (before, row.unwrap_or_default(), None));
    }
    Ok(())
}

/// The row of the hour, and the sums it is part of.
fn keys_of(tally: &Tally) -> [Vec<u8>; 4] {
    let (subject, key) = match tally.caller {
        Caller::Account { account, key } => (Subject::Account(account), Some(key)),
        Caller::Keyless => (Subject::Keyless, None),
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

fn requests(counts: &[(Tally, Sum)]) -> u64 {
    counts.iter().fold(0, |all, (_, sum)| all.saturating_add(sum.requests))
}
