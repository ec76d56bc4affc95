use std::cell::Cell;
use std::time::Duration;

use governor::clock::Clock;
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::{NotKeyed, StateStore};
use governor::{Quota, RateLimiter};
use superroot_types::UnixSeconds;

use super::ticks::TickReading;
use super::{Allowance, RequestRate};

const NANOSECONDS_PER_MS: u64 = 1_000_000;
const MILLISECONDS: u64 = 1_000;
const NANOSECONDS: u64 = 1_000_000_000;

/// Time at which a bucket is full, in nanoseconds of [`super::ticks::Ticks`]. Zero means always full.
pub(super) type FullAt = u64;

type Bucket<'a> = RateLimiter<NotKeyed, UntilFull<'a>, BucketLevel, NoOpMiddleware<Duration>>;

/// Takes one request. Returns the bucket afterwards, and the allowance.
pub(super) fn take(full_at: FullAt, rate: RequestRate, now: TickReading) -> (FullAt, Allowance) {
    let until_full = Cell::new(full_at.saturating_sub(now.ticks_ns));
    let period = rate.period.duration();
    let each = (period / rate.limit.get()).max(Duration::from_nanos(1));
    let quota = Quota::with_period(each)
        .expect("a nanosecond or more is more than nothing")
        .allow_burst(rate.limit);
    let limiter: Bucket<'_> = RateLimiter::new(quota, UntilFull(&until_full), BucketLevel);
    let wait_ns = match limiter.check() {
        Ok(()) => None,
        Err(refused) => Some(nanoseconds(refused.wait_time_from(Duration::ZERO))),
    };
    let next =
        if wait_ns.is_some() { full_at } else { now.ticks_ns.saturating_add(until_full.get()) };
    (next, allowance(until_full.get(), rate, now, wait_ns))
}

/// Refill times of one request and of the whole bucket, in nanoseconds.
fn lengths(rate: RequestRate) -> (u64, u64) {
    let limit = u64::from(rate.limit.get());
    let each_ns = (nanoseconds(rate.period.duration()) / limit).max(1);
    (each_ns, each_ns.saturating_mul(limit))
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Allowance of one more request, for headers: nothing is taken.
pub(super) fn peek(full_at: FullAt, rate: RequestRate, now: TickReading) -> Allowance {
    let (_, taken) = take(full_at, rate, now);
    let until_full = full_at.saturating_sub(now.ticks_ns);
    Allowance { retry_after: taken.retry_after, ..allowance(until_full, rate, now, None) }
}

fn allowance(
    until_full: u64,
    rate: RequestRate,
    now: TickReading,
    wait_ns: Option<u64>,
) -> Allowance {
    let (each_ns, all_ns) = lengths(rate);
    let left_ns = all_ns.saturating_sub(until_full);
    let remaining = if wait_ns.is_some() { 0 } else { left_ns / each_ns };
    let next_ns = each_ns - left_ns % each_ns; // `each_ns` is at least 1
    let full_ms = now.wall_ms.saturating_add(until_full.div_ceil(NANOSECONDS_PER_MS));
    Allowance {
        limit: rate.limit.get(),
        period: rate.period,
        remaining: u32::try_from(remaining).unwrap_or(u32::MAX),
        reset: UnixSeconds(full_ms.div_ceil(MILLISECONDS)),
        next_after: next_ns.div_ceil(NANOSECONDS),
        retry_after: wait_ns.map(|wait| wait.div_ceil(NANOSECONDS).max(1)),
    }
}

/// Limiter state relative to now: nanoseconds until the bucket is full.
struct UntilFull<'a>(&'a Cell<u64>);

impl StateStore for UntilFull<'_> {
    type Key = NotKeyed;

    fn measure_and_replace<T, F, E>(&self, _: &NotKeyed, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let (decided, until_full) = decide(Some(Nanos::new(self.0.get())))?;
        self.0.set(until_full.as_u64());
        Ok(decided)
    }
}

/// Clock that always reads zero, as the state is relative to now.
struct BucketLevel;

impl Clock for BucketLevel {
    type Instant = Duration;

    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::RefillPeriod;
    use proptest::prelude::*;

    const WALL_MS: u64 = 1_700_000_000_000;

    fn at(ms: u64) -> TickReading {
        TickReading { wall_ms: WALL_MS + ms, ticks_ns: ms * NANOSECONDS_PER_MS }
    }

    fn per_minute(limit: u32) -> RequestRate {
        RequestRate::per_minute(limit).unwrap()
    }

    /// Requests at these times, and which were let through.
    fn passed(rate: RequestRate, times_ms: &[u64]) -> Vec<u64> {
        let mut full_at = 0;
        let mut passed = Vec::new();
        for time in times_ms {
            let (next, allowance) = take(full_at, rate, at(*time));
            full_at = next;
            if allowance.is_allowed() {
                passed.push(*time);
            }
        }
        passed
    }

    #[test]
    fn headers_say_what_is_left_and_when_it_is_full() {
        let (full_at, first) = take(0, per_minute(100), at(0));
        assert_eq!((first.limit, first.remaining, first.retry_after), (100, 99, None));
        assert_eq!((first.reset, first.next_after), (UnixSeconds(WALL_MS / 1_000 + 1), 1));
        let (full_at_slow, slow) = take(0, per_minute(4), at(0));
        assert_eq!((slow.remaining, slow.next_after), (3, 15));
        assert_eq!(peek(full_at_slow, per_minute(4), at(9_500)).next_after, 6);
        assert_eq!(peek(full_at, per_minute(100), at(600)).remaining, 100);
        assert_eq!(peek(full_at, per_minute(100), at(599)).remaining, 99);
    }

    #[test]
    fn a_refused_request_takes_nothing_and_learns_when_to_come_again() {
        let (full_at, _) = take(0, per_minute(1), at(0));
        let (after, refused) = take(full_at, per_minute(1), at(12_500));
        assert_eq!((after, refused.remaining, refused.retry_after), (full_at, 0, Some(48)));
        assert_eq!(refused.reset, UnixSeconds(WALL_MS / 1_000 + 60));
        assert!(take(after, per_minute(1), at(60_000)).1.is_allowed());
        assert!(!take(after, per_minute(1), at(59_999)).1.is_allowed());
    }

    #[test]
    fn the_largest_limit_and_the_longest_time_are_no_fault() {
        for period in [RefillPeriod::Second, RefillPeriod::Minute, RefillPeriod::Hour] {
            let rate = RequestRate::per(period, u32::MAX).unwrap();
            let end = TickReading { wall_ms: u64::MAX, ticks_ns: u64::MAX };
            let (full_at, allowance) = take(0, rate, end);
            assert!(allowance.is_allowed());
            assert_eq!(full_at, u64::MAX);
            assert!(take(u64::MAX, rate, at(0)).1.retry_after.is_some());
        }
    }

    proptest! {
        /// Nobody gets more than two limits within any minute, whatever the pauses.
        #[test]
        fn no_minute_lets_through_more_than_burst_and_refill(
            limit in 1_u32..50,
            pauses in proptest::collection::vec(0_u64..4_000, 1..400),
        ) {
            let mut now = 0;
            let times: Vec<_> = pauses.iter().map(|pause| { now += pause; now }).collect();
            let passed = passed(per_minute(limit), &times);
            for (index, start) in passed.iter().enumerate() {
                let within = passed[index..].iter().filter(|time| **time < start + 60_000).count();
                prop_assert!(within <= 2 * limit as usize);
            }
        }

        /// Who never sends more than the limit within any minute is never refused, in whatever
        /// bursts.
        #[test]
        fn who_stays_within_the_limit_is_never_refused(
            limit in 1_u32..40,
            pauses in proptest::collection::vec(prop_oneof![Just(0), 0_u64..9_000], 1..300),
        ) {
            let mut sent: Vec<u64> = Vec::new();
            let mut now = 0_u64;
            for pause in pauses {
                now += pause;
                let limit = limit as usize;
                if sent.len() >= limit {
                    now = now.max(sent[sent.len() - limit] + 60_000); // the minute before is free
                }
                sent.push(now);
            }
            prop_assert_eq!(passed(per_minute(limit), &sent), sent);
        }

        /// Who sends evenly at the limit is never refused, at any limit.
        #[test]
        fn who_sends_evenly_at_the_limit_is_never_refused(limit in 1_u64..20_000) {
            let times: Vec<_> = (0..3_000).map(|number| number * 60_000 / limit).collect();
            let rate = per_minute(u32::try_from(limit).unwrap());
            prop_assert_eq!(passed(rate, &times).len(), times.len());
        }

        /// A change of the limit leaves the bucket as full as it was: never a fresh burst.
        #[test]
        fn a_change_of_the_limit_grants_no_burst(
            before in 1_u32..10_000,
            after in 1_u32..10_000,
            used in 0.0_f64..1.0,
        ) {
            let used = (f64::from(before) * used) as usize;
            let mut full_at = 0;
            for _ in 0..used {
                full_at = take(full_at, per_minute(before), at(0)).0;
            }
            let left = peek(full_at, per_minute(after), at(0)).remaining;
            let share = u64::from(after) * (u64::from(before) - used as u64) / u64::from(before);
            prop_assert!(u64::from(left).abs_diff(share) <= 1, "{left} of {after}, not {share}");
        }

        /// Remaining is what is let through next, and reset is when it is full: neither lies.
        #[test]
        fn remaining_and_reset_are_true(
            limit in 1_u32..60,
            used in 0_u32..80,
            later in 0_u64..70_000,
        ) {
            let rate = per_minute(limit);
            let full_at = (0..used).fold(0, |full_at, _| take(full_at, rate, at(0)).0);
            let told = peek(full_at, rate, at(later));
            let burst = vec![later; 100];
            let mut got = 0;
            let mut bucket = full_at;
            for time in burst {
                let (next, allowance) = take(bucket, rate, at(time));
                bucket = next;
                got += u32::from(allowance.is_allowed());
            }
            prop_assert_eq!(got, told.remaining);
            prop_assert_eq!(told.retry_after.is_some(), told.remaining == 0);
            if told.remaining < limit {
                let next = peek(full_at, rate, at(later + 1_000 * told.next_after));
                prop_assert!(next.remaining > told.remaining, "{next:?} after {told:?}");
            }
            let reset_ms = (told.reset.0 * 1_000).saturating_sub(WALL_MS);
            prop_assert_eq!(peek(full_at, rate, at(reset_ms)).remaining, limit);
            if reset_ms > later + 1_000 {
                prop_assert!(peek(full_at, rate, at(reset_ms - 1_000)).remaining < limit);
            }
        }
    }
}
