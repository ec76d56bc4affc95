//! Head following: non-final blocks, replaced when the chain reorganises.

use std::sync::Arc;

use superroot_chain::ChainSpec;
use superroot_source::{BlockAt, ClaimedBlock, Purpose, SourceTip};
use superroot_store::feed::Changes;
use superroot_store::layout::{self, BlockRow, ChainState, WatchFilter};
use superroot_store::{Store, WriteBatch, read, write};
use superroot_types::{BlockNumber, ErrorKind, UnixSeconds};

use crate::blocking::{blocking, computing};
use crate::collector::Collector;
use crate::commit::{FeedWriter, expect_state, note_reorg, undo_from};
use crate::error::CollectError;
use crate::line::RunPiece;
use crate::progress::CollectProgress;
use crate::watching;

/// Most shorter leads tried per step.
const LEADS_MAX: u32 = 4;

impl Collector {
    /// Takes blocks between the stored blocks and the source's head, lowest first; undoes reorganised blocks in the
    /// same commit.
    pub(crate) async fn follow_head(
        &mut self,
        state: ChainState,
        tip: &SourceTip,
        now: UnixSeconds,
    ) -> Result<(CollectProgress, ChainState), CollectError> {
        let Some(indexed) = state.indexed else { return Ok((CollectProgress::Idle, state)) };
        let above = tip.head.number.0.saturating_sub(indexed.number.0);
        // further up than is followed: the finalized block has not moved for that long
        if above == 0 || above > self.config.head_blocks_max {
            return Ok((CollectProgress::Idle, state));
        }
        let held = self.held_at(tip.head.number).await?;
        if held.is_some_and(|row| row.hash == tip.head.hash) {
            return Ok((CollectProgress::Idle, state)); // the source lags, or nothing is new
        }
        let head = state.head.map_or(indexed.number.0, |head| head.number.0);
        let first = head.saturating_add(1).min(tip.head.number.0);
        let lacking = usize::try_from(tip.head.number.0 - first).unwrap_or(usize::MAX);
        let count = self.make_room(Purpose::Head, lacking.saturating_add(1)).await;
        let last = first.saturating_add(count as u64 - 1).min(tip.head.number.0);
        let branch = self.fetch_lead(indexed, first, last, tip.head).await?;
        self.check_due(&branch).await?;
        self.check_steps(&branch, now).await?;
        self.note_sizes(branch.iter().filter_map(RunPiece::block));
        let store = self.store.clone();
        let row = self.row.clone();
        let watch = self.config.watch.clone();
        let feed = self.feed(now);
        computing(move || exchange(&*store, &row, &watch, feed, state, branch)).await
    }

    /// Fetches the source's blocks from `first` up to the highest available one that links down to the stored blocks.
    /// An unavailable head does not prevent following lower blocks.
    async fn fetch_lead(
        &self,
        indexed: layout::BlockTip,
        first: u64,
        mut last: u64,
        head: ClaimedBlock,
    ) -> Result<Vec<RunPiece>, CollectError> {
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

    /// Fetches the source's blocks from `last` down to the first with a stored parent, ascending. Blocks from `first`
    /// up are fetched together, lower blocks one by one: only a reorganisation needs them.
    async fn fetch_branch(
        &self,
        indexed: layout::BlockTip,
        first: BlockNumber,
        last: BlockNumber,
        top: Option<superroot_types::Hash>,
    ) -> Result<Vec<RunPiece>, CollectError> {
        let mut fetcher = self.fetcher(false);
        self.clear_room();
        let step = fetcher.for_a_step();
        let pieces = self.fetch_pieces(&step, first, last, Vec::new()).await?;
        let top = top.filter(|_| pieces.last().is_some_and(|newest| newest.number() == last));
        let mut branch = self.settle(&fetcher, pieces, top).await?;
        branch.reverse();
        while let Some(lowest) = branch.last().filter(|lowest| lowest.number() > indexed.number) {
            let number = BlockNumber(lowest.number().0 - 1);
            let hash = lowest.parent_hash();
            if self.held_at(number).await?.is_some_and(|row| row.hash == hash) {
                break;
            }
            if number <= indexed.number {
                // it stands on another final block: the final blocks come first, and will tell; until
                // then whoever sent it must not keep the others' head from being followed
                if let RunPiece::New(received) = lowest {
                    let why = format!("its parent is not {}, which is final", indexed.hash);
                    fetcher.blame(&received.sender, lowest.number(), "parent_link", &why);
                }
                return Err(CollectError::HeadMoved { chain: self.chain() });
            }
            let at = BlockAt::Id(ClaimedBlock { number, hash });
            let parent = fetcher.block(at, self.first_parts()).await?;
            // a reorganisation is exchanged whole: no smaller step would have room
            fetcher.room = None;
            branch.push(RunPiece::New(Box::new(parent)));
        }
        branch.reverse();
        self.fetch_bodies(&fetcher, branch).await
    }

    pub(crate) async fn held_at(
        &self,
        number: BlockNumber,
    ) -> Result<Option<BlockRow>, CollectError> {
        let store = self.store.clone();
        let chain = self.chain();
        blocking(move || Ok(read::load_block(&*store, chain, number)?)).await
    }
}

/// Replaces stored blocks with the branch, in one commit.
fn exchange(
    store: &dyn Store,
    row: &Arc<ChainSpec>,
    watch: &WatchFilter,
    feed: FeedWriter,
    before: ChainState,
    branch: Vec<RunPiece>,
) -> Result<(CollectProgress, ChainState), CollectError> {
    let chain = row.key();
    let mut state = before.clone();
    let Some(first) = branch.first().map(RunPiece::number) else {
        return Ok((CollectProgress::Idle, state));
    };
    let mut batch = WriteBatch::new();
    let mut changes = Changes::default();
    let undone = undo_from(store, &mut batch, chain, first, &mut state, &mut changes)?;
    for block in branch.iter().filter_map(RunPiece::block) {
        let kept = watching::kept(row, watch, block);
        write::put_kept_block(&mut batch, store, block, &kept)?;
        let tip = layout::BlockTip { number: block.number(), hash: block.hash() };
        changes.taken(tip);
        state.head = Some(tip);
    }
    expect_state(store, &mut batch, chain, &before)?;
    write::put_chain_state(&mut batch, chain, &state);
    feed.append(&mut batch, store, changes)?;
    store.commit(batch)?;
    note_reorg(row, undone, Some(first));
    Ok((CollectProgress::Head { taken: branch.len(), undone }, state))
}
