use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use foldhash::quality::RandomState;

use super::{CountedRequest, MeterConfig, Tally, UsageSum};

/// Answered and uncounted requests.
pub(super) const UNCOUNTED: &str = "superroot_account_uncounted_total";

/// Number of maps, each with its own lock, so that threads seldom collide.
const SHARDS: usize = 16;

type Map = HashMap<Tally, UsageSum, RandomState>;

/// Request counter in memory, until drained. Counts without room become uncounted.
pub struct Meter {
    shards: [Mutex<Map>; SHARDS],
    hasher: RandomState,
    uncounted: AtomicU64,
    entries_max: usize,
}

impl Meter {
    #[must_use]
    pub fn new(config: &MeterConfig) -> Self {
        metrics::counter!(UNCOUNTED).increment(0); // stands at 0 from the start
        Self {
            shards: Default::default(),
            hasher: RandomState::default(),
            uncounted: AtomicU64::new(0),
            entries_max: config.entries_max.div_ceil(SHARDS),
        }
    }

    /// Counts one request, if there is room.
    pub fn count(&self, counted: &CountedRequest) {
        self.add(counted.tally(), counted.sum());
    }

    /// Adds the weight of a delivery by a counted request; adds no request.
    pub fn weigh(&self, counted: &CountedRequest) {
        self.add(counted.tally(), UsageSum { requests: 0, ..counted.sum() });
    }

    fn add(&self, tally: Tally, sum: UsageSum) {
        let shard = self.hasher.hash_one(tally) % SHARDS as u64;
        let mut shard = lock(&self.shards[shard as usize]);
        if let Some(held) = shard.get_mut(&tally) {
            held.add(sum);
        } else if shard.len() < self.entries_max {
            shard.insert(tally, sum);
        } else {
            drop(shard);
            self.uncounted.fetch_add(1, Ordering::Relaxed);
            metrics::counter!(UNCOUNTED).increment(1);
        }
    }

    /// Requests without room since the meter's creation.
    #[must_use]
    pub fn uncounted(&self) -> u64 {
        self.uncounted.load(Ordering::Relaxed)
    }

    /// Removes and returns all counts.
    pub(crate) fn drain(&self) -> Vec<(Tally, UsageSum)> {
        self.shards.iter().flat_map(|shard| std::mem::take(&mut *lock(shard))).collect()
    }
}

fn lock(shard: &Mutex<Map>) -> MutexGuard<'_, Map> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meter::{MeteredCaller, RouteNumber, StatusClass};
    use crate::{AccountId, Environment, KeyId};
    use superroot_types::UnixSeconds;

    fn meter(entries_max: usize) -> Meter {
        Meter::new(&MeterConfig { entries_max, ..MeterConfig::default() })
    }

    fn request() -> CountedRequest {
        CountedRequest {
            environment: Environment::Test,
            caller: MeteredCaller::Account { account: AccountId::random(), key: KeyId::random() },
            route: RouteNumber(3),
            chain: None,
            status: StatusClass::Success,
            weight: 2,
            at: UnixSeconds(1_700_000_000),
        }
    }

    fn requests(meter: &Meter) -> u64 {
        meter.drain().iter().map(|(_, sum)| sum.requests).sum()
    }

    #[test]
    fn what_is_counted_is_drained_once_and_in_one_sum() {
        let (meter, mine) = (meter(1_000), request());
        let failed = CountedRequest { status: StatusClass::ClientError, ..mine };
        for counted in [mine, mine, mine, failed] {
            meter.count(&counted);
        }
        let counts: Map = meter.drain().into_iter().collect();
        assert_eq!(counts[&mine.tally()], UsageSum { requests: 3, tokens: 6 });
        assert_eq!(counts[&failed.tally()], UsageSum { requests: 1, tokens: 0 });
        assert!(counts.len() == 2 && meter.drain().is_empty());
    }

    #[test]
    fn threads_that_count_while_others_drain_lose_nothing() {
        let (meter, mine) = (meter(10_000), [request(), request()]);
        let drained: u64 = std::thread::scope(|scope| {
            let counting = [0, 1, 2, 3]
                .map(|_| scope.spawn(|| (0..5_000).for_each(|n: usize| meter.count(&mine[n % 2]))));
            let mut drained = 0;
            while counting.iter().any(|thread| !thread.is_finished()) {
                drained += requests(&meter);
            }
            drained
        });
        assert_eq!((drained + requests(&meter), meter.uncounted()), (20_000, 0));
    }

    #[test]
    fn what_finds_no_room_is_not_counted_and_said_so() {
        let meter = meter(160);
        let callers: Vec<_> = (0..1_000).map(|_| request()).collect();
        callers.iter().for_each(|request| meter.count(request));
        let refused = meter.uncounted();
        assert!((840..1_000).contains(&refused), "{refused}");
        callers.iter().for_each(|request| meter.count(request)); // those that are there have room
        assert_eq!(meter.uncounted(), 2 * refused);
        assert_eq!(requests(&meter), 2_000 - 2 * refused);
    }
}
