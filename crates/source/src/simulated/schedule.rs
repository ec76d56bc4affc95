//! Block schedule and forks: decided by time and number only, nothing is stored.
//!
//! ```text
//!   head at      f-1          f           f+1          f+2          f+3      fork at f, depth 3
//!   shown      .. C         .. C S     .. C S S     .. C S S S    .. C C C C C
//!                                                                      ^ f: another hash now
//! ```

use rand::RngExt;
use superroot_types::UnixSeconds;

use super::config::{REORG_DEPTH_MAX, SimulatedConfig};
use super::entropy::Entropy;

/// The last block's number; no head is higher.
pub(super) const NUMBER_MAX: u64 = 1 << 20;

/// Numbers per window; each window contains at most a single fork, fully inside.
const FORK_WINDOW: u64 = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ForkBranch {
    /// Permanent branch.
    Canonical,
    /// Temporary branch, leaving the canonical branch at `fork`.
    Side { fork: u64 },
}

impl ForkBranch {
    /// Label for randomness.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Canonical => "canonical",
            Self::Side { .. } => "side",
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule {
    entropy: Entropy,
    config: SimulatedConfig,
}

impl Schedule {
    pub(super) const fn new(entropy: Entropy, config: SimulatedConfig) -> Self {
        Self { entropy, config }
    }

    /// The newest block's number; block 0 always exists.
    pub(super) fn head(&self, now: UnixSeconds) -> u64 {
        let elapsed = now.0.saturating_sub(self.config.genesis_time.0);
        (elapsed / self.config.block_time_seconds).min(NUMBER_MAX)
    }

    pub(super) fn safe(&self, head: u64) -> u64 {
        head.saturating_sub(self.config.finality_depth.div_ceil(2).max(REORG_DEPTH_MAX))
    }

    pub(super) const fn finalized(&self, head: u64) -> u64 {
        head.saturating_sub(self.config.finality_depth)
    }

    pub(super) const fn timestamp(&self, number: u64) -> u64 {
        self.config.genesis_time.0 + number * self.config.block_time_seconds
    }

    /// Branch of a block while `head` is the newest.
    pub(super) fn branch(&self, number: u64, head: u64) -> ForkBranch {
        match self.fork_in_window_of(number) {
            Some((fork, depth)) if fork <= number && head < fork + depth => {
                ForkBranch::Side { fork }
            }
            _ => ForkBranch::Canonical,
        }
    }

    /// First number and depth of the fork in the window around `number`.
    fn fork_in_window_of(&self, number: u64) -> Option<(u64, u64)> {
        let window = number / FORK_WINDOW;
        let mut rng = self.entropy.rng("fork", window);
        if !self.config.reorgs || rng.random_range(0..3_u64) == 0 {
            return None;
        }
        let depth = rng.random_range(1..=REORG_DEPTH_MAX);
        let offset = rng.random_range(2..FORK_WINDOW - REORG_DEPTH_MAX);
        Some((window * FORK_WINDOW + offset, depth))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use superroot_types::{ChainId, ChainKey, Family};

    fn schedule(config: SimulatedConfig) -> Schedule {
        let chain = ChainKey { family: Family::Evm, id: ChainId(1) };
        Schedule::new(Entropy::new(config.seed, chain), config)
    }

    #[test]
    fn time_alone_makes_the_head() {
        let schedule = schedule(SimulatedConfig::new(1, UnixSeconds(100)));
        for (now, head) in [(0, 0), (100, 0), (111, 0), (112, 1), (123, 1), (124, 2)] {
            assert_eq!(schedule.head(UnixSeconds(now)), head, "at {now}");
        }
        assert_eq!(schedule.head(UnixSeconds(u64::MAX)), NUMBER_MAX);
        assert_eq!(schedule.timestamp(2), 124);
    }
}
