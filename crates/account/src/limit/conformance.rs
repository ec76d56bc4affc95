//! Conformance suite for every implementation of [`Counters`].

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::thread;

use superroot_types::{Clock, ManualClock, UnixSeconds};

use super::{Allowance, Counter, Counters, RefillPeriod, RequestRate};
use crate::{AccountId, KeyId};

const NOW: UnixSeconds = UnixSeconds(1_700_000_000);

/// Checks every law against counters that `make` builds on a clock.
///
/// # Panics
/// If a law is broken.
pub fn check<C: Counters>(make: impl Fn(Arc<dyn Clock>) -> C) {
    let laws: [fn(&dyn Counters, &ManualClock); 8] = [
        a_limit_is_let_through_and_no_more,
        a_bucket_refills_one_by_one,
        peeking_takes_nothing,
        kinds_and_names_have_their_own_buckets,
        a_new_limit_holds_at_once_and_grants_nothing,
        a_clock_set_back_locks_nobody_out,
        periods_are_as_long_as_they_say,
        threads_together_get_no_more_than_one,
    ];
    for law in laws {
        let clock = Arc::new(ManualClock::at(NOW));
        law(&make(clock.clone()), &clock);
    }
}

fn per_minute(limit: u32) -> RequestRate {
    RequestRate::per_minute(limit).expect("limits of the suite are above zero")
}

fn address(last: u8) -> Counter {
    Counter::Address(IpAddr::V4(Ipv4Addr::new(192, 0, 2, last)).into())
}

fn every_kind() -> [Counter; 10] {
    let prefix = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)).into();
    [
        Counter::Address(prefix),
        Counter::File(prefix),
        Counter::Account(AccountId::random()),
        Counter::OfKeys(KeyId::random()),
        Counter::OfKeysFrom(prefix),
        Counter::FailedKey(prefix),
        Counter::KeyLook(prefix),
        Counter::KeyLooks,
        Counter::Registration(prefix),
        Counter::ContractCheck(prefix),
    ]
}

fn drain(counters: &dyn Counters, counter: Counter, rate: RequestRate) -> Vec<Allowance> {
    let takes = (0..rate.limit.get()).map(|_| counters.take(counter, rate));
    takes.take_while(Allowance::is_allowed).collect()
}

fn a_limit_is_let_through_and_no_more(counters: &dyn Counters, clock: &ManualClock) {
    for counter in every_kind() {
        let passed = drain(counters, counter, per_minute(100));
        assert_eq!(passed.len(), 100, "{counter:?}");
        let remaining: Vec<_> = passed.iter().map(|allowance| allowance.remaining).collect();
        assert!(remaining.iter().rev().copied().eq(0..100), "{remaining:?}");
        assert_eq!(passed[99].reset, UnixSeconds(clock.now().0 + 60));
        let refused = counters.take(counter, per_minute(100));
        assert_eq!((refused.limit, refused.remaining, refused.retry_after), (100, 0, Some(1)));
        assert_eq!(refused.reset, UnixSeconds(clock.now().0 + 60));
    }
}

fn a_bucket_refills_one_by_one(counters: &dyn Counters, clock: &ManualClock) {
    for counter in every_kind() {
        drain(counters, counter, per_minute(100));
        clock.advance_ms(599);
        assert!(!counters.take(counter, per_minute(100)).is_allowed());
        clock.advance_ms(1);
        assert!(counters.take(counter, per_minute(100)).is_allowed());
        assert!(!counters.take(counter, per_minute(100)).is_allowed());
        clock.advance(60);
        assert_eq!(counters.take(counter, per_minute(100)).remaining, 99);
    }
}

fn peeking_takes_nothing(counters: &dyn Counters, _: &ManualClock) {
    for counter in every_kind() {
        for _ in 0..3 {
            let seen = counters.peek(counter, per_minute(1));
            assert_eq!((seen.remaining, seen.retry_after), (1, None));
        }
        counters.take(counter, per_minute(1));
        let seen = counters.peek(counter, per_minute(1));
        assert_eq!((seen.remaining, seen.retry_after), (0, Some(60)));
    }
}

fn kinds_and_names_have_their_own_buckets(counters: &dyn Counters, _: &ManualClock) {
    for counter in every_kind() {
        assert!(counters.take(counter, per_minute(1)).is_allowed(), "{counter:?}");
    }
    assert!(counters.take(address(2), per_minute(1)).is_allowed());
    assert!(counters.take(Counter::Account(AccountId::random()), per_minute(1)).is_allowed());
}

fn a_new_limit_holds_at_once_and_grants_nothing(counters: &dyn Counters, clock: &ManualClock) {
    for counter in every_kind() {
        drain(counters, counter, per_minute(100));
        let lifted = counters.take(counter, per_minute(1_000));
        assert_eq!((lifted.limit, lifted.is_allowed()), (1_000, false));
        clock.advance_ms(60);
        assert!(counters.take(counter, per_minute(1_000)).is_allowed());
        clock.advance(60);
        drain(counters, counter, per_minute(1_000));
        assert!(!counters.take(counter, per_minute(100)).is_allowed());
        clock.advance(60);
        assert_eq!(counters.take(counter, per_minute(100)).remaining, 99);
    }
}

fn a_clock_set_back_locks_nobody_out(counters: &dyn Counters, clock: &ManualClock) {
    for counter in every_kind() {
        counters.take(counter, per_minute(1));
        clock.set(UnixSeconds(clock.now().0 - 86_400));
        let refused = counters.take(counter, per_minute(1));
        assert!(refused.retry_after.is_some_and(|seconds| seconds <= 60), "{refused:?}");
        clock.advance(60);
        assert!(counters.take(counter, per_minute(1)).is_allowed());
    }
}

fn periods_are_as_long_as_they_say(counters: &dyn Counters, clock: &ManualClock) {
    let periods = [(RefillPeriod::Minute, 60), (RefillPeriod::Hour, 3_600)];
    for (place, (period, seconds)) in (10..).zip(periods) {
        let rate = RequestRate::per(period, 2).expect("two is above zero");
        drain(counters, address(place), rate);
        let refused = counters.take(address(place), rate);
        assert_eq!(refused.retry_after, Some(seconds / 2));
        assert_eq!(refused.reset, UnixSeconds(clock.now().0 + seconds));
    }
}

fn threads_together_get_no_more_than_one(counters: &dyn Counters, _: &ManualClock) {
    for counter in every_kind() {
        let worker = || (0..200).filter(|_| counters.take(counter, per_minute(300)).is_allowed());
        let passed: usize = thread::scope(|scope| {
            let workers = [0; 4].map(|_| scope.spawn(|| worker().count()));
            workers.into_iter().map(|it| it.join().expect("a worker ends")).sum()
        });
        assert_eq!(passed, 300, "{counter:?}");
    }
}
