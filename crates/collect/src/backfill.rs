//! Filling backwards: whole twigs below a chain's run, each from its last block down.
//!
//! ```text
//!            twig being filled         the run
//!   twig_first ...... lowest ..... │ start .......... indexed
//!              ◄──────               lowest names its parent, start named the twig's last block
//! ```
//! What is held of a twig counts in one commit, when it is full and the run begins with it.

use superroot_chain::finality::{FinalBlock, Link};
use superroot_source::{Agreement, Purpose};
use superroot_store::coverage::{self, Coverage};
use superroot_store::feed::Changes;
use superroot_store::layout::{BackfillRow, BlockRow, ChainState, Tip};
use superroot_store::{Batch, Store, read, write};
use superroot_types::{BlockNumber, Hash, UnixSeconds};

use crate::agreed::LINE_BLOCKS_MAX;
use crate::blocking::{blocking, computing};
use crate::collector::{Collector, Stepping};
use crate::commit::expect_state;
use crate::error::CollectError;
use crate::final_blocks::Taking;
use crate::line::Piece;

/// What a step of filling backwards did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filled {
    /// Blocks taken.
    pub blocks: usize,
    /// Where the chain's run begins now.
    pub start: BlockNumber,
    /// Lowest block held, that of a twig in progress among them.
    pub lowest: BlockNumber,
    /// Where the run is to begin: the first number of the twig asked for, or of the ledger.
    pub target: BlockNumber,
}

impl Filled {
    /// Whether the run begins where it is to.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.start <= self.target
    }
}

/// The next part of a twig to take.
struct Part {
    /// First number of the twig.
    twig_first: BlockNumber,
    /// The highest block to take.
    last: BlockNumber,
    /// Its hash, which the block above it names.
    hash: Hash,
    /// Blocks of the twig that are held.
    block_count: u64,
    why: Why,
}

/// Why the highest block to take, and all it descends from, is final.
enum Why {
    /// It is the twig's last, and agreed on.
    Agreed(Agreement),
    /// A block that is held as final names it as its parent.
    Below(Link, BlockRow),
}

impl Collector {
    /// Takes older blocks, so that in the end the run begins with the twig of `to`. May be stopped
    /// and taken up at any point. `now` dates what is noticed.
    ///
    /// # Errors
    /// [`CollectError::NoBackfill`] for a chain of which nothing is held, or a recorded one; else as
    /// [`Collector::step`].
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
        self.note_sizes(pieces.iter().filter_map(Piece::block));
        let blocks = self.part_as_final(&part, pieces, now).await?;
        let (taking, store) = (self.taking(now), self.store.clone());
        computing(move || taking.part(&*store, state, &part, &blocks, target)).await
    }

    /// The blocks of a part as final ones.
    async fn part_as_final(
        &self,
        part: &Part,
        pieces: Vec<Piece>,
        now: UnixSeconds,
    ) -> Result<Vec<FinalBlock>, CollectError> {
        let chain = self.chain();
        let line = pieces.into_iter().map(|piece| piece.into_candidate(chain)).collect();
        match &part.why {
            Why::Agreed(agreement) => {
                let evidence = self.evidence(agreement, part.last, part.hash, now);
                self.check_final(evidence, line, now)
            }
            Why::Below(child, row) => {
                let agreed = row.agreed.unwrap_or(child.number);
                let store = self.store.clone();
                let evidence = blocking(move || Ok(read::load_evidence(&*store, chain, agreed)?));
                let lost =
                    CollectError::NoBackfill { chain, why: "the evidence of its twig is gone" };
                self.check_ancestors(child, agreed, evidence.await?.ok_or(lost)?, line)
            }
        }
    }

    /// Where filling goes on: below what is held of a twig, or at the last block of the next one,
    /// which has to be agreed on.
    async fn next_part(&self, state: &ChainState, now: UnixSeconds) -> Result<Part, CollectError> {
        let (store, chain, start) = (self.store.clone(), self.chain(), state.start);
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
            let why = Why::Below(above.link(chain, lowest.number), above);
            return Ok(Part { twig_first, last, hash, block_count, why });
        }
        let last = BlockNumber(start.0 - 1);
        let agreement = self.source.fetch_agreement(last).await;
        let agreement = agreement.map_err(|cause| self.fetcher(true).source_error(cause))?;
        if agreement.hash.is_some_and(|agreed| agreed != hash) {
            let held = Tip { number: start, hash: above.hash };
            return Err(self.stands_elsewhere(held, None, last, now).await);
        }
        Ok(Part { twig_first, last, hash, block_count: 0, why: Why::Agreed(agreement) })
    }

    /// As many blocks downwards as a step takes, or as can be had.
    async fn fetch_part(&self, part: &Part, count: u64) -> Result<Vec<Piece>, CollectError> {
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
        part: &Part,
        lowest: BlockNumber,
    ) -> Result<Vec<Piece>, CollectError> {
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

impl Taking {
    /// Commits a part of a twig; with its last part, that the run begins with the twig.
    fn part(
        &self,
        store: &dyn Store,
        before: ChainState,
        part: &Part,
        blocks: &[FinalBlock],
        target: BlockNumber,
    ) -> Result<Filled, CollectError> {
        let chain = self.row.key();
        let mut batch = Batch::new();
        let mut runs = Vec::with_capacity(blocks.len());
        for block in blocks {
            let (from, held) = (block.link().number, self.put_kept(store, &mut batch, block)?);
            runs.push(Coverage { from, to: from, held });
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
        } else if let Some(Link { number, hash, .. }) = lowest {
            let row = BackfillRow { lowest: Tip { number, hash }, block_count };
            write::put_backfill(&mut batch, chain, Some(&row));
        }
        store.commit(batch)?;
        let label = self.row.slug.clone();
        metrics::counter!("superroot_collect_backfilled_blocks_total", "chain" => label)
            .increment(runs.len() as u64);
        Ok(Filled { blocks: runs.len(), start: state.start, lowest: from, target })
    }
}
