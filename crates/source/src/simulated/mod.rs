//! Made-up chains by their ledgers' rules: the same for one seed, on every machine. Blocks, signatures,
//! roots, blooms and gas are real; what is missing is a state, so balances are not kept and a state
//! root is a random hash.
//!
//! ```text
//!   seed ── Entropy ──┬── Schedule   how many blocks there are, which of two siblings is shown
//!   clock ────────────┘      │
//!                            ├── evm        Ethereum's rules: transfers, swaps, launches, fees
//!                            ├── made       any other ledger's: its folder makes one block of another
//!                            └── History    what was made, while it is in use
//! ```
//!
//! Block `n` appears `n` block times after genesis. Now and then the newest one to three blocks are
//! on a branch that the next block replaces; what was called safe or final never is.

mod entropy;
mod evm;
mod history;
pub(crate) mod made;
mod schedule;

use std::sync::{Arc, Mutex, PoisonError};

use superroot_chain::{ChainRow, Encoding, Ledger, UntrustedBlock};
use superroot_proof::ledger::evm::Layout;
use superroot_proof::registry::Rule;
use superroot_types::{BlockNumber, ChainKey, Clock, Network, TWIG_BLOCKS, UnixSeconds};

use entropy::Entropy;
use evm::Builder;
pub use evm::{DAI, FACTORY, ROUTER, USDC, WBTC, WETH, pair_address};
use history::{Blocks, History};
use made::Maker;
use schedule::{REORG_DEPTH_MAX, Schedule};

use crate::error::SourceError;
use crate::{
    About, Agreement, BlockAt, BlockId, Fetched, Fetching, NUMBERS_MAX, Parts, Source, Tip,
    off_thread,
};

/// Latest time of block 0, in Unix seconds: the year 2255.
const GENESIS_TIME_MAX: u64 = 9_000_000_000;

/// Longest time between blocks, in seconds.
const BLOCK_TIME_SECONDS_MAX: u64 = 86_400;

/// What a simulated chain is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimulatedConfig {
    /// Everything on the chain follows from it and the chain's key.
    pub seed: u64,
    /// Time of block 0. Every block up to the head is made when the first one is asked for, so it is
    /// best near the clock's time.
    pub genesis_time: UnixSeconds,
    /// Time between blocks, in seconds, 1 to 86,400.
    pub block_time_seconds: u64,
    /// How many blocks below the head the finalized one is, at least 3.
    pub finality_depth: u64,
    /// Whether the newest blocks are replaced now and then.
    pub reorgs: bool,
    /// Blocks below this number are mostly empty, and fast to make; the last 256 of them are full,
    /// to bring fees back to their usual height. Block 1 always opens the first markets.
    pub quiet_until: u64,
    /// Transactions of each block that is not quiet, to see what larger ones cost; by chance, and few,
    /// without. Blocks of some ledgers have one more or less, those of the ICP ledger one.
    pub transactions: Option<u16>,
}

impl SimulatedConfig {
    /// A chain with Ethereum's times and with reorgs, never quiet.
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

    fn check(&self) -> Result<(), SourceError> {
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

/// How many transactions the blocks have.
#[derive(Clone, Copy, Debug)]
struct Size {
    /// [`SimulatedConfig::quiet_until`].
    quiet_until: u64,
    /// [`SimulatedConfig::transactions`].
    transactions: Option<u16>,
}

impl Size {
    const fn of(config: &SimulatedConfig) -> Self {
        Self { quiet_until: config.quiet_until, transactions: config.transactions }
    }
}

/// A made-up chain as a source. It has at most 1,048,577 blocks; then time stands still for it.
pub struct SimulatedChain {
    name: String,
    chain: ChainKey,
    /// Number of the first block.
    first: u64,
    schedule: Schedule,
    history: Arc<Mutex<dyn Blocks>>,
    clock: Arc<dyn Clock>,
}

impl std::fmt::Debug for SimulatedChain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SimulatedChain").field("name", &self.name).finish_non_exhaustive()
    }
}

impl SimulatedChain {
    /// A chain of that seed, whose blocks appear as the clock goes.
    ///
    /// # Errors
    /// [`SourceError::Config`] for a value out of range, [`SourceError::Setup`] for a row that is not as
    /// [`ChainRow::as_simulated`] makes it: of the EVM family by Ethereum's rules alone.
    pub fn new(
        row: &ChainRow,
        config: SimulatedConfig,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, SourceError> {
        config.check()?;
        let chain = row.key();
        let first = match &row.ledger {
            Ledger::Evm(_) => 0,
            // the first block of a real chain is known, and of no other chain: a twig later
            _ => {
                let first = BlockNumber(row.rules.first().map_or(0, |rule| rule.from_number));
                first.0 - first.twig_slot() + TWIG_BLOCKS
            }
        };
        let (entropy, size) = (Entropy::new(config.seed, chain), Size::of(&config));
        let schedule = Schedule::new(entropy, config);
        let history: Arc<Mutex<dyn Blocks>> = match crate::ledger::maker(row) {
            Some(make) if row.clone().as_simulated().ledger == row.ledger => {
                let row = row.clone();
                let maker = Maker { row, first, entropy, schedule, size, make };
                Arc::new(Mutex::new(History::new(maker, schedule)))
            }
            None if is_ethereum(row) => {
                let builder = Builder::new(chain.id.0, entropy, schedule, size);
                Arc::new(Mutex::new(History::new(builder, schedule)))
            }
            Some(_) | None => {
                let why = "cannot be simulated: its row is not as ChainRow::as_simulated makes it";
                return Err(SourceError::setup(chain.to_string(), why));
            }
        };
        let name = format!("simulated {chain} of seed {}", config.seed);
        Ok(Self { name, chain, first, schedule, history, clock })
    }

    /// Works on the history off the asynchronous threads, with the head as it is now.
    fn with_history<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn Blocks, u64) -> T + Send + 'static,
    ) -> Fetching<'_, T> {
        let (history, head) = (Arc::clone(&self.history), self.schedule.head(self.clock.now()));
        Box::pin(off_thread(move || {
            // a block is kept only when it is whole, so a panic of another thread leaves no harm
            let mut history = history.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(work(&mut *history, head))
        }))
    }
}

/// Whether a chain of the EVM family has Ethereum's rules and no other.
fn is_ethereum(row: &ChainRow) -> bool {
    matches!(&row.ledger, Ledger::Evm(params)
        if params.encodings.iter().all(|from| from.encoding == Encoding::Ethereum))
        && row.rules.iter().all(|rule| rule.code == Rule::Evm(Layout::Ethereum).code())
}

impl Source for SimulatedChain {
    fn about(&self) -> About<'_> {
        About { name: &self.name, chain: self.chain, network: Network::Simulated }
    }

    fn fetch_tip(&self) -> Fetching<'_, Tip> {
        let (schedule, first) = (self.schedule, self.first);
        self.with_history(move |history, head| {
            let mut named = |index| {
                let BlockId { number, hash } = history.block_id(index, head);
                BlockId { number: BlockNumber(first + number.0), hash }
            };
            Tip {
                head: named(head),
                safe: Some(named(schedule.safe(head))),
                finalized: named(schedule.finalized(head)),
            }
        })
    }

    fn fetch_block<'a>(
        &'a self,
        at: BlockAt,
        _parts: Parts,
        _: &'a [Arc<str>],
    ) -> Fetching<'a, Option<Fetched>> {
        let (index, sender) = (at.number().0.checked_sub(self.first), self.name.as_str().into());
        self.with_history(move |history, head| {
            let index = index.filter(|index| *index <= head)?;
            let block = UntrustedBlock::clone(&history.block(index, head));
            Some(Fetched { block, sender, body_fault: None })
        })
    }

    fn fetch_numbers(
        &self,
        from: BlockNumber,
        limit: usize,
    ) -> Fetching<'_, Option<Vec<BlockNumber>>> {
        let head = self.first + self.schedule.head(self.clock.now());
        let numbers = (from.0.max(self.first)..=head).take(limit.min(NUMBERS_MAX)).map(BlockNumber);
        let numbers = (self.first > 0).then(|| numbers.collect());
        Box::pin(std::future::ready(Ok(numbers)))
    }

    fn fetch_agreement(&self, _number: BlockNumber) -> Fetching<'_, Agreement> {
        Box::pin(std::future::ready(Ok(Agreement::of_one(
            self.name(),
            "finalized tag of a simulated chain",
        ))))
    }
}
