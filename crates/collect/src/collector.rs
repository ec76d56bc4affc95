//! Collector for one chain.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use superroot_chain::{ChainSpec, VerifiedBlock};
use superroot_source::{BlockSource, Budget, Purpose, SourceTip};
use superroot_store::layout::ChainState;
use superroot_store::{Store, read};
use superroot_types::{BlockNumber, ChainKey, Network, UnixSeconds};
use tokio::sync::watch;

use crate::blocking::blocking;
use crate::body_wait::BodyWait;
use crate::commit::FeedWriter;
use crate::config::CollectConfig;
use crate::error::CollectError;
use crate::fetch::Fetcher;
use crate::gate::EvidenceGate;
use crate::progress::{CollectProgress, CollectStep, DivergenceSearch, FalseStep};
use crate::refused_bodies::LastTold;
use crate::room::StepRoom;
use crate::watching;

/// Assumed block size in bytes before the first block.
const BLOCK_BYTES_AT_FIRST: usize = 1 << 20;
/// Memory copies per block in addition to the recomputed form: answers until recomputed, and rows until committed.
const FORMS: usize = 3;
/// Smallest room for a step, in bytes.
const STEP_BYTES_MIN: usize = 64 << 10;
/// A chain missing fewer final blocks is at its head.
const AT_HEAD_BLOCKS: usize = 8;

/// Step future. Boxed, so that steps are compiled here, not in each calling crate.
pub type Stepping<'a, T> = Pin<Box<dyn Future<Output = Result<T, CollectError>> + Send + 'a>>;

/// Collector for one chain from one source.
pub struct Collector {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) source: Arc<dyn BlockSource>,
    pub(crate) row: Arc<ChainSpec>,
    pub(crate) config: CollectConfig,
    /// Size in bytes for a recent large block.
    pub(crate) block_bytes: usize,
    /// Mean block size in bytes over recent steps.
    pub(crate) mean_bytes: usize,
    /// Shared by all chains.
    pub(crate) budget: Budget,
    pub(crate) room: Option<Arc<StepRoom>>,
    body_wait: Arc<BodyWait>,
    /// Last report about a refused body.
    withheld_told: Arc<LastTold>,
    /// Unavailable block: a step ends before it, so that lower blocks are taken.
    pub(crate) stops_before: Option<BlockNumber>,
    /// Whether the watch list was compared with the stored blocks' list.
    pub(crate) watch_known: bool,
    /// Latest source tip, and the start time for its step.
    tip: Option<(SourceTip, UnixSeconds)>,
    /// Block whose step to the next set of signers was false.
    pub(crate) false_step: Option<FalseStep>,
    /// Evidence required besides the nodes' agreement.
    pub(crate) gate: Option<Arc<dyn EvidenceGate>>,
    /// Running search for the first differing block.
    pub(crate) search: watch::Sender<Option<DivergenceSearch>>,
}

impl Collector {
    /// Collector for the chain in `row`, which defines the block format.
    #[must_use]
    pub fn new(
        store: Arc<dyn Store>,
        source: Arc<dyn BlockSource>,
        row: ChainSpec,
        mut config: CollectConfig,
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
            false_step: None,
            gate: None,
            search: watch::Sender::default(),
        }
    }

    /// Adds a memory budget shared with other chains.
    #[must_use]
    pub fn within(mut self, budget: &Budget) -> Self {
        self.budget = budget.clone();
        self
    }

    /// Requires evidence for final blocks.
    #[must_use]
    pub fn gated(self, gate: Option<Arc<dyn EvidenceGate>>) -> Self {
        Self { gate, ..self }
    }

    /// Returns the latest source tip, even after a failed step, and the start time for its step. A step without an
    /// answer changes neither.
    #[must_use]
    pub const fn tip(&self) -> Option<(SourceTip, UnixSeconds)> {
        self.tip
    }

    pub(crate) fn feed(&self, now: UnixSeconds) -> FeedWriter {
        let kept_seconds = self.config.feed_kept_seconds;
        FeedWriter { chain: self.chain(), now, kept_seconds }
    }

    #[must_use]
    pub fn chain(&self) -> ChainKey {
        self.row.key()
    }

    #[must_use]
    pub fn source(&self) -> &dyn BlockSource {
        &*self.source
    }

    /// Takes final blocks if available, otherwise follows the head. `now` dates records.
    ///
    /// # Errors
    /// [`CollectError`]; its kind determines the next action. A failed step leaves only the record about a refused
    /// block, and the retraction and halt after a reorganisation below the finalized block.
    pub fn step(&mut self, now: UnixSeconds) -> Stepping<'_, CollectStep> {
        Box::pin(async move {
            loop {
                let step = self.step_once(now).await;
                if !self.leave_room(&step) {
                    return step;
                }
            }
        })
    }

    async fn step_once(&mut self, now: UnixSeconds) -> Result<CollectStep, CollectError> {
        self.check_halt().await?;
        let tip = self.source.fetch_tip().await;
        let tip = tip.map_err(|cause| self.fetcher(true).source_error(cause))?;
        self.tip = Some((tip, now));
        let state = self.load_state(&tip).await?;
        let state = self.note_watch(state, now).await?;
        self.check_finalized(&state, &tip, now).await?;
        let next = state.checked_to.map_or(state.start, |checked| BlockNumber(checked.0 + 1));
        let within = self.final_within(next, tip.finalized.number, now).await?;
        let (progress, state) = if self.is_sparse() {
            self.take_recorded(state, next, now).await?
        } else if let Some((agreed, shown)) = within {
            let lacking = agreed.0 - next.0;
            let most = usize::try_from(lacking).unwrap_or(usize::MAX).saturating_add(1);
            let count = self.make_room(Self::purpose(next, agreed), most).await;
            let last = next.0.saturating_add(count as u64 - 1);
            let range = (next, BlockNumber(last).min(agreed));
            match self.take_line(state, range, shown, now).await? {
                // the line waits for evidence
                (CollectProgress::Idle, state) if self.gate.is_some() => {
                    self.follow_head(state, &tip, now).await?
                }
                taken => taken,
            }
        } else {
            self.follow_head(state, &tip, now).await?
        };
        Ok(CollectStep { progress, tip, state })
    }

    /// Whether numbers may be missing: in a recording, any ledger may skip numbers.
    pub(crate) fn is_sparse(&self) -> bool {
        self.source.network() == Network::Recorded
    }

    /// Most blocks in this step that fit the bound at recent sizes.
    pub(crate) fn batch_max(&self) -> usize {
        let fitting = self.config.step_bytes_max / self.block_bytes.max(1);
        fitting.clamp(1, self.config.blocks_per_step_max.max(1))
    }

    /// Updates the large block size; older sizes decay by a quarter per step.
    pub(crate) fn note_sizes<'a>(&mut self, blocks: impl Iterator<Item = &'a VerifiedBlock>) {
        let mut largest = 0;
        let mut sum = 0;
        let mut count = 0;
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

    /// Loads the chain state; a new chain begins at a twig's first number.
    async fn load_state(&self, tip: &SourceTip) -> Result<ChainState, CollectError> {
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
        let store = self.store.clone();
        let chain = self.chain();
        blocking(move || Ok(read::load_chain_state(&*store, chain)?)).await
    }

    /// First number in the twig that contains `number`, or in the ledger.
    pub(crate) fn twig_start(&self, number: BlockNumber) -> BlockNumber {
        let first_of_twig = number.0 - u64::from(number.twig_slot());
        BlockNumber(first_of_twig.max(self.row.profile().first_number()))
    }

    /// Waits for room for at most `blocks_max` blocks; returns the number granted.
    pub(crate) async fn make_room(&mut self, purpose: Purpose, blocks_max: usize) -> usize {
        // who waits for room holds none
        self.room = None;
        let most = self.budget.lease_bytes_max(purpose);
        let each = self.mean_bytes.saturating_mul(FORMS).max(1);
        let count = blocks_max.min(self.batch_max()).min(most / each).max(1);
        let bytes = each.saturating_mul(count).max(STEP_BYTES_MIN);
        let lease = self.budget.lease(purpose, bytes).await;
        self.room = Some(Arc::new(StepRoom::of(lease)));
        count
    }

    /// Releases the room; returns whether to repeat the step with fewer blocks. A one-block step always has room.
    pub(crate) fn leave_room<T>(&mut self, outcome: &Result<T, CollectError>) -> bool {
        self.room = None;
        let is_too_large = matches!(outcome, Err(CollectError::StepTooLarge { .. }));
        if is_too_large {
            self.mean_bytes = self.mean_bytes.saturating_mul(4);
        }
        is_too_large
    }

    /// Drops the fetched blocks for another fetch.
    pub(crate) fn clear_room(&self) {
        if let Some(room) = &self.room {
            room.clear();
        }
    }

    /// Room purpose for a step from `next` to the final block `last`.
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
