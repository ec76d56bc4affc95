//! Counts in memory.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};

use foldhash::quality::RandomState;

use super::{Counted, MeterConfig, Sum, Tally, UNCOUNTED, Who};

/// Maps, each behind its own lock; a thread begins at one of its own.
const SHARDS: usize = 16;

type Map = HashMap<Tally, Sum, RandomState>;

/// Counts requests in memory, until they are drained. Never waits: a map that somebody else holds is
/// passed over for the next one, and what finds no room is counted as uncounted.
pub struct Meter {
    shards: [Mutex<Shard>; SHARDS],
    /// A drained map that keeps its room, so that counting seldom has to make some.
    spare: Mutex<Vec<Map>>,
    uncounted: AtomicU64,
    entries_max: usize,
    keyless_max: usize,
}

#[derive(Default)]
struct Shard {
    counts: Map,
    /// Entries of address prefixes among them.
    keyless: usize,
}

/// Counts that were drained from a [`Meter`].
#[derive(Debug, Default)]
pub struct Counts(pub(crate) Map);

impl Counts {
    /// Requests counted.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.0.values().fold(0, |all, sum| all.saturating_add(sum.requests))
    }

    /// Rows of hours that they make.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Meter {
    /// A meter of that configuration, empty.
    #[must_use]
    pub fn new(config: &MeterConfig) -> Self {
        Self {
            shards: Default::default(),
            spare: Mutex::default(),
            uncounted: AtomicU64::new(0),
            entries_max: config.entries_max.div_ceil(SHARDS).max(1),
            keyless_max: config.keyless_entries_max.div_ceil(SHARDS),
        }
    }

    /// Counts one request. Where there is no room for its address prefix it counts as one of the
    /// others; where there is none for its account it is not counted.
    pub fn count(&self, counted: &Counted) {
        let (tally, sum) = (counted.tally(), counted.sum());
        let first = first_shard();
        for step in 0..SHARDS {
            let shard = match self.shards[(first + step) % SHARDS].try_lock() {
                Ok(shard) => Some(shard),
                Err(TryLockError::Poisoned(shard)) => Some(shard.into_inner()),
                Err(TryLockError::WouldBlock) => None,
            };
            if shard.is_some_and(|mut shard| shard.count(tally, sum, self)) {
                return;
            }
        }
        self.uncounted.fetch_add(1, Ordering::Relaxed);
        metrics::counter!(UNCOUNTED, "reason" => "overflow").increment(1);
    }

    /// Requests that found no room since the meter was made.
    #[must_use]
    pub fn uncounted(&self) -> u64 {
        self.uncounted.load(Ordering::Relaxed)
    }

    /// Takes everything that was counted.
    #[must_use]
    pub fn drain(&self) -> Counts {
        let mut counts = Map::default();
        for shard in &self.shards {
            let mut map = self.spare().pop().unwrap_or_default();
            {
                let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
                std::mem::swap(&mut shard.counts, &mut map);
                shard.keyless = 0;
            }
            for (tally, sum) in map.drain() {
                counts.entry(tally).or_insert_with(Sum::default).add(sum);
            }
            self.spare().push(map);
        }
        Counts(counts)
    }

    fn spare(&self) -> std::sync::MutexGuard<'_, Vec<Map>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shard {
    /// Whether it was counted.
    fn count(&mut self, mut tally: Tally, sum: Sum, bounds: &Meter) -> bool {
        if let Some(counted) = self.counts.get_mut(&tally) {
            counted.add(sum);
            return true;
        }
        if matches!(tally.who, Who::Address(_)) {
            if self.keyless < bounds.keyless_max {
                self.keyless += 1;
            } else {
                tally.who = Who::Others;
                if let Some(counted) = self.counts.get_mut(&tally) {
                    counted.add(sum);
                    return true;
                }
            }
        }
        let has_room = self.counts.len() < bounds.entries_max;
        if has_room {
            self.counts.insert(tally, sum);
        }
        has_room
    }
}

/// Where this thread begins, so that threads seldom meet.
fn first_shard() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static FIRST: Cell<usize> =
            Cell::new(THREADS.fetch_add(1, Ordering::Relaxed) % SHARDS);
    }
    FIRST.with(Cell::get)
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;
    use crate::meter::{Caller, Route, StatusClass};
    use crate::{AccountId, Environment, KeyId};
    use superroot_types::UnixSeconds;

    fn meter(entries_max: usize, keyless_entries_max: usize) -> Meter {
        Meter::new(&MeterConfig { entries_max, keyless_entries_max, ..MeterConfig::default() })
    }

    fn request(caller: Caller) -> Counted {
        Counted {
            environment: Environment::Test,
            caller,
            route: Route(3),
            chain: None,
            status: StatusClass::Success,
            weight: 2,
            at: UnixSeconds(1_700_000_000),
        }
    }

    fn account() -> Caller {
        Caller::Account { account: AccountId::random(), key: KeyId::random() }
    }

    fn address(number: u32) -> Caller {
        Caller::Address(IpAddr::from(number.to_be_bytes()).into())
    }

    #[test]
    fn what_is_counted_is_drained_once_and_in_one_sum() {
        let meter = meter(1_000, 100);
        let mine = request(account());
        for _ in 0..5 {
            meter.count(&mine);
        }
        meter.count(&Counted { status: StatusClass::ClientError, ..mine });
        let counts = meter.drain();
        assert_eq!((counts.len(), counts.requests()), (2, 6));
        assert_eq!(counts.0[&mine.tally()], Sum { requests: 5, tokens: 10 });
        let failed = Counted { status: StatusClass::ClientError, ..mine }.tally();
        assert_eq!(counts.0[&failed], Sum { requests: 1, tokens: 0 });
        assert!(meter.drain().is_empty());
    }

    #[test]
    fn threads_that_count_while_others_drain_lose_nothing() {
        let meter = meter(10_000, 100);
        let callers = [account(), account(), address(1)];
        let drained: u64 = std::thread::scope(|scope| {
            let counting = [0, 1, 2, 3].map(|_| {
                scope.spawn(|| (0..5_000).for_each(|n| meter.count(&request(callers[n % 3]))))
            });
            let mut drained = 0;
            while counting.iter().any(|thread| !thread.is_finished()) {
                drained += meter.drain().requests();
            }
            drained
        });
        assert_eq!(drained + meter.drain().requests() + meter.uncounted(), 20_000);
        assert_eq!(meter.uncounted(), 0);
    }

    #[test]
    fn a_flood_of_addresses_takes_no_room_from_accounts_and_is_counted_as_others() {
        let meter = meter(16_000, 1_600);
        for number in 0..100_000 {
            meter.count(&request(address(number)));
        }
        for _ in 0..1_000 {
            meter.count(&request(account()));
        }
        let counts = meter.drain();
        assert_eq!((counts.requests(), meter.uncounted()), (101_000, 0));
        assert!(counts.len() <= 1_600 + 1_000 + SHARDS, "{}", counts.len());
        let others = Tally { who: Who::Others, ..request(address(0)).tally() };
        assert!(counts.0[&others].requests > 90_000);
    }

    #[test]
    fn what_finds_no_room_is_not_counted_and_said_so() {
        let meter = meter(160, 0);
        let kept: Vec<_> = (0..160).map(|_| request(account())).collect();
        kept.iter().for_each(|request| meter.count(request));
        for _ in 0..50 {
            meter.count(&request(account()));
        }
        kept.iter().for_each(|request| meter.count(request));
        assert_eq!(meter.uncounted(), 50);
        assert_eq!((meter.drain().requests(), meter.drain().len()), (320, 0));
    }
}
