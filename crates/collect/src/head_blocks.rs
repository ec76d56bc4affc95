//! Following the head: blocks that are not final yet, exchanged when the chain reorganises.

use std::sync::Arc;

use superroot_chain::ChainRow;
use superroot_source::{BlockAt, BlockId, Purpose, Tip};
use superroot_store::feed::Changes;
use superroot_store::layout::{self, BlockRow, ChainState, Watch};
use superroot_store::{Batch, Store, read, write};
use superroot_types::{BlockNumber, ErrorKind, UnixSeconds};

use crate::blocking::{blocking, computing};
use crate::collector::Collector;
use crate::commit::{FeedWriter, expect_state, note_reorg, undo_from};
use crate::error::CollectError;
use crate::line::Piece;
use crate::progress::Progress;
use crate::watching;

/// Most times that a shorter way up is tried in one step.
const LEADS_MAX: u32 = 4;

impl Collector {
    /// Takes blocks between what is held and the source's head, the lowest first; blocks that were
    /// reorganised away are undone in the same commit.
    pub(crate) async fn follow_head(
        &mut self,
        state: ChainState,
        tip: &Tip,
        now: UnixSeconds,
    ) -> Result<(Progress, ChainState), CollectError> {
        let Some(indexed) = state.indexed else { return Ok((Progress::Idle, state)) };
        let above = tip.head.number.0.saturating_sub(indexed.number.0);
        // further up than is followed: the finalized block has not moved for that long
        if above == 0 || above > self.config.head_blocks_max {
            return Ok((Progress::Idle, state));
        }
        let held = self.held_at(tip.head.number).await?;
        if held.is_some_and(|row| row.hash == tip.head.hash) {
            return Ok((Progress::Idle, state)); // the source lags, or nothing is new
        }
        let head = state.head.map_or(indexed.number.0, |head| head.number.0);
        let first = head.saturating_add(1).min(tip.head.number.0);
        let lacking = usize::try_from(tip.head.number.0 - first).unwrap_or(usize::MAX);
        let count = self.make_room(Purpose::Head, lacking.saturating_add(1)).await;
        let last = first.saturating_add(count as u64 - 1).min(tip.head.number.0);
        let branch = self.fetch_lead(indexed, first, last, tip.head).await?;
        self.check_due(&branch).await?;
        self.note_sizes(branch.iter().filter_map(Piece::block));
        let (store, row, watch) = (self.store.clone(), self.row.clone(), self.config.watch.clone());
        let feed = self.feed(now);
        computing(move || exchange(&*store, &row, &watch, feed, state, branch)).await
    }

    /// The source's blocks from `first` up to the highest that can be had and that leads down to what
    /// is held. A head that cannot be had does not keep those below it from being followed.
    async fn fetch_lead(
        &self,
        indexed: layout::Tip,
        first: u64,
        mut last: u64,
        head: BlockId,
    ) -> Result<Vec<Piece>, CollectError> {
        let chain = self.chain();
        let mut top = (last == head.number.0).then_some(head.hash);
        for attempt in 1.. {
            let branch = self.fetch_branch(indexed, BlockNumber(first), BlockNumber(last), top);
            let error = match branch.await {
                Ok(branch) => return Ok(branch),
                Err(error) => error,
            };
            // what stands in the way, where it is a block above what is held
            let bad = match &error {
                CollectError::Source { .. } if error.kind() != ErrorKind::Bug => Some(last),
                error => error.block().map(|number| number.0),
            };
            if bad.is_some() {
                top = None;
            }
            match bad.filter(|bad| (first + 1..=last).contains(bad)) {
                Some(bad) if attempt < LEADS_MAX => last = bad - 1,
                _ => {
                    return Err(match error {
                        CollectError::OtherBlock { .. } | CollectError::Missing { .. } => {
                            CollectError::HeadMoved { chain }
                        }
                        error => error,
                    });
                }
            }
        }
        unreachable!("the last attempt returns")
    }

    /// The source's blocks from `last` down to the first whose parent is held, rising. Those up from
    /// `first` are fetched together, those below it one by one: they are there only where the chain
    /// reorganised.
    async fn fetch_branch(
        &self,
        indexed: layout::Tip,
        first: BlockNumber,
        last: BlockNumber,
        top: Option<superroot_types::Hash>,
    ) -> Result<Vec<Piece>, CollectError> {
        let mut fetcher = self.fetcher(false);
        self.clear_room();
        let step = fetcher.for_a_step();
        let pieces = self.fetch_pieces(&step, first, last, Vec::new()).await?;
        let top = top.filter(|_| pieces.last().is_some_and(|newest| newest.number() == last));
        let mut branch = self.settle(&fetcher, pieces, top).await?;
        branch.reverse();
        while let Some(lowest) = branch.last().filter(|lowest| lowest.number() > indexed.number) {
            let (number, hash) = (BlockNumber(lowest.number().0 - 1), lowest.parent_hash());
            if self.held_at(number).await?.is_some_and(|row| row.hash == hash) {
                break;
            }
            if number <= indexed.number {
                // it stands on another final block: the final blocks come first, and will tell; until
                // then whoever sent it must not keep the others' head from being followed
                if let Piece::New(received) = lowest {
                    let why = format!("its parent is not {}, which is final", indexed.hash);
                    fetcher.blame(&received.sender, lowest.number(), "parent_link", &why);
                }
                return Err(CollectError::HeadMoved { chain: self.chain() });
            }
            let at = BlockAt::Id(BlockId { number, hash });
            let parent = fetcher.block(at, self.first_parts()).await?;
            // a reorganisation is exchanged whole: no smaller step would have room
            fetcher.room = None;
            branch.push(Piece::New(Box::new(parent)));
        }
        branch.reverse();
        self.fetch_bodies(&fetcher, branch).await
    }

    pub(crate) async fn held_at(
        &self,
        number: BlockNumber,
    ) -> Result<Option<BlockRow>, CollectError> {
        let (store, chain) = (self.store.clone(), self.chain());
        blocking(move || Ok(read::load_block(&*store, chain, number)?)).await
    }
}

/// Undoes what the branch replaces and puts the branch in, in one commit.
fn exchange(
    store: &dyn Store,
    row: &Arc<ChainRow>,
    watch: &Watch,
    feed: FeedWriter,
    before: ChainState,
    branch: Vec<Piece>,
) -> Result<(Progress, ChainState), CollectError> {
    let chain = row.key();
    let mut state = before.clone();
    let Some(first) = branch.first().map(Piece::number) else { return Ok((Progress::Idle, state)) };
    let mut batch = Batch::new();
    let mut changes = Changes::default();
    let undone = undo_from(store, &mut batch, chain, first, &mut state, &mut changes)?;
    for block in branch.iter().filter_map(Piece::block) {
        let kept = watching::kept(row, watch, block);
        write::put_kept_block(&mut batch, store, block, &kept)?;
        let tip = layout::Tip { number: block.number(), hash: block.hash() };
        changes.taken(tip);
        state.head = Some(tip);
    }
    expect_state(store, &mut batch, chain, &before)?;
    write::put_chain_state(&mut batch, chain, &state);
    feed.append(&mut batch, store, changes)?;
    store.commit(batch)?;
    note_reorg(row, undone, Some(first));
    Ok((Progress::Head { taken: branch.len(), undone }, state))
}
