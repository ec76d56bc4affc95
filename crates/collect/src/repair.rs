//! Repair: fetches missing or damaged parts for final blocks again, and entries that the current watch list adds.
//! Hashes never change.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use superroot_chain::{ChainSpec, Extent, VerifiedBlock};
use superroot_proof::ledger::Header;
use superroot_source::{BlockAt, BlockParts, ClaimedBlock};
use superroot_store::coverage::{self, CoverageRun};
use superroot_store::feed::Changes;
use superroot_store::layout::{BlockRow, ChainState, HeldRun, KeptEntries, WatchFilter};
use superroot_store::{Store, StoreError, WriteBatch, read, write};
use superroot_types::{BlockNumber, Hash, UnixSeconds};

use crate::blocking::blocking;
use crate::collector::{Collector, Stepping};
use crate::commit::{FeedWriter, expect_state, note_bodies};
use crate::error::CollectError;
use crate::fetch::Fetcher;
use crate::progress::RefusedBlock;
use crate::watching;

/// Most blocks examined per step.
const EXAMINED_MAX: u64 = 2048;
/// Time after which a step requests no more blocks: the head is not followed meanwhile.
const STEP_TIME: Duration = Duration::from_secs(3);
/// Time after which a step takes the arrived blocks and leaves the rest to the next step.
const STEP_TIME_MAX: Duration = Duration::from_secs(5);

/// Result of one repair step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repaired {
    /// Start for the next step; `None` when the range is done.
    pub next: Option<BlockNumber>,
    pub examined: u64,
    /// Blocks with a rewritten or extended body.
    pub repaired: usize,
    /// Blocks requested from nodes.
    pub asked: usize,
    /// Requested blocks with a body wholly or partly missing at every node.
    pub bare: usize,
    /// Blocks not repaired, with reasons.
    pub left: Vec<RefusedBlock>,
}

/// Examination result for a range.
struct Findings {
    /// Stored blocks that need more data.
    wanted: Vec<(BlockNumber, BlockRow)>,
    /// Coverage known without a fetch.
    runs: Vec<CoverageRun>,
    left: Vec<RefusedBlock>,
    next: BlockNumber,
}

impl Collector {
    /// Examines the stored final blocks from `from` to `to`, up to the step limit; fetches missing or damaged bodies
    /// and entries added by the watch list, checks them against the stored hashes, and stores them. `now` dates stored
    /// rows.
    ///
    /// # Errors
    /// As [`Collector::step`]. Unavailable blocks are listed in the result, not an error.
    pub fn repair_step(
        &mut self,
        from: BlockNumber,
        to: BlockNumber,
        now: UnixSeconds,
    ) -> Stepping<'_, Repaired> {
        Box::pin(self.repair(from, to, now))
    }

    async fn repair(
        &mut self,
        from: BlockNumber,
        to: BlockNumber,
        now: UnixSeconds,
    ) -> Result<Repaired, CollectError> {
        let state = self.held_state().await?;
        let held = state.and_then(|state| state.indexed.map(|indexed| (state, indexed.number)));
        let Some((state, indexed)) = held else {
            return Ok(Repaired::default());
        };
        let from = from.max(state.start);
        let to = to.min(indexed);
        let found = self.examine(from, to).await?;
        // the block is held: what nobody has now is asked for when it is repaired again
        let fetcher = Fetcher { body_wait: None, withheld_told: None, ..self.fetcher(true) }
            .within(STEP_TIME, STEP_TIME_MAX);
        let wanted = found.wanted.iter().map(|(number, row)| {
            (BlockAt::Id(ClaimedBlock { number: *number, hash: row.hash }), BlockParts::Whole)
        });
        let skips = |error: &CollectError| error.block().is_some();
        let (received, error) = fetcher.blocks(wanted.collect(), skips).await;
        let next = match error {
            None => found.next,
            // no time for it: the next step asks for it
            Some(CollectError::StepTooLarge { number, .. }) if !received.is_empty() => number,
            Some(error) => return Err(error),
        };
        let asked = received.len();
        let runs = found.runs.into_iter().filter(|run| run.to < next).collect();
        let left = found.left.into_iter().filter(|refusal| refusal.number < next).collect();
        let mut batch = RepairBatch { blocks: Vec::new(), bare: 0, left };
        for ((number, row), received) in found.wanted.into_iter().zip(received) {
            batch.take(&fetcher, number, row, received.map(|received| received.block));
        }
        let RepairBatch { blocks, bare, mut left } = batch;
        left.sort_by_key(|refusal| refusal.number);
        self.note_sizes(blocks.iter().map(|(_, block)| block));
        let repaired = blocks.len();
        let examined = next.0.saturating_sub(from.0);
        let store = self.store.clone();
        let row = self.row.clone();
        let watch = self.config.watch.clone();
        let feed = self.feed(now);
        let source_name = self.source.name().to_owned();
        blocking(move || mend(&*store, (&row, &source_name), &watch, feed, &state, &blocks, runs))
            .await?;
        let label = self.row.slug.clone();
        metrics::counter!("superroot_collect_repaired_blocks_total", "chain" => label)
            .increment(repaired as u64);
        let next = Some(next).filter(|next| *next <= to);
        Ok(Repaired { next, examined, repaired, asked, bare, left })
    }

    async fn examine(&self, from: BlockNumber, to: BlockNumber) -> Result<Findings, CollectError> {
        let store = self.store.clone();
        let row = self.row.clone();
        let watch = self.config.watch.clone();
        let wanted_max = self.batch_max();
        let sparse = self.is_sparse();
        blocking(move || {
            let chain = row.key();
            let said = coverage::load_coverage_within(&*store, chain, from, to)?;
            let wanted = Vec::new();
            let runs = Vec::new();
            let left = Vec::new();
            let mut found = Findings { wanted, runs, left, next: from };
            let hash = watch.hash();
            let watch = Arc::new(watch);
            let mut lists = Lists { store: &*store, watch, hash, more: BTreeMap::new() };
            for number in (from.0..=to.0).take(EXAMINED_MAX as usize).map(BlockNumber) {
                if found.wanted.len() >= wanted_max {
                    break;
                }
                found.next = BlockNumber(number.0 + 1);
                let held = said.iter().find(|run| run.from <= number && number <= run.to);
                let held = held.map(|run| run.held);
                match read::load_block(&*store, chain, number) {
                    Ok(Some(block)) => {
                        look(&mut lists, &row, number, block, held, &mut found)?;
                    }
                    Ok(None) if sparse => {}
                    Ok(None) => found.leave(number, "the block itself is gone"),
                    Err(StoreError::Corrupt { .. }) => {
                        found.leave(number, "the block itself is spoilt, not its body alone");
                    }
                    Err(error) => return Err(error.into()),
                }
            }
            Ok(found)
        })
        .await
    }
}

impl Findings {
    fn leave(&mut self, number: BlockNumber, reason: &str) {
        self.left.push(RefusedBlock { number, reason: reason.to_owned() });
    }
}

/// A step's received blocks, by what can be stored of them.
struct RepairBatch {
    /// Stored block rows, each with the received block that completes it.
    blocks: Vec<(BlockRow, VerifiedBlock)>,
    /// Number of blocks with a body wholly or partly missing at every node.
    bare: usize,
    left: Vec<RefusedBlock>,
}

impl RepairBatch {
    fn take(
        &mut self,
        fetcher: &Fetcher,
        number: BlockNumber,
        row: BlockRow,
        received: Result<VerifiedBlock, CollectError>,
    ) {
        let reason = match received {
            Ok(block)
                if block.body_refused().is_some()
                    || fetcher.lacks_body(&block, BlockParts::Whole) =>
            {
                self.bare += 1;
                let missing = watching::lacking(block.extent());
                let reason = match block.body_refused() {
                    Some(why) => format!("its {missing} cannot be taken: {why}"),
                    None => format!("no node gives its {missing}"),
                };
                if block.extent().covers(row.extent) && block.extent() != row.extent {
                    self.blocks.push((row, block));
                }
                reason
            }
            Ok(block) if block.extent().covers(row.extent) => {
                self.blocks.push((row, block));
                return;
            }
            Ok(_) => "less came than was held".to_owned(),
            Err(error) => error.to_string(),
        };
        self.left.push(RefusedBlock { number, reason });
    }
}

/// Differences between the current watch list and earlier lists.
struct Lists<'a> {
    store: &'a dyn Store,
    watch: Arc<WatchFilter>,
    hash: Hash,
    more: BTreeMap<Hash, Arc<WatchFilter>>,
}

impl Lists<'_> {
    /// Difference between the current list and a block's coverage.
    fn more_than(&mut self, held: Option<HeldRun>) -> Result<Arc<WatchFilter>, CollectError> {
        let Some(HeldRun::Watched { watch_hash }) = held else { return Ok(self.watch.clone()) };
        if let Some(more) = self.more.get(&watch_hash) {
            return Ok(more.clone());
        }
        let held = read::load_watch(self.store, &watch_hash)?.unwrap_or_else(WatchFilter::nothing);
        let more = Arc::new(self.watch.without(&held));
        self.more.insert(watch_hash, more.clone());
        Ok(more)
    }
}

/// Classifies a stored block: complete, or to be fetched.
fn look(
    lists: &mut Lists<'_>,
    row: &ChainSpec,
    number: BlockNumber,
    block: BlockRow,
    held: Option<HeldRun>,
    found: &mut Findings,
) -> Result<(), CollectError> {
    // of some ledgers there are no receipts to be held
    let is_whole = block.kept == KeptEntries::All
        && (block.extent == WHOLE
            || block.extent.transactions && !row.ledger.body_may_come_later());
    let more = lists.more_than(held)?;
    let passes = watching::header_passes(row, &more, number, &block.header);
    if !is_sound(lists.store, row, number, &block)? || (passes && !is_whole) {
        found.wanted.push((number, block));
    } else if !is_whole && !more.is_nothing() {
        let held = HeldRun::Watched { watch_hash: lists.hash };
        found.runs.push(CoverageRun { from: number, to: number, held });
    }
    Ok(())
}

/// Stores the received parts with the stored ones; returns the coverage.
fn mend(
    store: &dyn Store,
    (row, source_name): (&ChainSpec, &str),
    watch: &WatchFilter,
    feed: FeedWriter,
    state: &ChainState,
    blocks: &[(BlockRow, VerifiedBlock)],
    mut runs: Vec<CoverageRun>,
) -> Result<(), CollectError> {
    let chain = row.key();
    let mut batch = WriteBatch::new();
    let mut changes = Changes::default();
    for (held, block) in blocks {
        let kept = watching::kept_beside(row, watch, block, Some(held));
        write::put_kept_block(&mut batch, store, block, &kept)?;
        changes.body(block.number());
        // the list of nothing says nothing of what another list kept
        if kept == KeptEntries::All || !watch.is_nothing() {
            let from = block.number();
            let held = watching::held(watch, block.extent(), &kept);
            runs.push(CoverageRun { from, to: from, held });
        }
    }
    if batch.is_empty() && runs.is_empty() {
        return Ok(());
    }
    coverage::put_coverage(&mut batch, store, chain, &runs)?;
    note_bodies(store, &mut batch, chain, source_name, blocks.iter().map(|(_, block)| block))?;
    expect_state(store, &mut batch, chain, state)?;
    feed.append(&mut batch, store, changes)?;
    Ok(store.commit(batch)?)
}

const WHOLE: Extent = Extent { transactions: true, receipts: true };

/// Whether the header is readable, and the body matches its roots as far as the block row says.
fn is_sound(
    store: &dyn Store,
    row: &ChainSpec,
    number: BlockNumber,
    block: &BlockRow,
) -> Result<bool, CollectError> {
    let header = row.rule_at(number).and_then(|rule| Header::decode(rule, &block.header).ok());
    let Some(header) = header else { return Ok(false) };
    if block.extent == Extent::default() {
        return Ok(true);
    }
    let body = match read::load_body(store, row.key(), number) {
        Ok(Some(body)) => body,
        Ok(None) | Err(StoreError::Corrupt { .. }) => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    let count = block.tx_count.unwrap_or(0);
    Ok(body.check(&header, block.extent, count, |index| block.kept.holds(index)).is_ok())
}
