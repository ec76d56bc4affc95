//! Where every choice of a run comes from: streams of numbers, each of one seed and one purpose.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use superroot_proof::hash::keccak256_joined;

/// A stream of choices. Two purposes share nothing, so a choice more here changes nothing there.
pub(crate) struct Dice(ChaCha8Rng);

impl Dice {
    pub(crate) fn new(seed: u64, purpose: &str) -> Self {
        let bytes = keccak256_joined(&[b"superroot sim", &seed.to_be_bytes(), purpose.as_bytes()]);
        Self(ChaCha8Rng::from_seed(bytes.0))
    }

    /// A number from 0 to below `end`; 0 where there is no other.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        if end < 2 { 0 } else { self.0.random_range(0..end) }
    }

    /// A number from `low` to `high`, both possible.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// Whether something of that likelihood happens.
    pub(crate) fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }

    /// One of them; there is at least one.
    pub(crate) fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize].clone()
    }

    /// The numbers below `count` in some order.
    pub(crate) fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for place in (1..count).rev() {
            order.swap(place, self.below(place as u64 + 1) as usize);
        }
        order
    }
}
