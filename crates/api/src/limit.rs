//! How many requests a client has left: GCRA, the same as a bucket that refills evenly.
//!
//! ```text
//! client address --key--> bucket of `limit` requests, refilled one by one over a minute
//! ```
//! Memory is bounded: past `clients_max` addresses a rarely seen one is forgotten, which gives it a
//! full bucket again. Who has that many addresses has that many buckets anyway.

use std::convert::Infallible;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use governor::clock::Clock as GovernorClock;
use governor::middleware::StateInformationMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use quick_cache::sync::Cache;
use superroot_types::{Clock, UnixSeconds};

use crate::config::LimitConfig;

const MINUTE_SECONDS: u64 = 60;

/// Who is counted together: an IPv4 address, or a /64 of IPv6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Client(IpAddr);

impl From<IpAddr> for Client {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                Self(IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0)))
            }
            IpAddr::V4(address) => Self(IpAddr::V4(address)),
        }
    }
}

/// What a client has left after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Allowance {
    /// Requests a minute.
    pub(crate) limit: u32,
    /// Requests left.
    pub(crate) remaining: u32,
    /// When all of `limit` are left again.
    pub(crate) reset: UnixSeconds,
    /// Seconds until one is left, where this one was refused.
    pub(crate) retry_after: Option<u64>,
}

type Bucket = RateLimiter<NotKeyed, InMemoryState, Ticks, StateInformationMiddleware>;

/// Counts requests by client.
pub(crate) struct Limiter {
    limit: u32,
    quota: Quota,
    buckets: Cache<Client, Arc<Bucket>>,
    clock: Arc<dyn Clock>,
    ticks: Ticks,
}

impl Limiter {
    /// A limiter of that configuration; `None` where the limit is off.
    pub(crate) fn new(config: &LimitConfig, clock: Arc<dyn Clock>) -> Option<Self> {
        let limit = NonZeroU32::new(config.keyless_per_minute)?;
        let ticks = Ticks::new(Arc::clone(&clock));
        let buckets = Cache::new(config.clients_max.max(1));
        Some(Self { limit: limit.get(), quota: Quota::per_minute(limit), buckets, clock, ticks })
    }

    /// Counts one request.
    pub(crate) fn take(&self, client: Client) -> Allowance {
        let bucket = self.bucket(client);
        let (remaining, wait) = match bucket.check() {
            Ok(state) => (state.remaining_burst_capacity(), None),
            Err(refused) => (0, Some(refused.wait_time_from(self.ticks.now()))),
        };
        let used = u64::from(self.limit.saturating_sub(remaining));
        let refill_seconds = (used * MINUTE_SECONDS).div_ceil(u64::from(self.limit));
        Allowance {
            limit: self.limit,
            remaining,
            reset: UnixSeconds(self.clock.now().0.saturating_add(refill_seconds)),
            retry_after: wait.map(|wait| ceil_seconds(wait).max(1)),
        }
    }

    fn bucket(&self, client: Client) -> Arc<Bucket> {
        let made = self.buckets.get_or_insert_with(&client, || {
            let bucket = RateLimiter::direct_with_clock(self.quota, self.ticks.clone());
            Ok::<_, Infallible>(Arc::new(bucket.with_middleware::<StateInformationMiddleware>()))
        });
        match made {
            Ok(bucket) => bucket,
            Err(never) => match never {},
        }
    }

    #[cfg(test)]
    fn client_count(&self) -> usize {
        self.buckets.len()
    }
}

const fn ceil_seconds(wait: Duration) -> u64 {
    wait.as_secs() + (wait.subsec_nanos() > 0) as u64
}

/// The wall clock made to never run back: when it is set back, time goes on from there.
#[derive(Clone)]
struct Ticks {
    clock: Arc<dyn Clock>,
    /// What the clock said last, and the seconds counted until then.
    last: Arc<Mutex<(UnixSeconds, u64)>>,
}

impl Ticks {
    fn new(clock: Arc<dyn Clock>) -> Self {
        let last = Arc::new(Mutex::new((clock.now(), 0)));
        Self { clock, last }
    }
}

impl fmt::Debug for Ticks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ticks").finish_non_exhaustive()
    }
}

impl GovernorClock for Ticks {
    type Instant = Duration;

    fn now(&self) -> Duration {
        let now = self.clock.now();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (before, counted) = *last;
        let counted = counted.saturating_add(now.0.saturating_sub(before.0));
        *last = (now, counted);
        Duration::from_secs(counted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use superroot_types::ManualClock;

    const NOW: u64 = 1_700_000_000;

    fn limiter(keyless_per_minute: u32, clients_max: usize) -> (Limiter, Arc<ManualClock>) {
        let clock = Arc::new(ManualClock::at(UnixSeconds(NOW)));
        let config = LimitConfig { keyless_per_minute, clients_max };
        (Limiter::new(&config, clock.clone()).unwrap(), clock)
    }

    fn client(text: &str) -> Client {
        text.parse::<IpAddr>().unwrap().into()
    }

    #[test]
    fn the_last_request_of_a_minute_is_let_through_and_the_next_refused() {
        let (limiter, clock) = limiter(100, 10);
        let first = limiter.take(client("192.0.2.1"));
        assert_eq!((first.limit, first.remaining, first.retry_after), (100, 99, None));
        assert_eq!(first.reset, UnixSeconds(NOW + 1));
        let rest: Vec<_> = (0..99).map(|_| limiter.take(client("192.0.2.1"))).collect();
        assert!(rest.iter().all(|allowance| allowance.retry_after.is_none()));
        let last = rest.last().unwrap();
        assert_eq!((last.remaining, last.reset), (0, UnixSeconds(NOW + 60)));
        let refused = limiter.take(client("192.0.2.1"));
        assert_eq!((refused.remaining, refused.retry_after), (0, Some(1)));
        assert_eq!(limiter.take(client("192.0.2.2")).remaining, 99);
        clock.advance(refused.retry_after.unwrap());
        assert_eq!(limiter.take(client("192.0.2.1")).retry_after, None);
        clock.advance(60);
        assert_eq!(limiter.take(client("192.0.2.1")).remaining, 99);
    }

    #[test]
    fn after_retry_after_a_request_is_let_through_even_at_one_a_minute() {
        let (limiter, clock) = limiter(1, 10);
        assert_eq!(limiter.take(client("192.0.2.1")).retry_after, None);
        clock.advance(13);
        let refused = limiter.take(client("192.0.2.1"));
        assert_eq!((refused.retry_after, refused.reset), (Some(47), UnixSeconds(NOW + 73)));
        clock.advance(47);
        assert_eq!(limiter.take(client("192.0.2.1")).retry_after, None);
    }

    #[test]
    fn a_clock_set_back_locks_nobody_out() {
        let (limiter, clock) = limiter(1, 10);
        limiter.take(client("192.0.2.1"));
        clock.set(UnixSeconds(NOW - 86_400));
        assert!(limiter.take(client("192.0.2.1")).retry_after.unwrap() <= 60);
        clock.advance(60);
        assert_eq!(limiter.take(client("192.0.2.1")).retry_after, None);
    }

    #[test]
    fn a_64_of_ipv6_is_one_client_and_a_mapped_address_is_ipv4() {
        assert_eq!(client("2001:db8:0:1::1"), client("2001:db8:0:1:ffff::2"));
        assert_ne!(client("2001:db8:0:1::1"), client("2001:db8:0:2::1"));
        assert_eq!(client("::ffff:192.0.2.1"), client("192.0.2.1"));
        assert_ne!(client("::ffff:192.0.2.1"), client("::ffff:192.0.2.2"));
    }

    #[test]
    fn a_flood_of_addresses_is_forgotten_and_a_busy_client_is_not() {
        let (limiter, _) = limiter(3, 64);
        let busy = client("192.0.2.1");
        for _ in 0..4 {
            limiter.take(busy);
        }
        for number in 0..10_000_u32 {
            limiter.take(Client::from(IpAddr::from(number.to_be_bytes())));
            if number % 16 == 0 {
                limiter.take(busy);
            }
        }
        assert!(limiter.client_count() <= 64, "{}", limiter.client_count());
        assert!(limiter.take(busy).retry_after.is_some());
    }

    #[test]
    fn zero_turns_the_limit_off() {
        let clock = Arc::new(ManualClock::at(UnixSeconds(NOW)));
        let config = LimitConfig { keyless_per_minute: 0, clients_max: 1 };
        assert!(Limiter::new(&config, clock).is_none());
    }

    proptest! {
        /// Whatever the pauses, no window of a minute lets through more than twice the limit (a
        /// full bucket and one refill), and remaining and reset never lie.
        #[test]
        fn no_minute_lets_through_more_than_burst_and_refill(
            limit in 1_u32..50,
            pauses in proptest::collection::vec(0_u64..10, 1..300),
        ) {
            let (limiter, clock) = limiter(limit, 4);
            let mut passed: Vec<u64> = Vec::new();
            for pause in pauses {
                clock.advance(pause);
                let allowance = limiter.take(client("192.0.2.1"));
                prop_assert!(allowance.remaining < limit);
                prop_assert!(allowance.reset.0 > clock.now().0);
                prop_assert!(allowance.reset.0 <= clock.now().0 + 60);
                if allowance.retry_after.is_none() {
                    passed.push(clock.now().0);
                }
            }
            for (index, start) in passed.iter().enumerate() {
                let within = passed[index..].iter().filter(|at| **at < start + 60).count();
                prop_assert!(within <= 2 * limit as usize);
            }
        }
    }
}
