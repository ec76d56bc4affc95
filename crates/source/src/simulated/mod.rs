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

mod config;
mod entropy;
mod evm;
mod history;
pub(crate) mod made;
mod schedule;

use std::sync::{Arc, Mutex, PoisonError};

use superroot_chain::finality::{finality_params, history_numbers};
use superroot_chain::{ChainSpec, Encoding, Ledger, UntrustedBlock};
use superroot_proof::finality::anchor::RegistryProof;
use superroot_proof::ledger::evm::{HistoryProof, Layout};
use superroot_proof::registry::HashRule;
use superroot_types::{BlockNumber, ChainId, ChainKey, Clock, Network, TWIG_BLOCKS, UnixSeconds};

pub use config::SimulatedConfig;
use config::Size;
use entropy::Entropy;
pub use evm::{DAI, FACTORY, ROUTER, USDC, WBTC, WETH, pair_address};
use evm::{RollupView, SimulatedChainBuilder, contract_proof, history_proof};
use history::{BlockMaker, SimulatedHistory};
use made::Maker;
use schedule::Schedule;

use crate::error::SourceError;
use crate::{
    BlockAt, BlockParts, BlockSource, ClaimedBlock, FetchedBlock, Fetching, FinalityAgreement,
    NUMBERS_MAX, SourceDescription, SourceTip, off_thread,
};

/// Simulated chain as a source. At most 1,048,577 blocks; the chain stops afterwards.
pub struct SimulatedChain {
    name: String,
    chain: ChainKey,
    first: u64,
    schedule: Schedule,
    history: Arc<Mutex<dyn BlockMaker>>,
    clock: Arc<dyn Clock>,
    rollups: Vec<RollupView>,
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
        Self::anchoring(row, config, clock, &[])
    }

    /// As [`SimulatedChain::new`]; on Ethereum with registries of these rollups in the state.
    ///
    /// # Errors
    /// As [`SimulatedChain::new`].
    pub fn anchoring(
        row: &ChainSpec,
        config: SimulatedConfig,
        clock: Arc<dyn Clock>,
        rollups: &[Arc<Self>],
    ) -> Result<Self, SourceError> {
        config.check()?;
        let chain = row.key();
        let first = match &row.ledger {
            Ledger::Evm(_) => 0,
            // the first block of a real chain is known, and of no other chain: a twig later
            _ => {
                let first = BlockNumber(row.rules.first().map_or(0, |rule| rule.from_number));
                first.0 - u64::from(first.twig_slot()) + TWIG_BLOCKS
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
                let builder = SimulatedChainBuilder::new(chain.id.0, entropy, schedule, size)
                    .with_layout(first_layout(row))
                    .with_history(is_rollup(row))
                    .with_rollups(rollups.iter().map(|rollup| rollup.view()).collect());
                Arc::new(Mutex::new(SimulatedHistory::new(builder, schedule)))
            }
            Some(_) | None => {
                let why = "cannot be simulated: its row is not as ChainRow::as_simulated makes it";
                return Err(SourceError::setup(chain.to_string(), why));
            }
        };
        let name = format!("simulated {chain} of seed {}", config.seed);
        let rollups = rollups.iter().map(|rollup| rollup.view()).collect();
        Ok(Self { name, chain, first, schedule, history, clock, rollups })
    }

    fn view(&self) -> RollupView {
        RollupView { id: self.chain.id, schedule: self.schedule, history: self.history.clone() }
    }

    /// A block's time.
    pub(crate) const fn time_of(&self, number: BlockNumber) -> UnixSeconds {
        UnixSeconds(self.schedule.timestamp(number.0.saturating_sub(self.first)))
    }

    /// A rollup's registry, proven in this chain's state at a time.
    pub(crate) fn contract_proof(
        &self,
        rollup: ChainId,
        at: UnixSeconds,
    ) -> Fetching<'_, Option<RegistryProof>> {
        let rollups = self.rollups.clone();
        Box::pin(off_thread(move || Ok(contract_proof(&rollups, rollup, at))))
    }

    /// Earlier blocks' hashes, proven in the state after a block; `None` for a block to come.
    pub(crate) fn history_proof(&self, at: BlockNumber) -> Fetching<'_, Option<HistoryProof>> {
        self.with_history(move |history, head| {
            let mut hash = |number: &BlockNumber| history.block_id(number.0, head).hash;
            let kept = history_numbers(at).iter().map(|number| (number.0, hash(number))).collect();
            (at.0 <= head).then(|| history_proof(at, &kept))
        })
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

/// Whether contracts on Ethereum hold the chain's blocks.
fn is_rollup(row: &ChainSpec) -> bool {
    let params = finality_params(row, Network::Simulated);
    params.is_some_and(|params| params.signing_chain().is_some())
}

/// Header layout from block 0 on.
fn first_layout(row: &ChainSpec) -> Layout {
    let first = row.rules.first().and_then(|rule| HashRule::from_code(rule.code));
    match first {
        Some(HashRule::Evm(layout)) => layout,
        _ => Layout::Ethereum,
    }
}

/// Whether an EVM-family chain has exactly Ethereum's rules, apart from the seal.
fn is_ethereum(row: &ChainSpec) -> bool {
    matches!(&row.ledger, Ledger::Evm(params)
        if params.encodings.iter().all(|from| from.encoding == Encoding::Ethereum))
        && matches!(first_layout(row), Layout::Ethereum | Layout::Aura)
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
