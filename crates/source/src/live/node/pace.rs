//! Load limits per node: calls per second, requests in flight, calls per batch. The batch size is halved on overload
//! and grows back slowly.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use governor::clock::Clock;
use governor::middleware::NoOpMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::live::config::LiveConfig;

/// Successful exchanges before the batch limit grows by a call.
const GOOD_BEFORE_GROWTH: u32 = 16;

const NO_BATCH: Duration = Duration::from_secs(600);

/// Runtime clock; tests can pause the clock.
#[derive(Clone, Debug)]
struct RuntimeClock(Instant);

impl Clock for RuntimeClock {
    type Instant = Duration;

    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

type Limiter = RateLimiter<NotKeyed, InMemoryState, RuntimeClock, NoOpMiddleware<Duration>>;

pub(super) struct NodePace {
    clock: RuntimeClock,
    limiter: Limiter,
    permits: Arc<Semaphore>,
    sizes: Mutex<Sizes>,
}

#[derive(Debug)]
struct Sizes {
    batch: usize,
    batch_max: usize,
    good: u32,
    no_batch_until: Option<Instant>,
    /// Size of the largest answered batch since the last failure.
    answered: usize,
}

impl NodePace {
    pub(super) fn new(config: &LiveConfig) -> Self {
        let clock = RuntimeClock(Instant::now());
        let one = NonZeroU32::MIN;
        let rate = NonZeroU32::new(config.calls_per_second_max).unwrap_or(one);
        let batch = u32::try_from(config.batch_calls_max).unwrap_or(u32::MAX);
        let burst = NonZeroU32::new(batch.max(rate.get())).unwrap_or(one);
        let quota = Quota::per_second(rate).allow_burst(burst);
        Self {
            limiter: RateLimiter::direct_with_clock(quota, clock.clone()),
            clock,
            permits: Arc::new(Semaphore::new(config.calls_in_flight_max.max(1))),
            sizes: Mutex::new(Sizes {
                batch: config.batch_calls_max.max(1),
                batch_max: config.batch_calls_max.max(1),
                good: 0,
                no_batch_until: None,
                answered: 0,
            }),
        }
    }

    fn sizes(&self) -> std::sync::MutexGuard<'_, Sizes> {
        self.sizes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Current limit for calls per request.
    pub(super) fn batch_max(&self) -> usize {
        let mut sizes = self.sizes();
        if sizes.no_batch_until.is_some_and(|until| Instant::now() < until) {
            return 1;
        }
        sizes.no_batch_until = None;
        sizes.batch
    }

    /// Waits for a request slot. `None` after the source is dropped.
    pub(super) async fn leave(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.permits).acquire_owned().await.ok()
    }

    /// Waits until `calls` calls fit the rate.
    pub(super) async fn await_rate(&self, calls: usize) {
        let calls = u32::try_from(calls).unwrap_or(u32::MAX);
        let Some(calls) = NonZeroU32::new(calls) else { return };
        while let Ok(Err(not_until)) = self.limiter.check_n(calls) {
            tokio::time::sleep(not_until.wait_time_from(self.clock.now())).await;
        }
    }

    /// Whether a failed request may have been too large: no batch of this size was answered since the last failure.
    pub(super) fn may_be_too_many(&self, calls: usize) -> bool {
        calls > 1 && calls > std::mem::take(&mut self.sizes().answered)
    }

    /// Records a successful request with `calls` calls; after some successes the batch limit grows by a call.
    pub(super) fn went_well(&self, calls: usize) {
        let mut sizes = self.sizes();
        sizes.answered = sizes.answered.max(calls);
        sizes.good += 1;
        if sizes.good < GOOD_BEFORE_GROWTH {
            return;
        }
        sizes.good = 0;
        sizes.batch = (sizes.batch + 1).min(sizes.batch_max);
    }

    pub(super) fn halve(&self) {
        let calls = self.sizes().batch;
        self.halve_batch(calls);
    }

    /// Halves the batch limit below the failed size.
    pub(super) fn halve_batch(&self, calls: usize) {
        let mut sizes = self.sizes();
        sizes.good = 0;
        sizes.batch = (calls / 2).clamp(1, sizes.batch.max(1));
    }

    /// Halves the batch limit after a refusal; at a single call, batches stop for a while.
    pub(super) fn refused_batch(&self, calls: usize) {
        self.halve_batch(calls);
        if calls <= 3 {
            self.no_batches();
        }
    }

    pub(super) fn no_batches(&self) {
        self.sizes().no_batch_until = Some(Instant::now() + NO_BATCH);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(rate: u32, batch: usize, window: usize) -> NodePace {
        NodePace::new(&LiveConfig {
            calls_per_second_max: rate,
            batch_calls_max: batch,
            calls_in_flight_max: window,
            ..LiveConfig::default()
        })
    }

    #[tokio::test(start_paused = true)]
    async fn calls_past_the_rate_wait_and_no_longer_than_needed() {
        let pace = pace(10, 5, 1);
        let start = Instant::now();
        for _ in 0..10 {
            pace.await_rate(5).await;
        }
        // 50 calls: 10 at once, the others at 10 a second
        let taken = start.elapsed().as_millis();
        assert!((3_900..=4_300).contains(&taken), "{taken} ms");
    }

    #[tokio::test(start_paused = true)]
    async fn batches_halve_and_grow_back_to_their_bound() {
        let pace = pace(1_000, 16, 8);
        for batch in [16, 8, 4, 2, 1, 1] {
            assert_eq!(pace.batch_max(), batch);
            pace.halve();
        }
        for _ in 0..GOOD_BEFORE_GROWTH * 40 {
            pace.went_well(1);
        }
        assert_eq!(pace.batch_max(), 16);
    }

    #[tokio::test(start_paused = true)]
    async fn batches_come_back_after_a_refusal() {
        let pace = pace(1_000, 16, 8);
        pace.no_batches();
        assert_eq!(pace.batch_max(), 1);
        tokio::time::advance(NO_BATCH).await;
        assert_eq!(pace.batch_max(), 16);
        pace.halve_batch(6);
        assert_eq!(pace.batch_max(), 3);
        pace.refused_batch(3);
        assert_eq!(pace.batch_max(), 1);
        tokio::time::advance(NO_BATCH - Duration::from_millis(1)).await;
        assert_eq!(pace.batch_max(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_size_is_suspected_until_a_batch_of_it_was_answered() {
        let pace = pace(1_000, 16, 8);
        assert!(pace.may_be_too_many(2) && !pace.may_be_too_many(1));
        pace.went_well(5);
        assert!(!pace.may_be_too_many(5), "it was answered before");
        assert!(pace.may_be_too_many(5), "but failed since");
        pace.went_well(5);
        assert!(pace.may_be_too_many(6));
    }
}
