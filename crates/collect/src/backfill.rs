//! Backfill: whole twigs below a chain's run, each from its last block down.
//!
//! ```text
//!            twig being filled         the run
//!   twig_first ...... lowest ..... │ start .......... indexed
//!              ◄──────               lowest names its parent, start named the twig's last block
//! ```
//! A full twig counts from one commit, which also moves the run's start.

use superroot_chain::finality::{BlockLink, FinalBlock};
use superroot_source::{FinalityAgreement, Purpose};
use superroot_store::coverage::{self, CoverageRun};
use superroot_store::feed::Changes;
use superroot_store::layout::{BackfillRow, BlockRow, BlockTip, ChainState};
use superroot_store::{Store, WriteBatch, read, write};
use superroot_types::{BlockNumber, Hash, UnixSeconds};

use crate::agreed::LINE_BLOCKS_MAX;
use crate::blocking::{blocking, computing};
use crate::collector::{Collector, Stepping};
use crate::commit::expect_state;
use crate::error::CollectError;
use crate::final_blocks::FinalBlockTaker;
use crate::line::RunPiece;

/// Result of one backfill step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filled {
    pub blocks: usize,
    /// Current start of the chain's run.
    pub start: BlockNumber,
    /// Lowest stored block, including a twig in progress.
    pub lowest: BlockNumber,
    /// Intended start: the first number in the requested twig, or in the ledger.
    pub target: BlockNumber,
}

impl Filled {
    /// Whether the run begins at the target.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.start <= self.target
    }
}

/// Next twig part.
struct BackfillPart {
    twig_first: BlockNumber,
    /// Highest block to take.
    last: BlockNumber,
    /// Hash named by the block above.
    hash: Hash,
    /// Stored blocks in the twig.
    block_count: u64,
    why: BackfillEvidence,
}

/// Finality evidence for the highest block and its ancestors.
enum BackfillEvidence {
    /// Agreement on the twig's last block.
    Agreed(FinalityAgreement),
    /// Stored final block that names this parent.
    Below(BlockLink, BlockRow),
}

impl Collector {
    /// Takes older blocks until the run begins with the twig that contains `to`. May be stopped and resumed at any
    /// point. `now` dates records.
    ///
    /// # Errors
    /// [`CollectError::NoBackfill`] for a recorded or empty chain; otherwise as [`Collector::step`].
    pub fn backfill_step(&mut self, to: BlockNumber, now: UnixSeconds) -> Stepping<'_, Filled> {
        Box::pin(async move {
            loop {
                let filled = self.fill(to, now).await;
                if !self.leave_room(&filled) {
                    return filled;
                }
            }
        })
    }

    async fn fill(&mut self, to: BlockNumber, now: UnixSeconds) -> Result<Filled, CollectError> {
        let chain = self.chain();
        if self.is_sparse() {
            let why = "a recording has no older blocks than those it begins with";
            return Err(CollectError::NoBackfill { chain, why });
        }
        self.check_halt().await?;
        let nothing = CollectError::NoBackfill { chain, why: "nothing of it is held yet" };
        let held = self.held_state().await?.filter(|state| state.indexed.is_some());
        let state = self.note_watch(held.ok_or(nothing)?, now).await?;
        let target = self.twig_start(to);
        if state.start <= target {
            let start = state.start;
            return Ok(Filled { blocks: 0, start, lowest: start, target });
        }
        let part = self.next_part(&state, now).await?;
        let count = self.make_room(Purpose::Behind, usize::MAX).await;
        let pieces = self.fetch_part(&part, count as u64).await?;
        self.note_sizes(pieces.iter().filter_map(RunPiece::block));
        let blocks = self.part_as_final(&part, pieces, now).await?;
        let taking = self.taking(now);
        let store = self.store.clone();
        computing(move || taking.part(&*store, state, &part, &blocks, target)).await
    }

    /// Turns a part's blocks into final blocks.
    async fn part_as_final(
        &self,
        part: &BackfillPart,
        pieces: Vec<RunPiece>,
        now: UnixSeconds,
    ) -> Result<Vec<FinalBlock>, CollectError> {
        let chain = self.chain();
        let line = pieces.into_iter().map(|piece| piece.into_candidate(chain)).collect();
        match &part.why {
            BackfillEvidence::Agreed(agreement) => {
                let evidence = self.evidence(agreement, part.last, part.hash, now);
                self.check_final(evidence, line, now)
            }
            BackfillEvidence::Below(child, row) => {
                let agreed = row.agreed.unwrap_or(child.number);
                let store = self.store.clone();
                let evidence = blocking(move || Ok(read::load_evidence(&*store, chain, agreed)?));
                let lost =
                    CollectError::NoBackfill { chain, why: "the evidence of its twig is gone" };
                self.check_ancestors(child, agreed, evidence.await?.ok_or(lost)?, line)
            }
        }
    }

    /// Next part: below the stored part in the twig, or at the next twig's last block, which needs an agreement.
    async fn next_part(
        &self,
        state: &ChainState,
        now: UnixSeconds,
    ) -> Result<BackfillPart, CollectError> {
        let store = self.store.clone();
        let chain = self.chain();
        let start = state.start;
        let twig_first = self.twig_start(BlockNumber(start.0 - 1));
        let (filling, above) = blocking(move || {
            let filling = read::load_backfill(&*store, chain)?;
            let above = filling.as_ref().map_or(start, |filling| filling.lowest.number);
            Ok((filling, read::load_block(&*store, chain, above)?))
        })
        .await?;
        let gone = CollectError::NoBackfill { chain, why: "the first block of its run is gone" };
        let above = above.ok_or(gone)?;
        let hash = above.parent_hash;
        if let Some(BackfillRow { lowest, block_count, .. }) = filling {
            let last = BlockNumber(lowest.number.0 - 1);
            let why = BackfillEvidence::Below(above.link(chain, lowest.number), above);
            return Ok(BackfillPart { twig_first, last, hash, block_count, why });
        }
        let last = BlockNumber(start.0 - 1);
        let agreement = self.source.fetch_agreement(last).await;
        let agreement = agreement.map_err(|cause| self.fetcher(true).source_error(cause))?;
        if agreement.hash.is_some_and(|agreed| agreed != hash) {
            let held = BlockTip { number: start, hash: above.hash };
            return Err(self.stands_elsewhere(held, None, last, now).await);
        }
        Ok(BackfillPart {
            twig_first,
            last,
            hash,
            block_count: 0,
            why: BackfillEvidence::Agreed(agreement),
        })
    }

    /// Fetches blocks downwards, up to the step limit or availability.
    async fn fetch_part(
        &self,
        part: &BackfillPart,
        count: u64,
    ) -> Result<Vec<RunPiece>, CollectError> {
        let binds_parent = self.row.ledger.binds_parent();
        let count = if binds_parent { count } else { count.min(LINE_BLOCKS_MAX) };
        let lowest = part.last.0.saturating_sub(count - 1).max(part.twig_first.0);
        let mut lowest = BlockNumber(lowest);
        loop {
            match self.fetch_below(part, lowest).await {
                Ok(pieces) => return Ok(pieces),
                Err(error) => {
                    self.note_refused(&error).await?;
                    match error.block().filter(|bad| lowest <= *bad && *bad < part.last) {
                        Some(bad) => lowest = BlockNumber(bad.0 + 1),
                        None => return Err(error),
                    }
                }
            }
        }
    }

    async fn fetch_below(
        &self,
        part: &BackfillPart,
        lowest: BlockNumber,
    ) -> Result<Vec<RunPiece>, CollectError> {
        let fetcher = self.fetcher(true);
        self.clear_room();
        let pieces = self.fetch_pieces(&fetcher, lowest, part.last, Vec::new()).await?;
        if pieces.last().is_none_or(|highest| highest.number() < part.last) {
            return Err(CollectError::StepTooLarge { chain: self.chain(), number: part.last });
        }
        let pieces = match self.row.ledger.binds_parent() {
            true => self.settle(&fetcher, pieces, Some(part.hash)).await?,
            false => self.settle_each(&fetcher, pieces).await?,
        };
        self.fetch_bodies(&fetcher, pieces).await
    }
}

impl FinalBlockTaker {
    /// Commits a twig part; the last part also moves the run's start.
    fn part(
        &self,
        store: &dyn Store,
        before: ChainState,
        part: &BackfillPart,
        blocks: &[FinalBlock],
        target: BlockNumber,
    ) -> Result<Filled, CollectError> {
        let chain = self.row.key();
        let mut batch = WriteBatch::new();
        let mut runs = Vec::with_capacity(blocks.len());
        for block in blocks {
            let from = block.link().number;
            let held = self.put_kept(store, &mut batch, block)?;
            runs.push(CoverageRun { from, to: from, held });
        }
        let lowest = blocks.first().map(FinalBlock::link);
        let from = lowest.map_or(part.last, |lowest| lowest.number);
        coverage::put_coverage(&mut batch, store, chain, &runs)?;
        self.note_bodies(store, &mut batch, blocks)?;
        expect_state(store, &mut batch, chain, &before)?;
        let mut state = before;
        let block_count = part.block_count + runs.len() as u64;
        if from == part.twig_first {
            let mut changes = Changes::default();
            (from.0..state.start.0).for_each(|number| changes.made_final(BlockNumber(number)));
            self.feed.append(&mut batch, store, changes)?;
            state.start = from;
            state.block_count += block_count;
            write::put_chain_state(&mut batch, chain, &state);
            write::put_backfill(&mut batch, chain, None);
        } else if let Some(BlockLink { number, hash, .. }) = lowest {
            let row = BackfillRow { lowest: BlockTip { number, hash }, block_count };
            write::put_backfill(&mut batch, chain, Some(&row));
        }
        store.commit(batch)?;
        let label = self.row.slug.clone();
        metrics::counter!("superroot_collect_backfilled_blocks_total", "chain" => label)
            .increment(runs.len() as u64);
        Ok(Filled { blocks: runs.len(), start: state.start, lowest: from, target })
    }
}
