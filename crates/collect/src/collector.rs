//! One chain's collector.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use superroot_chain::{ChainRow, VerifiedBlock};
use superroot_source::{Budget, Purpose, Source, Tip};
use superroot_store::layout::ChainState;
use superroot_store::{Store, read};
use superroot_types::{BlockNumber, ChainKey, Network, UnixSeconds};
use tokio::sync::watch;

use crate::blocking::blocking;
use crate::body_wait::BodyWait;
use crate::commit::FeedWriter;
use crate::config::Config;
use crate::error::CollectError;
use crate::fetch::Fetcher;
use crate::progress::{Search, Step};
use crate::refused_bodies::LastTold;
use crate::room::Room;
use crate::watching;

/// Bytes that a block is taken to have before one was seen.
const BLOCK_BYTES_AT_FIRST: usize = 1 << 20;
/// What a block takes while it is in hand, next to its recomputed form: what was read of its answers
/// is held until it is recomputed, and what is written of it until it is committed.
const FORMS: usize = 3;
/// A step takes room for so much at least, in bytes.
const STEP_BYTES_MIN: usize = 64 << 10;
/// A chain that lacks so few final blocks is at its head.
const AT_HEAD_BLOCKS: usize = 8;

/// What a step comes to, once it is awaited. Of no type, so that steps are compiled here, and not in each
/// crate that takes them.
pub type Stepping<'a, T> = Pin<Box<dyn Future<Output = Result<T, CollectError>> + Send + 'a>>;

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
    body_wait: Arc<BodyWait>,
    /// When a body that was refused was told of last.
    withheld_told: Arc<LastTold>,
    /// A block that could not be had: a step ends before it, so that what is below is taken.
    pub(crate) stops_before: Option<BlockNumber>,
    /// Whether the watch list was compared with that of the blocks held.
    pub(crate) watch_known: bool,
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
        config.watch = watching::list_of(&row, config.watch);
        let body_wait = Arc::new(BodyWait::of(Duration::from_millis(config.body_wait_ms)));
        Self {
            body_wait,
            withheld_told: Arc::default(),
            stops_before: None,
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

    /// What writes the changes of a step into the chain's feed.
    pub(crate) fn feed(&self, now: UnixSeconds) -> FeedWriter {
        let kept_seconds = self.config.feed_kept_seconds;
        FeedWriter { chain: self.chain(), now, kept_seconds }
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
    pub fn step(&mut self, now: UnixSeconds) -> Stepping<'_, Step> {
        Box::pin(async move {
            loop {
                let step = self.step_once(now).await;
                if !self.leave_room(&step) {
                    return step;
                }
            }
        })
    }

    async fn step_once(&mut self, now: UnixSeconds) -> Result<Step, CollectError> {
        self.check_halt().await?;
        let tip = self.source.fetch_tip().await;
        let tip = tip.map_err(|cause| self.fetcher(true).source_error(cause))?;
        self.tip = Some((tip, now));
        let state = self.load_state(&tip).await?;
        let state = self.note_watch(state, now).await?;
        self.check_finalized(&state, &tip, now).await?;
        let next = state.checked_to.map_or(state.start, |checked| BlockNumber(checked.0 + 1));
        let (progress, state) = if self.is_sparse() {
            self.take_recorded(state, next, now).await?
        } else if next > tip.finalized.number {
            self.follow_head(state, &tip, now).await?
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
        for bytes in blocks.map(VerifiedBlock::byte_count) {
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
            body_wait: Some(self.body_wait.clone()),
            withheld_told: Some(self.withheld_told.clone()),
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

    /// Waits until a step of at most so many blocks has room; says how many blocks that is.
    pub(crate) async fn make_room(&mut self, purpose: Purpose, blocks_max: usize) -> usize {
        // who waits for room holds none
        self.room = None;
        let most = self.budget.lease_bytes_max(purpose);
        let each = self.mean_bytes.saturating_mul(FORMS).max(1);
        let count = blocks_max.min(self.batch_max()).min(most / each).max(1);
        let bytes = each.saturating_mul(count).max(STEP_BYTES_MIN);
        let lease = self.budget.lease(purpose, bytes).await;
        self.room = Some(Arc::new(Room::of(lease)));
        count
    }

    /// What a step's outcome says of room: gives it back, and says whether the step is to be made
    /// again for fewer blocks. A step of one block always has room.
    pub(crate) fn leave_room<T>(&mut self, outcome: &Result<T, CollectError>) -> bool {
        self.room = None;
        let is_too_large = matches!(outcome, Err(CollectError::StepTooLarge { .. }));
        if is_too_large {
            self.mean_bytes = self.mean_bytes.saturating_mul(4);
        }
        is_too_large
    }

    /// Blocks that were fetched are dropped, and fetched again.
    pub(crate) fn clear_room(&self) {
        if let Some(room) = &self.room {
            room.clear();
        }
    }

    /// For whom a step takes room that goes from `next` to the final block `last`.
    pub(crate) const fn purpose(next: BlockNumber, last: BlockNumber) -> Purpose {
        if last.0.saturating_sub(next.0) < AT_HEAD_BLOCKS as u64 {
            Purpose::Head
        } else {
            Purpose::Behind
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_that_lacks_few_blocks_is_at_its_head() {
        let purpose = |next, last| Collector::purpose(BlockNumber(next), BlockNumber(last));
        assert_eq!(purpose(10, 17), Purpose::Head);
        assert_eq!(purpose(10, 18), Purpose::Behind);
        assert_eq!(purpose(18, 10), Purpose::Head);
    }
}
