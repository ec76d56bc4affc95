//! Configuration of simulated chains.

use superroot_types::UnixSeconds;

use crate::error::SourceError;

/// Most blocks replaced by a fork; finality is at least as deep.
pub(super) const REORG_DEPTH_MAX: u64 = 3;

/// Latest time of block 0, in Unix seconds: the year 2255.
const GENESIS_TIME_MAX: u64 = 9_000_000_000;

/// Longest block time, in seconds.
const BLOCK_TIME_SECONDS_MAX: u64 = 86_400;

/// A simulated chain's configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimulatedConfig {
    /// Seed; together with the chain key, determines everything on the chain.
    pub seed: u64,
    /// Time of block 0. The first request makes every block up to the head, so choose a time near the clock's.
    pub genesis_time: UnixSeconds,
    /// Block time in seconds, 1 to 86,400.
    pub block_time_seconds: u64,
    /// Distance of the final block below the head, at least 3 blocks.
    pub finality_depth: u64,
    /// Whether the newest blocks are occasionally replaced.
    pub reorgs: bool,
    /// Blocks below this number are mostly empty, and fast to make; the last 256 use gas in a few calls, to raise fees to
    /// the usual level. Block 1 always opens the first markets.
    pub quiet_until: u64,
    /// Transactions per block outside the quiet period, to measure larger blocks; `None`: few, at random. Blocks of
    /// some ledgers have one more or less; ICP ledger blocks always have one.
    pub transactions: Option<u16>,
}

impl SimulatedConfig {
    /// Configuration with Ethereum's times and with reorgs, never quiet.
    #[must_use]
    pub const fn new(seed: u64, genesis_time: UnixSeconds) -> Self {
        Self {
            seed,
            genesis_time,
            block_time_seconds: 12,
            finality_depth: 64,
            reorgs: true,
            quiet_until: 0,
            transactions: None,
        }
    }

    pub(super) fn check(&self) -> Result<(), SourceError> {
        let within = |field, got: u64, range: std::ops::RangeInclusive<u64>, expected| {
            if range.contains(&got) {
                return Ok(());
            }
            Err(SourceError::Config { field, got, expected })
        };
        let genesis_time = self.genesis_time.0;
        within("genesis_time", genesis_time, 0..=GENESIS_TIME_MAX, "0 to 9000000000")?;
        let block_time = self.block_time_seconds;
        within("block_time_seconds", block_time, 1..=BLOCK_TIME_SECONDS_MAX, "1 to 86400")?;
        let depths = REORG_DEPTH_MAX..=u64::MAX;
        within("finality_depth", self.finality_depth, depths, "at least 3")
    }
}

/// A simulated chain's block sizes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) quiet_until: u64,
    pub(super) transactions: Option<u16>,
}

impl Size {
    pub(super) const fn of(config: &SimulatedConfig) -> Self {
        Self { quiet_until: config.quiet_until, transactions: config.transactions }
    }
}
