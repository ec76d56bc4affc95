//! Repair: what is missing or spoilt of final blocks is fetched again, and what the present watch
//! list would keep is kept. Hashes never change.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use superroot_chain::{ChainRow, Extent, VerifiedBlock};
use superroot_proof::ledger::Header;
use superroot_source::{BlockAt, BlockId, Parts};
use superroot_store::coverage::{self, Coverage};
use superroot_store::feed::Changes;
use superroot_store::layout::{BlockRow, ChainState, Held, Kept, Watch};
use superroot_store::{Batch, Store, StoreError, read, write};
use superroot_types::{BlockNumber, Hash, UnixSeconds};

use crate::blocking::blocking;
use crate::collector::{Collector, Stepping};
use crate::commit::{FeedWriter, expect_state, note_bodies};
use crate::error::CollectError;
use crate::fetch::Fetcher;
use crate::progress::Refusal;
use crate::watching;

/// Blocks that one step looks at, at most.
const EXAMINED_MAX: u64 = 2048;
/// Time after which a step asks for no more blocks: meanwhile nobody looks at the head.
const STEP_TIME: Duration = Duration::from_secs(3);
/// Time after which a step takes what has come, and leaves the rest to the next one.
const STEP_TIME_MAX: Duration = Duration::from_secs(5);

/// What a step of repairing did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repaired {
    /// Where the next step goes on; `None` when the range is done.
    pub next: Option<BlockNumber>,
    /// Numbers looked at.
    pub examined: u64,
    /// Blocks whose body was stored anew, or more of it.
    pub repaired: usize,
    /// Blocks that nodes were asked for.
    pub asked: usize,
    /// Of these, blocks whose body no node gave, at least in part.
    pub bare: usize,
    /// Blocks that could not be repaired, and why.
    pub left: Vec<Refusal>,
}

/// What a look at a range found.
struct Findings {
    /// Held blocks of which more is wanted, and how they are held.
    wanted: Vec<(BlockNumber, BlockRow)>,
    /// What can be said of others without a fetch.
    runs: Vec<Coverage>,
    left: Vec<Refusal>,
    next: BlockNumber,
}

impl Collector {
    /// Looks at the final blocks held from `from` to `to` (or as many as one step takes), fetches
    /// those whose body is missing or spoilt or of which the watch list would keep more, checks them
    /// against the hashes held, and stores them. `now` dates what is stored.
    ///
    /// # Errors
    /// As [`Collector::step`]. Blocks that nobody can give are listed, not an error.
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
        let (from, to) = (from.max(state.start), to.min(indexed));
        let found = self.examine(from, to).await?;
        // the block is held: what nobody has now is asked for when it is repaired again
        let fetcher = Fetcher { body_wait: None, withheld_told: None, ..self.fetcher(true) }
            .within(STEP_TIME, STEP_TIME_MAX);
        let wanted = found.wanted.iter().map(|(number, row)| {
            (BlockAt::Id(BlockId { number: *number, hash: row.hash }), Parts::Whole)
        });
        let skips = |error: &CollectError| error.block().is_some();
        let (received, error) = fetcher.blocks(wanted.collect(), skips).await;
        let next = match error {
            None => found.next,
            // no time for it: the next step asks for it
            Some(CollectError::StepTooLarge { number, .. }) if !received.is_empty() => number,
            Some(error) => return Err(error),
        };
        let (asked, mut bare) = (received.len(), 0);
        let mut left: Vec<_> =
            found.left.into_iter().filter(|refusal| refusal.number < next).collect();
        let runs = found.runs.into_iter().filter(|run| run.to < next).collect();
        let mut blocks = Vec::new();
        for ((number, row), received) in found.wanted.into_iter().zip(received) {
            let mut leave = |reason: String| left.push(Refusal { number, reason });
            match received.map(|received| received.block) {
                Ok(block)
                    if block.body_refused().is_some()
                        || fetcher.lacks_body(&block, Parts::Whole) =>
                {
                    bare += 1;
                    let missing = watching::lacking(block.extent());
                    leave(match block.body_refused() {
                        Some(why) => format!("its {missing} cannot be taken: {why}"),
                        None => format!("no node gives its {missing}"),
                    });
                    if block.extent().covers(row.extent) && block.extent() != row.extent {
                        blocks.push((row, block));
                    }
                }
                Ok(block) if block.extent().covers(row.extent) => blocks.push((row, block)),
                Ok(_) => leave("less came than was held".into()),
                Err(error) => leave(error.to_string()),
            }
        }
        left.sort_by_key(|refusal| refusal.number);
        self.note_sizes(blocks.iter().map(|(_, block)| block));
        let (repaired, examined) = (blocks.len(), next.0.saturating_sub(from.0));
        let (store, row, watch) = (self.store.clone(), self.row.clone(), self.config.watch.clone());
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
        let (store, row, watch) = (self.store.clone(), self.row.clone(), self.config.watch.clone());
        let (wanted_max, sparse) = (self.batch_max(), self.is_sparse());
        blocking(move || {
            let chain = row.key();
            let said = coverage::load_coverage_within(&*store, chain, from, to)?;
            let (wanted, runs, left) = (Vec::new(), Vec::new(), Vec::new());
            let mut found = Findings { wanted, runs, left, next: from };
            let (hash, watch) = (watch.hash(), Arc::new(watch));
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
        self.left.push(Refusal { number, reason: reason.to_owned() });
    }
}

/// What the present watch list has more than those that blocks were kept under.
struct Lists<'a> {
    store: &'a dyn Store,
    watch: Arc<Watch>,
    hash: Hash,
    more: BTreeMap<Hash, Arc<Watch>>,
}

impl Lists<'_> {
    /// What it has more than what is said of a block.
    fn more_than(&mut self, held: Option<Held>) -> Result<Arc<Watch>, CollectError> {
        let Some(Held::Watched { watch_hash }) = held else { return Ok(self.watch.clone()) };
        if let Some(more) = self.more.get(&watch_hash) {
            return Ok(more.clone());
        }
        let held = read::load_watch(self.store, &watch_hash)?.unwrap_or_else(Watch::nothing);
        let more = Arc::new(self.watch.without(&held));
        self.more.insert(watch_hash, more.clone());
        Ok(more)
    }
}

/// Sorts a held block: sound and held as far as wanted, or to be fetched.
fn look(
    lists: &mut Lists<'_>,
    row: &ChainRow,
    number: BlockNumber,
    block: BlockRow,
    held: Option<Held>,
    found: &mut Findings,
) -> Result<(), CollectError> {
    // of some ledgers there are no receipts to be held
    let is_whole = block.kept == Kept::All
        && (block.extent == WHOLE
            || block.extent.transactions && !row.ledger.body_may_come_later());
    let more = lists.more_than(held)?;
    let passes = watching::header_passes(row, &more, number, &block.header);
    if !is_sound(lists.store, row, number, &block)? || (passes && !is_whole) {
        found.wanted.push((number, block));
    } else if !is_whole && !more.is_nothing() {
        let held = Held::Watched { watch_hash: lists.hash };
        found.runs.push(Coverage { from: number, to: number, held });
    }
    Ok(())
}

/// Stores what came, with what was held of it before, and says how it is held.
fn mend(
    store: &dyn Store,
    (row, source_name): (&ChainRow, &str),
    watch: &Watch,
    feed: FeedWriter,
    state: &ChainState,
    blocks: &[(BlockRow, VerifiedBlock)],
    mut runs: Vec<Coverage>,
) -> Result<(), CollectError> {
    let chain = row.key();
    let (mut batch, mut changes) = (Batch::new(), Changes::default());
    for (held, block) in blocks {
        let kept = watching::kept_beside(row, watch, block, Some(held));
        write::put_kept_block(&mut batch, store, block, &kept)?;
        changes.body(block.number());
        // the list of nothing says nothing of what another list kept
        if kept == Kept::All || !watch.is_nothing() {
            let (from, held) = (block.number(), watching::held(watch, block.extent(), &kept));
            runs.push(Coverage { from, to: from, held });
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

/// Whether the header can be read, and the body is there under its roots as far as the block's row
/// says.
fn is_sound(
    store: &dyn Store,
    row: &ChainRow,
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
