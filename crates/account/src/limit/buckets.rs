//! Buckets by name, in this process.

use std::convert::Infallible;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use quick_cache::sync::Cache;

use super::ticks::Moment;
use super::{Allowance, Rate, bucket};

/// Buckets of one kind: so many at most, of which the rarely asked are forgotten. That gives such a one
/// a full bucket, and who has that many names has that many buckets anyway.
pub(super) struct Buckets<K>(Cache<K, Arc<AtomicU64>>);

impl<K: Clone + Eq + Hash> Buckets<K> {
    pub(super) fn new(max: usize) -> Self {
        Self(Cache::new(max.max(1)))
    }

    /// Takes one request from the bucket, if it holds one. Of requests made at one time, by whichever
    /// threads, no more pass than one after another.
    pub(super) fn take(&self, name: K, rate: Rate, now: Moment) -> Allowance {
        let made = self.0.get_or_insert_with(&name, || Ok::<_, Infallible>(Arc::default()));
        let Ok(full_at) = made;
        let mut before = full_at.load(Ordering::Acquire);
        loop {
            let (after, allowance) = bucket::take(before, rate, now);
            let (done, read) = (Ordering::AcqRel, Ordering::Acquire);
            match full_at.compare_exchange_weak(before, after, done, read) {
                Ok(_) => return allowance,
                Err(other) => before = other,
            }
        }
    }

    /// What [`Buckets::take`] would answer, with nothing taken.
    pub(super) fn peek(&self, name: &K, rate: Rate, now: Moment) -> Allowance {
        let full_at = self.0.get(name).map_or(0, |held| held.load(Ordering::Acquire));
        bucket::peek(full_at, rate, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Moment = Moment { wall_ms: 1_700_000_000_000, ticks_ns: 0 };

    #[test]
    fn threads_together_get_no_more_than_one() {
        let (buckets, rate) = (Buckets::new(64), Rate::per_minute(300).unwrap());
        let worker = || (0..200).filter(|_| buckets.take(7, rate, NOW).is_allowed()).count();
        let passed: usize = std::thread::scope(|scope| {
            let workers = [0; 4].map(|_| scope.spawn(worker));
            workers.into_iter().map(|it| it.join().unwrap()).sum()
        });
        assert_eq!(passed, 300);
    }

    #[test]
    fn a_flood_of_names_is_forgotten_and_a_busy_one_is_not() {
        let (buckets, rate) = (Buckets::new(64), Rate::per_minute(3).unwrap());
        for _ in 0..4 {
            buckets.take(u32::MAX, rate, NOW);
        }
        for number in 0..10_000 {
            buckets.take(number, rate, NOW);
            if number % 16 == 0 {
                buckets.take(u32::MAX, rate, NOW);
            }
        }
        assert!(buckets.0.len() <= 64, "{}", buckets.0.len());
        assert!(!buckets.peek(&u32::MAX, rate, NOW).is_allowed());
    }
}
