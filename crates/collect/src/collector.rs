//! One chain's collector.

use std::sync::Arc;
use std::time::Duration;

use superroot_chain::{ChainRow, Evidence, VerifiedBlock};
use superroot_proof::mpt::OrderedTrie;
use superroot_source::{Agreement, Budget, NotDone, Source, Tip, compute};
use superroot_store::layout::{ChainState, Watch};
use superroot_store::{Batch, Store, read, write};
use superroot_types::{BlockNumber, ChainKey, Network, UnixSeconds};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::watch;

use crate::config::Config;
use crate::fetch::Fetcher;
use crate::final_blocks::expect_state;
use crate::hand::Room;
use crate::patience::Patience;
use crate::retraction::Search;
use crate::{CollectError, head_blocks};

/// Bytes that a block is taken to have before one was seen.
const BLOCK_BYTES_AT_FIRST: usize = 1 << 20;

/// A block that was refused and, in a recording, left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The block.
    pub number: BlockNumber,
    /// Why.
    pub reason: String,
}

/// What a step did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There was nothing to take.
    Idle,
    /// Final blocks were taken.
    Final {
        /// How many.
        blocks: usize,
        /// Blocks of a recording that were left out.
        refused: Vec<Refusal>,
        /// Blocks undone: they had not been final, and were reorganised away.
        undone: usize,
    },
    /// The head was followed.
    Head {
        /// Blocks taken.
        taken: usize,
        /// Blocks undone: they were reorganised away.
        undone: usize,
    },
}

/// A step's outcome.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it did.
    pub progress: Progress,
    /// What the source said of its chain.
    pub tip: Tip,
    /// How far the chain has come, after the step.
    pub state: ChainState,
}

/// Collects one chain from one source.
pub struct Collector {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) source: Arc<dyn Source>,
    pub(crate) row: Arc<ChainRow>,
    pub(crate) config: Config,
    /// Bytes of a large block among the last.
    pub(crate) block_bytes: usize,
    /// Bytes of a block, as a mean of the last steps.
    pub(crate) mean_bytes: usize,
    /// Shared by all chains.
    pub(crate) budget: Budget,
    /// Room of the step that goes on.
    pub(crate) room: Option<Arc<Room>>,
    /// How long bodies are waited for.
    patience: Arc<Patience>,
    /// Whether the watch list was compared with that of the blocks held.
    watch_known: bool,
    /// What the source said last of its chain, and when the step began that asked.
    tip: Option<(Tip, UnixSeconds)>,
    /// The search for the first block that differs, while it goes on.
    pub(crate) search: watch::Sender<Option<Search>>,
}

impl Collector {
    /// A collector of the row's chain. The row says how its blocks are read.
    #[must_use]
    pub fn new(
        store: Arc<dyn Store>,
        source: Arc<dyn Source>,
        row: ChainRow,
        mut config: Config,
    ) -> Self {
        if !row.ledger.has_watchable_events() && config.watch != Watch::All {
            config.watch = Watch::nothing();
        }
        let patience = Arc::new(Patience::of(Duration::from_millis(config.body_wait_ms)));
        Self {
            patience,
            store,
            source,
            row: Arc::new(row),
            config,
            block_bytes: BLOCK_BYTES_AT_FIRST,
            mean_bytes: BLOCK_BYTES_AT_FIRST,
            budget: Budget::default(),
            room: None,
            watch_known: false,
            tip: None,
            search: watch::Sender::default(),
        }
    }

    /// The same, with a bound on bytes in hand that other chains share.
    #[must_use]
    pub fn within(mut self, budget: &Budget) -> Self {
        self.budget = budget.clone();
        self
    }

    /// What the source said last of its chain, whether the step that asked ended well or not, and when
    /// that step began. A step that got no answer leaves both as they were.
    #[must_use]
    pub const fn tip(&self) -> Option<(Tip, UnixSeconds)> {
        self.tip
    }

    /// The chain.
    #[must_use]
    pub fn chain(&self) -> ChainKey {
        self.row.key()
    }

    /// The source.
    #[must_use]
    pub fn source(&self) -> &dyn Source {
        &*self.source
    }

    /// Takes final blocks if there are any to take, else follows the head. `now` dates what is
    /// noticed.
    ///
    /// # Errors
    /// [`CollectError`]; its kind says what to do next. Nothing of a failed step is kept but the
    /// note of a refused block, and the retraction and the halt of a chain that reorganised below
    /// its finalized block.
    pub async fn step(&mut self, now: UnixSeconds) -> Result<Step, CollectError> {
        loop {
            let step = self.step_once(now).await;
            if !self.leave_room(&step) {
                return step;
            }
        }
    }

    async fn step_once(&mut self, now: UnixSeconds) -> Result<Step, CollectError> {
        self.check_halt().await?;
        let tip = self.source.fetch_tip().await;
        let tip = tip.map_err(|cause| self.fetcher(true).source_error(cause))?;
        self.tip = Some((tip, now));
        let state = self.load_state(&tip).await?;
        let state = self.note_watch(state).await?;
        self.check_finalized(&state, &tip, now).await?;
        let next = state.checked_to.map_or(state.start, |checked| BlockNumber(checked.0 + 1));
        let (progress, state) = if next > tip.finalized.number {
            self.follow_head(state, &tip).await?
        } else if self.is_sparse() {
            self.take_recorded(state, next, tip.finalized.number).await?
        } else {
            let lacking = tip.finalized.number.0 - next.0;
            let most = usize::try_from(lacking).unwrap_or(usize::MAX).saturating_add(1);
            let purpose = Self::purpose(next, tip.finalized.number);
            let count = self.make_room(purpose, most).await;
            let last = next.0.saturating_add(count as u64 - 1);
            self.take_line(state, next, BlockNumber(last).min(tip.finalized.number), now).await?
        };
        Ok(Step { progress, tip, state })
    }

    /// Whether numbers may be missing: in a recording every ledger counts as one that skips.
    pub(crate) fn is_sparse(&self) -> bool {
        self.source.network() == Network::Recorded
    }

    /// Most blocks that this step takes: those of whose size the last ones were fit the bound.
    pub(crate) fn batch_max(&self) -> usize {
        let fitting = self.config.step_bytes_max / self.block_bytes.max(1);
        fitting.clamp(1, self.config.blocks_per_step_max.max(1))
    }

    /// Remembers the size of large blocks; of past ones it forgets a quarter each step.
    pub(crate) fn note_sizes<'a>(&mut self, blocks: impl Iterator<Item = &'a VerifiedBlock>) {
        let (mut largest, mut sum, mut count) = (0, 0, 0);
        for bytes in blocks.map(block_bytes) {
            (largest, sum, count) = (bytes.max(largest), sum + bytes, count + 1);
        }
        let Some(mean) = sum.checked_div(count) else { return };
        self.block_bytes = largest.max(self.block_bytes / 4 * 3);
        self.mean_bytes = mean.max(self.mean_bytes / 2);
    }

    pub(crate) fn fetcher(&self, is_final: bool) -> Fetcher {
        let attempts_max = if self.is_sparse() { 1 } else { self.config.attempts_max.max(1) };
        Fetcher {
            source: self.source.clone(),
            row: self.row.clone(),
            attempts_max,
            fetches_max: self.config.fetches_max,
            is_final,
            room: self.room.clone(),
            patience: Some(self.patience.clone()),
            until: None,
            until_at_most: None,
        }
    }

    /// What is known of the chain; a new chain begins at a twig's first number.
    async fn load_state(&self, tip: &Tip) -> Result<ChainState, CollectError> {
        if let Some(state) = self.held_state().await? {
            return Ok(state);
        }
        let first = match self.source.fetch_numbers(BlockNumber(0), 1).await {
            Ok(Some(numbers)) => numbers.first().copied().unwrap_or(tip.finalized.number),
            Ok(None) if self.source.network() == Network::Simulated => BlockNumber(0),
            Ok(None) => self.config.start.unwrap_or(tip.finalized.number).min(tip.finalized.number),
            Err(cause) => return Err(self.fetcher(true).source_error(cause)),
        };
        Ok(ChainState::empty(self.twig_start(first)))
    }

    pub(crate) async fn held_state(&self) -> Result<Option<ChainState>, CollectError> {
        let (store, chain) = (self.store.clone(), self.chain());
        blocking(move || Ok(read::load_chain_state(&*store, chain)?)).await
    }

    /// First number of the twig that holds this one, or of the ledger.
    pub(crate) fn twig_start(&self, number: BlockNumber) -> BlockNumber {
        let first_of_twig = number.0 - number.twig_slot();
        BlockNumber(first_of_twig.max(self.row.profile().first_number()))
    }

    /// Under another watch list than before, blocks that are not final are collected anew.
    pub(crate) async fn note_watch(
        &mut self,
        state: ChainState,
    ) -> Result<ChainState, CollectError> {
        if self.watch_known {
            return Ok(state);
        }
        let (store, chain, watch) = (self.store.clone(), self.chain(), self.config.watch.clone());
        let state = blocking(move || {
            if read::load_chain_watch(&*store, chain)? == Some(watch.hash()) {
                return Ok(state);
            }
            let (before, mut state) = (state.clone(), state);
            let mut batch = Batch::new();
            if let Some(indexed) = state.indexed {
                let first = BlockNumber(indexed.number.0 + 1);
                head_blocks::undo_from(&*store, &mut batch, chain, first, &mut state)?;
                write::put_chain_state(&mut batch, chain, &state);
            }
            expect_state(&*store, &mut batch, chain, &before)?;
            write::put_watch(&mut batch, chain, &watch);
            store.commit(batch)?;
            Ok(state)
        });
        let state = state.await?;
        self.watch_known = true;
        Ok(state)
    }
}

/// The evidence that an agreement gives to the block it is about, and to all it descends from.
pub(crate) fn evidence(agreement: &Agreement) -> Evidence {
    let Agreement { sources, of, rule, .. } = agreement;
    Evidence::NodeQuorum { sources: sources.clone(), of: *of, rule: rule.clone() }
}

/// Bytes of a block's header, its leaves, and the nodes of its tries.
pub(crate) fn block_bytes(block: &VerifiedBlock) -> usize {
    let leaves = [block.transactions(), block.receipts()].into_iter().flatten().flatten();
    let tries = [block.transaction_trie(), block.receipt_trie()].into_iter().flatten();
    let nodes = tries.flat_map(OrderedTrie::nodes).map(<[u8]>::len).sum::<usize>();
    leaves.map(Vec::len).sum::<usize>() + nodes + block.header().len()
}

/// Runs what waits for the disk for a moment off the asynchronous threads. A runtime of one thread
/// has no other to spare: there it runs in place, so that one seed always gives one order of things.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CollectError> + Send + 'static,
) -> Result<T, CollectError> {
    if Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread {
        return computing(work).await;
    }
    tokio::task::spawn_blocking(work).await?
}

/// Runs what computes for long off the asynchronous threads, no more of it than there are cores.
pub(crate) async fn computing<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CollectError> + Send + 'static,
) -> Result<T, CollectError> {
    match compute(work).await {
        Ok(done) => done,
        Err(NotDone::Panicked) => Err(CollectError::Panicked),
        Err(NotDone::ShuttingDown) => Err(CollectError::Cancelled),
    }
}
