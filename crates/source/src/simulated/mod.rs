//! Simulated chains by ledger rules: the same for the same seed, on every machine. Blocks, signatures, roots, blooms
//! and gas are real, but there is no state: balances are not kept, and state roots are random hashes.
//!
//! ```text
//!   seed ── Entropy ──┬── Schedule   how many blocks there are, which of two siblings is shown
//!   clock ────────────┘      │
//!                            ├── evm        Ethereum's rules: transfers, swaps, launches, fees
//!                            ├── made       any other ledger's: its folder makes one block of another
//!                            └── History    what was made, while it is in use
//! ```
//!
//! Block `n` appears `n` block times after genesis. Occasionally the newest one to three blocks are on a branch
//! replaced by the next block; safe and final blocks are never replaced.

mod entropy;
mod evm;
mod history;
pub(crate) mod made;
mod schedule;

use std::sync::{Arc, Mutex, PoisonError};

use superroot_chain::{ChainSpec, Encoding, Ledger, UntrustedBlock};
use superroot_proof::ledger::evm::Layout;
use superroot_proof::registry::HashRule;
use superroot_types::{BlockNumber, ChainKey, Clock, Network, TWIG_BLOCKS, UnixSeconds};

use entropy::Entropy;
use evm::SimulatedChainBuilder;
pub use evm::{DAI, FACTORY, ROUTER, USDC, WBTC, WETH, pair_address};
use history::{BlockMaker, SimulatedHistory};
use made::Maker;
use schedule::{REORG_DEPTH_MAX, Schedule};

use crate::error::SourceError;
use crate::{
    BlockAt, BlockParts, BlockSource, ClaimedBlock, FetchedBlock, Fetching, FinalityAgreement,
    NUMBERS_MAX, SourceDescription, SourceTip, off_thread,
};

/// Latest time of block 0, in Unix seconds: the year 2255.
const GENESIS_TIME_MAX: u64 = 9_000_000_000;

/// Longest block time, in seconds.
const BLOCK_TIME_SECONDS_MAX: u64 = 86_400;

/// Configuration of a simulated chain.
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
    /// Blocks below this number are mostly empty, and fast to make; the last 256 are full, to raise fees to the usual
    /// level. Block 1 always opens the first markets.
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

#[derive(Clone, Copy, Debug)]
struct Size {
    quiet_until: u64,
    transactions: Option<u16>,
}

impl Size {
    const fn of(config: &SimulatedConfig) -> Self {
        Self { quiet_until: config.quiet_until, transactions: config.transactions }
    }
}

/// Simulated chain as a source. At most 1,048,577 blocks; the chain stops afterwards.
pub struct SimulatedChain {
    name: String,
    chain: ChainKey,
    first: u64,
    schedule: Schedule,
    history: Arc<Mutex<dyn BlockMaker>>,
    clock: Arc<dyn Clock>,
}

impl std::fmt::Debug for SimulatedChain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SimulatedChain").field("name", &self.name).finish_non_exhaustive()
    }
}

impl SimulatedChain {
    /// Chain from a seed; blocks appear as the clock advances.
    ///
    /// # Errors
    /// [`SourceError::Config`] for a value out of range, [`SourceError::Setup`] for a chain not prepared by
    /// [`ChainSpec::as_simulated`]: in the EVM family, only Ethereum's rules.
    pub fn new(
        row: &ChainSpec,
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
        let entropy = Entropy::new(config.seed, chain);
        let size = Size::of(&config);
        let schedule = Schedule::new(entropy, config);
        let history: Arc<Mutex<dyn BlockMaker>> = match crate::ledger::maker(row) {
            Some(make) if row.clone().as_simulated().ledger == row.ledger => {
                let row = row.clone();
                let maker = Maker { row, first, entropy, schedule, size, make };
                Arc::new(Mutex::new(SimulatedHistory::new(maker, schedule)))
            }
            None if is_ethereum(row) => {
                let builder = SimulatedChainBuilder::new(chain.id.0, entropy, schedule, size);
                Arc::new(Mutex::new(SimulatedHistory::new(builder, schedule)))
            }
            Some(_) | None => {
                let why = "cannot be simulated: its row is not as ChainRow::as_simulated makes it";
                return Err(SourceError::setup(chain.to_string(), why));
            }
        };
        let name = format!("simulated {chain} of seed {}", config.seed);
        Ok(Self { name, chain, first, schedule, history, clock })
    }

    /// Runs work on the history off the asynchronous threads, with the current head.
    fn with_history<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn BlockMaker, u64) -> T + Send + 'static,
    ) -> Fetching<'_, T> {
        let history = Arc::clone(&self.history);
        let head = self.schedule.head(self.clock.now());
        Box::pin(off_thread(move || {
            // a block is kept only when it is whole, so a panic of another thread leaves no harm
            let mut history = history.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(work(&mut *history, head))
        }))
    }
}

/// Whether an EVM-family chain has exactly Ethereum's rules.
fn is_ethereum(row: &ChainSpec) -> bool {
    matches!(&row.ledger, Ledger::Evm(params)
        if params.encodings.iter().all(|from| from.encoding == Encoding::Ethereum))
        && row.rules.iter().all(|rule| rule.code == HashRule::Evm(Layout::Ethereum).code())
}

impl BlockSource for SimulatedChain {
    fn about(&self) -> SourceDescription<'_> {
        SourceDescription { name: &self.name, chain: self.chain, network: Network::Simulated }
    }

    fn fetch_tip(&self) -> Fetching<'_, SourceTip> {
        let schedule = self.schedule;
        let first = self.first;
        self.with_history(move |history, head| {
            let mut named = |index| {
                let ClaimedBlock { number, hash } = history.block_id(index, head);
                ClaimedBlock { number: BlockNumber(first + number.0), hash }
            };
            SourceTip {
                head: named(head),
                safe: Some(named(schedule.safe(head))),
                finalized: named(schedule.finalized(head)),
            }
        })
    }

    fn fetch_block<'a>(
        &'a self,
        at: BlockAt,
        _parts: BlockParts,
        _: &'a [Arc<str>],
    ) -> Fetching<'a, Option<FetchedBlock>> {
        let index = at.number().0.checked_sub(self.first);
        let sender = self.name.as_str().into();
        self.with_history(move |history, head| {
            let index = index.filter(|index| *index <= head)?;
            let block = UntrustedBlock::clone(&history.block(index, head));
            Some(FetchedBlock { block, sender, body_fault: None })
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

    fn fetch_agreement(&self, _number: BlockNumber) -> Fetching<'_, FinalityAgreement> {
        Box::pin(std::future::ready(Ok(FinalityAgreement::of_one(
            self.name(),
            "finalized tag of a simulated chain",
        ))))
    }
}
