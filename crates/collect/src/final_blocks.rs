//! Final blocks: a run is recomputed, linked from the agreed block down to the stored final block, and committed whole.

use std::collections::BTreeMap;
use std::sync::Arc;

use superroot_chain::finality::{BlockLink, Candidate, FinalBlock};
use superroot_chain::{ChainSpec, VerifiedBlock};
use superroot_source::{BlockAt, BlockParts, Purpose};
use superroot_store::coverage::{self, CoverageRun};
use superroot_store::feed::Changes;
use superroot_store::layout::{
    self, BlockRow, BlockTip, ChainState, HeldRun, KeptEntries, RefusedRow, WatchFilter,
};
use superroot_store::{Store, WriteBatch, read, write};
use superroot_types::{BlockNumber, UnixSeconds};

use crate::agreed::LINE_BLOCKS_MAX;
use crate::blocking::{blocking, computing};
use crate::collector::Collector;
use crate::commit::{FeedWriter, expect_state, note_bodies, note_reorg, undo_from};
use crate::error::CollectError;
use crate::line::RunPiece;
use crate::progress::{CollectProgress, RefusedBlock};
use crate::watching;

/// Recorded block results, by number.
type Outcomes = BTreeMap<BlockNumber, Result<FinalBlock, String>>;

impl Collector {
    /// Takes the blocks from `first` to `last`, up to the first unavailable one.
    pub(crate) async fn take_line(
        &mut self,
        state: ChainState,
        (first, mut last): (BlockNumber, BlockNumber),
        shown: Option<BlockTip>,
        now: UnixSeconds,
    ) -> Result<(CollectProgress, ChainState), CollectError> {
        if !self.row.ledger.binds_parent() {
            last = last.min(BlockNumber(first.0.saturating_add(LINE_BLOCKS_MAX - 1)));
        }
        // whoever sent a bad block may be left alone for a while: what is below it is taken before
        // the block is asked for again
        let before =
            |bad: BlockNumber, last| (first < bad && bad <= last).then(|| BlockNumber(bad.0 - 1));
        last = self.stops_before.take().and_then(|bad| before(bad, last)).unwrap_or(last);
        let (pieces, agreement) = loop {
            match self.fetch_line(first, last).await {
                Ok(line) => break line,
                Err(error) => {
                    self.note_refused(&error).await?;
                    self.stops_before = error.block().or(self.stops_before);
                    match error.block().and_then(|bad| before(bad, last)) {
                        Some(below) => last = below,
                        None => return Err(error),
                    }
                }
            }
        };
        self.note_sizes(pieces.iter().filter_map(RunPiece::block));
        let below = state.indexed.filter(|below| below.number.0 + 1 == first.0);
        let lowest = pieces
            .first()
            .filter(|lowest| below.is_some_and(|below| below.hash != lowest.parent_hash()));
        if let (Some(below), Some(lowest)) = (below, lowest) {
            return Err(self.stands_elsewhere(below, Some(lowest), first, now).await);
        }
        if let Err(error) = self.check_due(&pieces).await {
            self.note_refused(&error).await?;
            return Err(error);
        }
        self.check_steps(&pieces, now).await?;
        let Some((pieces, agreement)) = self.shown_part(pieces, agreement, now).await? else {
            return Ok((CollectProgress::Idle, state));
        };
        let Some(top) = pieces.last() else { return Ok((CollectProgress::Idle, state)) };
        let evidence = self.evidence(&agreement, top.number(), top.hash(), now);
        if let Some(shown) = shown
            && !self.check_shown(shown, &top.timed(), &evidence, now).await?
        {
            return Ok((CollectProgress::Idle, state));
        }
        let chain = self.chain();
        let line = pieces.into_iter().map(|piece| piece.into_candidate(chain)).collect();
        let blocks = self.check_final(evidence, line, now)?;
        let taking = self.taking(now);
        let store = self.store.clone();
        computing(move || taking.line(&*store, state, &blocks)).await
    }

    /// Takes a recorded range: numbers may be missing, unreadable or invalid blocks are left out, and the parent rule
    /// applies only between neighbours.
    pub(crate) async fn take_recorded(
        &mut self,
        state: ChainState,
        next: BlockNumber,
        now: UnixSeconds,
    ) -> Result<(CollectProgress, ChainState), CollectError> {
        let count = self.make_room(Purpose::Behind, usize::MAX).await;
        let fetcher = self.fetcher(true);
        let listed = self.source.fetch_numbers(next, count).await;
        let numbers = listed.map_err(|cause| fetcher.source_error(cause))?.unwrap_or_default();
        let Some(newest) = numbers.last() else { return Ok((CollectProgress::Idle, state)) };
        let agreement = self.source.fetch_agreement(*newest).await;
        let agreement = agreement.map_err(|cause| fetcher.source_error(cause))?;
        let wanted = numbers.iter().map(|number| (BlockAt::Number(*number), BlockParts::Whole));
        let skips = |error: &CollectError| error.of_recording().is_some();
        let (received, error) = fetcher.blocks(wanted.collect(), skips).await;
        if let Some(error) = error {
            return Err(error);
        }
        let mut line = Vec::new();
        let mut outcomes = Outcomes::new();
        for (number, received) in numbers.into_iter().zip(received) {
            match received {
                Ok(received) => line.push(received.block),
                Err(error) => match error.of_recording() {
                    Some(why) => _ = outcomes.insert(number, Err(why)),
                    None => return Err(error),
                },
            }
        }
        self.note_sizes(line.iter());
        if let Some((number, hash)) = line.last().map(|top| (top.number(), top.hash())) {
            let evidence = self.evidence(&agreement, number, hash, now);
            let line = line.into_iter().map(Candidate::from).collect();
            let blocks = self.check_final(evidence, line, now)?;
            outcomes.extend(blocks.into_iter().map(|block| (block.link().number, Ok(block))));
        }
        let taking = self.taking(now);
        let store = self.store.clone();
        computing(move || taking.recorded(&*store, state, &outcomes)).await
    }

    pub(crate) fn taking(&self, now: UnixSeconds) -> FinalBlockTaker {
        let row = self.row.clone();
        let watch = self.config.watch.clone();
        let feed = self.feed(now);
        let source_name = self.source.name().to_owned();
        FinalBlockTaker { row, watch, feed, source_name }
    }

    /// Records a refused block durably: the chain stops before it.
    pub(crate) async fn note_refused(&self, error: &CollectError) -> Result<(), CollectError> {
        let CollectError::Refused { chain, number, source_name, cause } = error else {
            return Ok(());
        };
        let row = RefusedRow { reason: cause.to_string(), source: source_name.clone() };
        let store = self.store.clone();
        let chain = *chain;
        let number = *number;
        count_refused(&self.row);
        blocking(move || {
            let mut note = WriteBatch::new();
            write::put_refused(&mut note, chain, number, &row);
            Ok(store.commit(note)?)
        })
        .await
    }
}

pub(crate) struct FinalBlockTaker {
    pub(crate) row: Arc<ChainSpec>,
    watch: WatchFilter,
    pub(crate) feed: FeedWriter,
    source_name: String,
}

impl FinalBlockTaker {
    /// Commits a line on top of the stored blocks, with the new state, atomically.
    fn line(
        &self,
        store: &dyn Store,
        before: ChainState,
        blocks: &[FinalBlock],
    ) -> Result<(CollectProgress, ChainState), CollectError> {
        let mut draft = CollectDraft::new(&before);
        for block in blocks {
            self.take(store, &mut draft, block)?;
        }
        self.note_bodies(store, &mut draft.batch, blocks)?;
        self.commit(store, draft, &before)
    }

    fn recorded(
        &self,
        store: &dyn Store,
        before: ChainState,
        outcomes: &Outcomes,
    ) -> Result<(CollectProgress, ChainState), CollectError> {
        let mut draft = CollectDraft::new(&before);
        for (number, outcome) in outcomes {
            draft.skip_to(*number);
            let reason = match outcome {
                Ok(block) => {
                    let parent_hash = block.link().parent_hash;
                    let last = draft.state.indexed.filter(|last| last.number.0 + 1 == number.0);
                    match last.filter(|last| last.hash != parent_hash) {
                        None => {
                            self.take(store, &mut draft, block)?;
                            self.note_bodies(store, &mut draft.batch, std::slice::from_ref(block))?;
                            continue;
                        }
                        // two captures of one neighbourhood, of which at most one is of the chain
                        Some(last) => format!(
                            "it names parent {parent_hash}, recorded before it is {}",
                            last.hash
                        ),
                    }
                }
                Err(reason) => reason.clone(),
            };
            self.leave_out(&mut draft, *number, reason);
        }
        self.commit(store, draft, &before)
    }

    fn commit(
        &self,
        store: &dyn Store,
        mut draft: CollectDraft,
        before: &ChainState,
    ) -> Result<(CollectProgress, ChainState), CollectError> {
        let chain = self.row.key();
        expect_state(store, &mut draft.batch, chain, before)?;
        coverage::put_coverage(&mut draft.batch, store, chain, &draft.runs)?;
        write::put_chain_state(&mut draft.batch, chain, &draft.state);
        self.feed.append(&mut draft.batch, store, draft.changes)?;
        store.commit(draft.batch)?;
        metrics::counter!("superroot_collect_final_blocks_total", "chain" => self.row.slug.clone())
            .increment(draft.taken as u64);
        let CollectDraft { state, refused, taken: blocks, undone, .. } = draft;
        note_reorg(&self.row, undone, state.indexed.map(|indexed| indexed.number));
        Ok((CollectProgress::Final { blocks, refused, undone }, state))
    }

    fn take(
        &self,
        store: &dyn Store,
        draft: &mut CollectDraft,
        block: &FinalBlock,
    ) -> Result<(), CollectError> {
        let BlockLink { chain, number, hash, .. } = block.link();
        let held = read::load_block(store, chain, number)?;
        match held {
            // what was held there was not final, and everything above it stood on it
            Some(held) if held.hash != hash => {
                let CollectDraft { batch, state, changes, .. } = draft;
                draft.undone += undo_from(store, batch, chain, number, state, changes)?;
            }
            // it was fetched again because not all of its body was there
            Some(held) => {
                if let Candidate::Verified(verified) = block.candidate()
                    && (verified.extent() != held.extent
                        || self.kept_beside(verified, Some(&held)) != held.kept)
                {
                    draft.changes.body(number);
                }
            }
            None => {}
        }
        let held = self.put_kept(store, &mut draft.batch, block)?;
        draft.take(layout::BlockTip { number, hash }, held);
        Ok(())
    }

    /// Stores the kept entries for a final block; returns the coverage.
    pub(crate) fn put_kept(
        &self,
        store: &dyn Store,
        batch: &mut WriteBatch,
        block: &FinalBlock,
    ) -> Result<HeldRun, CollectError> {
        let BlockLink { chain, number, .. } = block.link();
        let held = read::load_block(store, chain, number)?;
        let (extent, kept) = match block.candidate() {
            Candidate::Verified(verified) => {
                (verified.extent(), self.kept_beside(verified, held.as_ref()))
            }
            Candidate::Held(_) => {
                let lacks = |held: &BlockRow| watching::lacks_body(&self.row, held);
                match &held {
                    Some(held) if lacks(held) => return self.put_bare(store, batch, block, held),
                    _ => held.map(|row| (row.extent, row.kept)).unwrap_or_default(),
                }
            }
        };
        write::put_final(batch, store, block, &kept)?;
        Ok(watching::held(&self.watch, extent, &kept))
    }

    /// Stores a final block whose body was partly stored at the head, with nothing received since.
    fn put_bare(
        &self,
        store: &dyn Store,
        batch: &mut WriteBatch,
        block: &FinalBlock,
        held: &BlockRow,
    ) -> Result<HeldRun, CollectError> {
        let BlockLink { chain, number, .. } = block.link();
        write::put_final(batch, store, block, &held.kept)?;
        if !watching::header_passes(&self.row, &self.watch, number, &held.header) {
            // another list wanted its body: this one wants none of it
            return Ok(watching::held(&self.watch, held.extent, &KeptEntries::Some(Vec::new())));
        }
        if read::load_refused(store, chain, number)?.is_none() {
            let part = watching::lacking(held.extent);
            let reason = format!("no node gave its {part} before it was final, nor when it was");
            let row = RefusedRow { reason, source: self.source_name.clone() };
            write::put_refused(batch, chain, number, &row);
        }
        Ok(watching::held(&self.watch, held.extent, &held.kept))
    }

    fn kept_beside(&self, block: &VerifiedBlock, held: Option<&BlockRow>) -> KeptEntries {
        watching::kept_beside(&self.row, &self.watch, block, held)
    }

    /// Records why body parts were refused, and clears records for complete blocks. Records for earlier stored blocks
    /// stay.
    pub(crate) fn note_bodies(
        &self,
        store: &dyn Store,
        batch: &mut WriteBatch,
        blocks: &[FinalBlock],
    ) -> Result<(), CollectError> {
        let verified = blocks.iter().filter_map(|block| match block.candidate() {
            Candidate::Verified(verified) => Some(&**verified),
            Candidate::Held(_) => None,
        });
        note_bodies(store, batch, self.row.key(), &self.source_name, verified)
    }

    /// Leaves out a recorded block, with the reason.
    fn leave_out(&self, draft: &mut CollectDraft, number: BlockNumber, reason: String) {
        let row = RefusedRow { reason: reason.clone(), source: self.source_name.clone() };
        write::put_refused(&mut draft.batch, self.row.key(), number, &row);
        count_refused(&self.row);
        draft.refused.push(RefusedBlock { number, reason });
        draft.examined(number, HeldRun::Refused);
    }
}

struct CollectDraft {
    batch: WriteBatch,
    state: ChainState,
    changes: Changes,
    runs: Vec<CoverageRun>,
    refused: Vec<RefusedBlock>,
    taken: usize,
    undone: usize,
}

impl CollectDraft {
    fn new(before: &ChainState) -> Self {
        let batch = WriteBatch::new();
        let state = before.clone();
        let changes = Changes::default();
        let runs = Vec::new();
        let refused = Vec::new();
        Self { batch, state, changes, runs, refused, taken: 0, undone: 0 }
    }

    fn take(&mut self, tip: layout::BlockTip, held: HeldRun) {
        self.state.indexed = Some(tip);
        self.state.head = self.state.head.filter(|head| head.number > tip.number).or(Some(tip));
        self.state.block_count += 1;
        self.taken += 1;
        self.changes.made_final(tip.number);
        self.examined(tip.number, held);
    }

    fn examined(&mut self, number: BlockNumber, held: HeldRun) {
        self.runs.push(CoverageRun { from: number, to: number, held });
        self.state.checked_to = Some(number);
    }

    /// Skips unrecorded numbers below `number`.
    fn skip_to(&mut self, number: BlockNumber) {
        let from = self.state.checked_to.map_or(self.state.start.0, |checked| checked.0 + 1);
        if from < number.0 {
            let from = BlockNumber(from);
            let to = BlockNumber(number.0 - 1);
            self.runs.push(CoverageRun { from, to, held: HeldRun::Skipped });
        }
    }
}

fn count_refused(row: &ChainSpec) {
    metrics::counter!("superroot_collect_refused_blocks_total", "chain" => row.slug.clone())
        .increment(1);
}
