//! Taking final blocks: a run is recomputed, linked from the block that is agreed on down to the
//! final block held, and committed whole.

use std::sync::Arc;

use superroot_chain::{ChainRow, Evidence, Extent, VerifiedBlock};
use superroot_source::{BlockAt, BlockId, Parts, Purpose};
use superroot_store::layout::{self, BlockRow, ChainState, Held, RefusedRow, Watch};
use superroot_store::read::Coverage;
use superroot_store::{Batch, Store, read, write};
use superroot_types::{BlockNumber, ChainKey, Hash};

use crate::collector::{Collector, Progress, Refusal, blocking, computing, evidence};
use crate::fetch::{Fetcher, Received};
use crate::{CollectError, head_blocks, watching};

/// A block of a run that is to be taken.
#[derive(Debug)]
pub(crate) enum Piece {
    /// Held already, as not final.
    Held(BlockNumber, BlockRow),
    /// Just fetched.
    New(Received),
}

impl Piece {
    pub(crate) const fn number(&self) -> BlockNumber {
        match self {
            Self::Held(number, _) => *number,
            Self::New(received) => received.block.number(),
        }
    }

    pub(crate) const fn hash(&self) -> Hash {
        match self {
            Self::Held(_, row) => row.hash,
            Self::New(received) => received.block.hash(),
        }
    }

    pub(crate) const fn parent_hash(&self) -> Hash {
        match self {
            Self::Held(_, row) => row.parent_hash,
            Self::New(received) => received.block.parent_hash(),
        }
    }

    pub(crate) const fn block(&self) -> Option<&VerifiedBlock> {
        match self {
            Self::Held(..) => None,
            Self::New(received) => Some(&received.block),
        }
    }
}

impl Collector {
    /// Takes the blocks from `first` to `last`, or as many of them as can be had: a chain stops
    /// just before a block that cannot.
    pub(crate) async fn take_line(
        &mut self,
        state: ChainState,
        first: BlockNumber,
        mut last: BlockNumber,
        now: superroot_types::UnixSeconds,
    ) -> Result<(Progress, ChainState), CollectError> {
        let (pieces, evidence) = loop {
            match self.fetch_line(first, last).await {
                Ok(line) => break line,
                Err(error) => {
                    self.note_refused(&error).await?;
                    match error.block().filter(|bad| first < *bad && *bad <= last) {
                        Some(bad) => last = BlockNumber(bad.0 - 1),
                        None => return Err(error),
                    }
                }
            }
        };
        self.note_sizes(pieces.iter().filter_map(Piece::block));
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
        let taking = self.taking(evidence);
        let store = self.store.clone();
        computing(move || taking.line(&*store, state, pieces)).await
    }

    /// The blocks from `first` to `last`, each the parent of the next, the last the one that is
    /// agreed on; and who agrees.
    async fn fetch_line(
        &self,
        first: BlockNumber,
        last: BlockNumber,
    ) -> Result<(Vec<Piece>, Evidence), CollectError> {
        let fetcher = self.fetcher(true);
        self.clear_room();
        let agreement = self.source.fetch_agreement(last).await;
        let agreement = agreement.map_err(|cause| fetcher.source_error(cause))?;
        let mut held = self.held_blocks(first, last).await?;
        if agreement.hash.is_none() {
            // the source speaks for itself: what it sends as the last block is what it stands by
            held.retain(|(number, _)| *number != last);
        }
        // a body that nobody had at the head may be there by now
        let (bare, held): (Vec<_>, Vec<_>) =
            held.into_iter().partition(|(_, row)| watching::lacks_body(&self.row, row));
        let pieces = self.fetch_pieces(&fetcher.for_a_step(), first, last, held).await?;
        let agreement = match pieces.last().map(Piece::number) {
            Some(newest) if newest < last => {
                let shorter = self.source.fetch_agreement(newest).await;
                shorter.map_err(|cause| fetcher.source_error(cause))?
            }
            _ => agreement,
        };
        let pieces = self.settle(&fetcher, pieces, agreement.hash).await?;
        let mut pieces = self.fetch_bodies(&fetcher, pieces).await?;
        for (number, row) in bare {
            let same = |piece: &&mut Piece| piece.number() == number && piece.hash() == row.hash;
            if let Some(piece) = pieces.iter_mut().find(same)
                && piece.block().is_some_and(|block| {
                    let Extent { transactions, receipts } = block.extent();
                    !(transactions && receipts)
                })
            {
                *piece = Piece::Held(number, row); // still nobody has it
            }
        }
        Ok((pieces, evidence(&agreement)))
    }

    /// Blocks of that range that are held and not final.
    async fn held_blocks(
        &self,
        first: BlockNumber,
        last: BlockNumber,
    ) -> Result<Vec<(BlockNumber, BlockRow)>, CollectError> {
        let (store, chain) = (self.store.clone(), self.chain());
        blocking(move || {
            let numbers = first..BlockNumber(last.0.saturating_add(1));
            let mut held = read::load_blocks(&*store, chain, numbers, usize::MAX)?;
            held.retain(|(_, row)| row.evidence.is_none());
            Ok(held)
        })
        .await
    }

    /// Each block of the range: as held, or as somebody sends it under its number. Only the first
    /// of them, the last of these just fetched, where there is no room or no time for all.
    pub(crate) async fn fetch_pieces(
        &self,
        fetcher: &Fetcher,
        first: BlockNumber,
        last: BlockNumber,
        held: Vec<(BlockNumber, BlockRow)>,
    ) -> Result<Vec<Piece>, CollectError> {
        let parts = self.first_parts();
        let is_held = |number: &u64| held.iter().any(|(held, _)| held.0 == *number);
        let wanted = (first.0..=last.0).filter(|number| !is_held(number));
        let wanted = wanted.map(|number| (BlockAt::Number(BlockNumber(number)), parts)).collect();
        let (received, error) = fetcher.blocks(wanted, |_| false).await;
        let received = received.into_iter().collect::<Result<Vec<_>, _>>()?;
        let newest = received.last().map(|received| received.block.number());
        let last = match (error, newest) {
            (None, _) => last,
            (Some(CollectError::StepTooLarge { .. }), Some(newest)) => newest,
            (Some(error), _) => return Err(error),
        };
        let held = held.into_iter().filter(|(number, _)| *number <= last);
        let mut pieces: Vec<Piece> = held.map(|(number, row)| Piece::Held(number, row)).collect();
        pieces.extend(received.into_iter().map(Piece::New));
        pieces.sort_by_key(Piece::number);
        Ok(pieces)
    }

    /// Which parts are asked for before anything is known of a block.
    pub(crate) const fn first_parts(&self) -> Parts {
        match self.config.watch {
            Watch::All => Parts::Whole,
            Watch::Some { .. } => Parts::Header,
        }
    }

    /// Follows the line from `top` downwards. A block that does not stand on it is blamed on who
    /// sent it, and fetched by the hash that its child names.
    pub(crate) async fn settle(
        &self,
        fetcher: &Fetcher,
        mut pieces: Vec<Piece>,
        top: Option<Hash>,
    ) -> Result<Vec<Piece>, CollectError> {
        let mut expected = top.or_else(|| pieces.last().map(Piece::hash));
        for piece in pieces.iter_mut().rev() {
            if let Some(hash) = expected.filter(|hash| *hash != piece.hash()) {
                let number = piece.number();
                if let Piece::New(Received { sender, .. }) = &*piece
                    && fetcher.is_final
                {
                    let why = format!("sent {}, agreed on is {hash}", piece.hash());
                    fetcher.blame(sender, number, crate::AGREEMENT, &why);
                }
                let at = BlockAt::Id(BlockId { number, hash });
                *piece = Piece::New(fetcher.block(at, self.first_parts()).await?);
            }
            expected = Some(piece.parent_hash());
        }
        Ok(pieces)
    }

    /// Fetches the bodies of those blocks whose header passes the watch list, by their hash.
    pub(crate) async fn fetch_bodies(
        &self,
        fetcher: &Fetcher,
        mut pieces: Vec<Piece>,
    ) -> Result<Vec<Piece>, CollectError> {
        let lacks_body = |piece: &Piece| match piece {
            Piece::Held(..) => false,
            Piece::New(Received { block, .. }) => {
                let watch = &self.config.watch;
                *watch != Watch::All
                    && block.receipts().is_none()
                    && watching::header_passes(&self.row, watch, block.number(), block.header())
            }
        };
        let wanted = pieces.iter().filter(|piece| lacks_body(piece)).map(|piece| {
            let id = BlockId { number: piece.number(), hash: piece.hash() };
            (BlockAt::Id(id), Parts::Whole)
        });
        let (received, error) = fetcher.blocks(wanted.collect(), |_| false).await;
        if let Some(error) = error {
            return Err(error);
        }
        let mut received = received.into_iter();
        for piece in pieces.iter_mut().filter(|piece| lacks_body(piece)) {
            if let Some(whole) = received.next() {
                *piece = Piece::New(whole?);
            }
        }
        Ok(pieces)
    }

    /// Takes what is recorded of a range: numbers may be missing, what does not recompute is left
    /// out, and the parent rule holds between neighbours alone.
    pub(crate) async fn take_recorded(
        &mut self,
        state: ChainState,
        next: BlockNumber,
        last: BlockNumber,
    ) -> Result<(Progress, ChainState), CollectError> {
        let count = self.make_room(Purpose::Behind, usize::MAX).await;
        let fetcher = self.fetcher(true);
        let listed = self.source.fetch_numbers(next, count).await;
        let listed = listed.map_err(|cause| fetcher.source_error(cause))?.unwrap_or_default();
        let numbers: Vec<_> = listed.into_iter().filter(|number| *number <= last).collect();
        let Some(newest) = numbers.last() else { return Ok((Progress::Idle, state)) };
        let agreement = self.source.fetch_agreement(*newest).await;
        let agreement = agreement.map_err(|cause| fetcher.source_error(cause))?;
        let wanted = numbers.iter().map(|number| (BlockAt::Number(*number), Parts::Whole));
        let skips = |error: &CollectError| matches!(error, CollectError::Refused { .. });
        let (received, error) = fetcher.blocks(wanted.collect(), skips).await;
        if let Some(error) = error {
            return Err(error);
        }
        let good = received.iter().filter_map(|received| received.as_ref().ok());
        self.note_sizes(good.map(|received| &received.block));
        let taking = self.taking(evidence(&agreement));
        let (store, blocks) = (self.store.clone(), numbers.into_iter().zip(received).collect());
        computing(move || taking.recorded(&*store, state, blocks)).await
    }

    pub(crate) fn taking(&self, evidence: Evidence) -> Taking {
        let (row, watch) = (self.row.clone(), self.config.watch.clone());
        Taking { row, watch, evidence, source_name: self.source.name().to_owned() }
    }

    /// Notes a block that was refused, durably: the chain stops before it.
    pub(crate) async fn note_refused(&self, error: &CollectError) -> Result<(), CollectError> {
        let CollectError::Refused { chain, number, source_name, cause } = error else {
            return Ok(());
        };
        let row = RefusedRow { reason: cause.to_string(), source: source_name.clone() };
        let (store, chain, number) = (self.store.clone(), *chain, *number);
        count_refused(&self.row);
        blocking(move || {
            let mut note = Batch::new();
            write::put_refused(&mut note, chain, number, &row);
            Ok(store.commit(note)?)
        })
        .await
    }
}

/// What taking a run of blocks needs, besides the blocks.
pub(crate) struct Taking {
    pub(crate) row: Arc<ChainRow>,
    watch: Watch,
    pub(crate) evidence: Evidence,
    source_name: String,
}

impl Taking {
    /// Commits a line that stands on what is held, with the new state, all or nothing.
    fn line(
        &self,
        store: &dyn Store,
        before: ChainState,
        pieces: Vec<Piece>,
    ) -> Result<(Progress, ChainState), CollectError> {
        let mut draft = Draft::new(&before);
        for piece in &pieces {
            match piece {
                Piece::Held(number, row) => self.finalise(store, &mut draft, *number, row)?,
                Piece::New(received) => self.put(store, &mut draft, &received.block)?,
            }
        }
        drop_notes(store, &mut draft.batch, self.row.key(), &pieces)?;
        self.commit(store, draft, &before)
    }

    fn recorded(
        &self,
        store: &dyn Store,
        before: ChainState,
        blocks: Vec<(BlockNumber, Result<Received, CollectError>)>,
    ) -> Result<(Progress, ChainState), CollectError> {
        let mut draft = Draft::new(&before);
        for (number, received) in blocks {
            draft.skip_to(number);
            let reason = match received {
                Ok(Received { block, .. }) => {
                    let last = draft.state.indexed.filter(|last| last.number.0 + 1 == number.0);
                    match last.filter(|last| last.hash != block.parent_hash()) {
                        None => {
                            self.put(store, &mut draft, &block)?;
                            continue;
                        }
                        // two captures of one neighbourhood, of which at most one is of the chain
                        Some(last) => format!(
                            "it names parent {}, recorded before it is {}",
                            block.parent_hash(),
                            last.hash
                        ),
                    }
                }
                Err(CollectError::Refused { cause, .. }) => cause.to_string(),
                Err(error) => return Err(error),
            };
            self.leave_out(&mut draft, number, reason);
        }
        self.commit(store, draft, &before)
    }

    fn commit(
        &self,
        store: &dyn Store,
        mut draft: Draft,
        before: &ChainState,
    ) -> Result<(Progress, ChainState), CollectError> {
        let chain = self.row.key();
        expect_state(store, &mut draft.batch, chain, before)?;
        write::put_coverage(&mut draft.batch, store, chain, &draft.runs)?;
        write::put_chain_state(&mut draft.batch, chain, &draft.state);
        store.commit(draft.batch)?;
        metrics::counter!("superroot_collect_final_blocks_total", "chain" => self.row.slug.clone())
            .increment(draft.taken as u64);
        let Draft { state, refused, taken: blocks, undone, .. } = draft;
        head_blocks::note_reorg(&self.row, undone, state.indexed.map(|indexed| indexed.number));
        Ok((Progress::Final { blocks, refused, undone }, state))
    }

    fn put(
        &self,
        store: &dyn Store,
        draft: &mut Draft,
        block: &VerifiedBlock,
    ) -> Result<(), CollectError> {
        let (chain, number, hash) = (self.row.key(), block.number(), block.hash());
        let held = read::load_block(store, chain, number)?;
        if held.is_some_and(|held| held.hash != hash) {
            // what was held there was not final, and everything above it stood on it
            let (batch, state) = (&mut draft.batch, &mut draft.state);
            draft.undone += head_blocks::undo_from(store, batch, chain, number, state)?;
        }
        let held = self.put_kept(store, &mut draft.batch, block)?;
        draft.take(layout::Tip { number, hash }, held);
        Ok(())
    }

    /// Stores what is kept of a final block; says how it is held.
    pub(crate) fn put_kept(
        &self,
        store: &dyn Store,
        batch: &mut Batch,
        block: &VerifiedBlock,
    ) -> Result<Held, CollectError> {
        let kept = watching::kept(&self.row, &self.watch, block);
        let held = watching::held(&self.watch, block.extent(), &kept);
        write::put_kept_block(batch, store, block, &kept, Some(&self.evidence))?;
        Ok(held)
    }

    fn finalise(
        &self,
        store: &dyn Store,
        draft: &mut Draft,
        number: BlockNumber,
        row: &BlockRow,
    ) -> Result<(), CollectError> {
        let (chain, hash) = (self.row.key(), row.hash);
        write::finalise_block(&mut draft.batch, store, chain, number, &hash, &self.evidence)?;
        let held = watching::held(&self.watch, row.extent, &row.kept);
        draft.take(layout::Tip { number, hash }, held);
        Ok(())
    }

    /// Leaves a block of a recording out, with a note why.
    fn leave_out(&self, draft: &mut Draft, number: BlockNumber, reason: String) {
        let row = RefusedRow { reason: reason.clone(), source: self.source_name.clone() };
        write::put_refused(&mut draft.batch, self.row.key(), number, &row);
        count_refused(&self.row);
        draft.refused.push(Refusal { number, reason });
        draft.examined(number, Held::Refused);
    }
}

/// What a step has worked out before it commits.
struct Draft {
    batch: Batch,
    state: ChainState,
    runs: Vec<Coverage>,
    refused: Vec<Refusal>,
    taken: usize,
    undone: usize,
}

impl Draft {
    fn new(before: &ChainState) -> Self {
        let (batch, state) = (Batch::new(), before.clone());
        Self { batch, state, runs: Vec::new(), refused: Vec::new(), taken: 0, undone: 0 }
    }

    fn take(&mut self, tip: layout::Tip, held: Held) {
        self.state.indexed = Some(tip);
        self.state.head = self.state.head.filter(|head| head.number > tip.number).or(Some(tip));
        self.state.block_count += 1;
        self.taken += 1;
        self.examined(tip.number, held);
    }

    fn examined(&mut self, number: BlockNumber, held: Held) {
        self.runs.push(Coverage { from: number, to: number, held });
        self.state.checked_to = Some(number);
    }

    /// Numbers before this one that were not recorded.
    fn skip_to(&mut self, number: BlockNumber) {
        let from = self.state.checked_to.map_or(self.state.start.0, |checked| checked.0 + 1);
        if from < number.0 {
            let (from, to) = (BlockNumber(from), BlockNumber(number.0 - 1));
            self.runs.push(Coverage { from, to, held: Held::Skipped });
        }
    }
}

/// Takes back notes about blocks that were refused: sound ones have come.
pub(crate) fn drop_notes(
    store: &dyn Store,
    batch: &mut Batch,
    chain: ChainKey,
    pieces: &[Piece],
) -> Result<(), CollectError> {
    let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return Ok(()) };
    let numbers = first.number()..BlockNumber(last.number().0.saturating_add(1));
    for number in read::load_refused_numbers(store, chain, numbers, usize::MAX)? {
        write::remove_refused(batch, chain, number);
    }
    Ok(())
}

fn count_refused(row: &ChainRow) {
    metrics::counter!("superroot_collect_refused_blocks_total", "chain" => row.slug.clone())
        .increment(1);
}

/// Makes the commit depend on the state that was read, or on there being none for a new chain.
pub(crate) fn expect_state(
    store: &dyn Store,
    batch: &mut Batch,
    chain: ChainKey,
    before: &ChainState,
) -> Result<(), CollectError> {
    let is_new = read::load_chain_state(store, chain)?.is_none();
    write::expect_chain_state(batch, chain, (!is_new).then_some(before));
    Ok(())
}
