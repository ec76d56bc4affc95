//! From memory into the store.

use std::collections::{BTreeMap, VecDeque};

use superroot_store::{Batch, Store, StoreError, Table};
use superroot_types::{ErrorKind, UnixSeconds};
use uuid::Uuid;

use super::prefixes::{Admission, Prefixes};
use super::{Meter, MeterConfig, Sum, Tally, UNCOUNTED, Who};
use crate::AccountError;
use crate::row::Contended;
use crate::usage::rows::{self, HourKey, Subject};

/// Rows of hours that one commit changes at most.
const ROWS_MAX: usize = 8_192;

/// How often a commit is tried when other nodes change the same rows.
const ATTEMPTS_MAX: u32 = 16;

/// What a flush has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flushed {
    /// Requests that are in the store now and were not before.
    pub requests: u64,
    /// Requests that could not be counted: a row of theirs is damaged, or it cannot be known
    /// whether they were written.
    pub lost: u64,
}

/// Writes what a [`Meter`] counted. One per process: a stage without a loop of its own.
pub struct Flusher {
    /// Names this process in the store.
    node: Uuid,
    prefixes_per_hour_max: u64,
    prefixes: Prefixes,
    /// Drained and not written yet, oldest first.
    waiting: VecDeque<Vec<(Tally, Sum)>>,
    /// The sequence of the last commit that was written.
    sequence: u64,
    /// Whether the oldest was handed to a commit that did not say how it ended.
    in_doubt: bool,
}

/// A commit that is being made up.
#[derive(Default)]
struct Draft {
    rows: BTreeMap<Vec<u8>, (Option<Vec<u8>>, Sum)>,
    admission: Admission,
    done: Flushed,
}

impl Flusher {
    /// A flusher of that configuration.
    #[must_use]
    pub fn new(config: &MeterConfig) -> Self {
        Self {
            node: Uuid::new_v4(),
            prefixes_per_hour_max: config.prefixes_per_hour_max,
            prefixes: Prefixes::default(),
            waiting: VecDeque::new(),
            sequence: 0,
            in_doubt: false,
        }
    }

    /// Writes everything that was counted until now: rows of hours, and in the same commit the sums
    /// of their days and months. What an earlier call could not write is written first, and never
    /// twice: each commit carries the next number of this process's sequence.
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
    ) -> Result<Flushed, AccountError> {
        let mut done = self.resolve(store)?;
        self.write_waiting(store, now, &mut done)?;
        let mut counts: Vec<_> = meter.drain().0.into_iter().collect();
        // an account's rows together: each of its sums is read and written once, not once a commit
        counts.sort_unstable_by_key(|(tally, _)| *tally);
        self.waiting.extend(counts.chunks(ROWS_MAX).map(<[_]>::to_vec));
        self.write_waiting(store, now, &mut done)?;
        Ok(done)
    }

    /// Finds out how a commit in doubt ended.
    fn resolve(&mut self, store: &dyn Store) -> Result<Flushed, AccountError> {
        if !self.in_doubt {
            return Ok(Flushed::default());
        }
        let found = self.load_sequence(store)?.map_or(0, |(sequence, _)| sequence);
        let mut done = Flushed::default();
        if found != self.sequence {
            let requests = self.waiting.pop_front().map_or(0, |counts| requests(&counts));
            if found == self.sequence.saturating_add(1) {
                done.requests = requests;
            } else {
                done.lost = requests; // the row was removed meanwhile: in the customers' favour
                lose(requests, "in_doubt");
            }
            self.sequence = found;
        }
        self.in_doubt = false;
        Ok(done)
    }

    fn write_waiting(
        &mut self,
        store: &dyn Store,
        now: UnixSeconds,
        done: &mut Flushed,
    ) -> Result<(), AccountError> {
        while let Some(counts) = self.waiting.pop_front() {
            match self.write(store, &counts, now) {
                Ok(step) => {
                    done.requests = done.requests.saturating_add(step.requests);
                    done.lost = done.lost.saturating_add(step.lost);
                }
                Err(error) => {
                    self.waiting.push_front(counts);
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn write(
        &mut self,
        store: &dyn Store,
        counts: &[(Tally, Sum)],
        now: UnixSeconds,
    ) -> Result<Flushed, AccountError> {
        for _ in 0..ATTEMPTS_MAX {
            let draft = self.draft(store, counts)?;
            let before = self.load_sequence(store)?;
            let next = self.sequence.saturating_add(1);
            let key = rows::flush_key(self.node);
            let mut batch = draft.batch();
            batch.expect(Table::Usage, key.clone(), before.as_ref().map(|(_, row)| row.as_slice()));
            batch.put(Table::Usage, key, rows::encode_numbers([next, now.0]));
            match store.commit(batch) {
                Ok(()) => {
                    self.sequence = next;
                    self.prefixes.committed(draft.admission);
                    lose(draft.done.lost, "corrupt");
                    return Ok(draft.done);
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

    /// The rows as they will stand.
    fn draft(&mut self, store: &dyn Store, counts: &[(Tally, Sum)]) -> Result<Draft, AccountError> {
        let mut draft = Draft::default();
        for (tally, sum) in counts {
            let subject = match tally.who {
                Who::Account { account, .. } => Ok(Subject::Account(account)),
                Who::Others => Ok(Subject::OtherPrefixes),
                Who::Address(prefix) => self.prefixes.subject(
                    store,
                    &mut draft.admission,
                    (tally.environment, tally.hour),
                    prefix,
                    self.prefixes_per_hour_max,
                ),
            };
            match subject.and_then(|subject| draft.add(store, &keys_of(tally, subject), *sum)) {
                Ok(()) => draft.done.requests = draft.done.requests.saturating_add(sum.requests),
                Err(error) if is_corrupt_row(&error) => {
                    tracing::error!("{error}, {} requests stay uncounted", sum.requests);
                    draft.done.lost = draft.done.lost.saturating_add(sum.requests);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(draft)
    }

    /// This process's row: the sequence, and the whole row.
    fn load_sequence(&self, store: &dyn Store) -> Result<Option<(u64, Vec<u8>)>, AccountError> {
        let key = rows::flush_key(self.node);
        let Some(row) = store.get(Table::Usage, &key)? else { return Ok(None) };
        let [sequence, _] = rows::decode_numbers(&key, &row)?;
        Ok(Some((sequence, row)))
    }
}

impl Draft {
    /// Adds to every row of `keys`, or to none.
    fn add(&mut self, store: &dyn Store, keys: &[Vec<u8>], sum: Sum) -> Result<(), AccountError> {
        for key in keys {
            if !self.rows.contains_key(key) {
                let before = store.get(Table::Usage, key)?;
                let held = before.as_deref().map(|value| rows::decode_sum(key, value));
                self.rows.insert(key.clone(), (before, held.transpose()?.unwrap_or_default()));
            }
        }
        for key in keys {
            if let Some((_, held)) = self.rows.get_mut(key) {
                held.add(sum);
            }
        }
        Ok(())
    }

    fn batch(&self) -> Batch {
        let mut batch = Batch::new();
        for (key, (before, sum)) in &self.rows {
            if *sum == Sum::default() {
                continue; // loaded for a count whose other rows are damaged
            }
            batch.expect(Table::Usage, key.as_slice(), before.as_deref());
            batch.put(Table::Usage, key.as_slice(), rows::encode_sum(*sum));
        }
        self.admission.write(&mut batch);
        batch
    }
}

/// The row of the hour, and the sums it is part of.
fn keys_of(tally: &Tally, subject: Subject) -> [Vec<u8>; 4] {
    let key = match tally.who {
        Who::Account { key, .. } => Some(key),
        Who::Address(_) | Who::Others => None,
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

/// One damaged row must not keep everybody else's counts out.
fn is_corrupt_row(error: &AccountError) -> bool {
    matches!(error, AccountError::Store(error @ StoreError::Corrupt { .. }) if error.kind() == ErrorKind::Corrupt)
}

fn lose(requests: u64, reason: &'static str) {
    if requests > 0 {
        metrics::counter!(UNCOUNTED, "reason" => reason).increment(requests);
    }
}
