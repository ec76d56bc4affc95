//! Watch list change. Non-final blocks are kept under the current list: before a new list counts, its additional
//! entries are fetched. Final blocks stay under their list until [`Collector::repair_step`] widens them.

use std::time::Duration;

use superroot_chain::{ChainSpec, VerifiedBlock};
use superroot_source::{BlockAt, BlockParts, ClaimedBlock};
use superroot_store::feed::Changes;
use superroot_store::layout::{BlockRow, ChainState, WatchFilter};
use superroot_store::{Store, WriteBatch, read, write};
use superroot_types::{BlockNumber, UnixSeconds};

use crate::blocking::blocking;
use crate::collector::Collector;
use crate::commit::{FeedWriter, expect_state, undo_from};
use crate::error::CollectError;
use crate::fetch::Fetcher;
use crate::watching;

/// Time after which no more blocks are requested, and after which none is waited for: missing blocks are collected
/// again.
const FETCH_TIME: Duration = Duration::from_secs(3);
const FETCH_TIME_MAX: Duration = Duration::from_secs(5);

/// Work for non-final blocks under a new list.
struct Widening {
    /// Blocks that may have additional events, ascending.
    wanted: Vec<(BlockNumber, BlockRow)>,
    /// First block to collect again.
    anew: Option<BlockNumber>,
}

impl Collector {
    /// Sets the watch list from the next step on.
    pub fn set_watch(&mut self, watch: WatchFilter) {
        let watch = watching::list_of(&self.row, watch);
        if watch != self.config.watch {
            (self.config.watch, self.watch_known) = (watch, false);
        }
    }

    /// Returns the current watch list, in force from the next step at the latest.
    #[must_use]
    pub const fn watch(&self) -> &WatchFilter {
        &self.config.watch
    }

    /// Puts the watch list in force. First fetches additional entries for non-final blocks; from the first unavailable
    /// one, blocks are collected again.
    pub(crate) async fn note_watch(
        &mut self,
        state: ChainState,
        now: UnixSeconds,
    ) -> Result<ChainState, CollectError> {
        if self.watch_known {
            return Ok(state);
        }
        let Some(Widening { wanted, mut anew }) = self.look_at_heads(&state).await? else {
            self.watch_known = true;
            return Ok(state);
        };
        let fetcher = Fetcher { body_wait: None, ..self.fetcher(false) };
        let fetcher = fetcher.within(FETCH_TIME, FETCH_TIME_MAX);
        let asked = wanted.iter().map(|(number, row)| {
            (BlockAt::Id(ClaimedBlock { number: *number, hash: row.hash }), BlockParts::Whole)
        });
        let (received, error) = fetcher.blocks(asked.collect(), |_| false).await;
        if let Some(error) = error.filter(|error| error.block().is_none()) {
            return Err(error); // nobody answers: the list before counts until somebody does
        }
        let mut blocks = Vec::with_capacity(received.len());
        let mut received = received.into_iter();
        for (number, row) in wanted {
            match received.next() {
                Some(Ok(received)) if !fetcher.lacks_body(&received.block, BlockParts::Whole) => {
                    blocks.push((row, received.block));
                }
                _ => {
                    anew = Some(number);
                    break;
                }
            }
        }
        let store = self.store.clone();
        let row = self.row.clone();
        let watch = self.config.watch.clone();
        let feed = self.feed(now);
        let widened = blocking(move || widen(&*store, &row, &watch, feed, state, &blocks, anew));
        let state = widened.await?;
        self.watch_known = true;
        Ok(state)
    }

    /// Work for non-final blocks under the new list; `None` if already in force.
    async fn look_at_heads(&self, state: &ChainState) -> Result<Option<Widening>, CollectError> {
        let store = self.store.clone();
        let row = self.row.clone();
        let watch = self.config.watch.clone();
        let heads = state.indexed.zip(state.head);
        blocking(move || {
            let chain = row.key();
            let held = read::load_chain_watch(&*store, chain)?;
            if held == Some(watch.hash()) {
                return Ok(None);
            }
            let held = held.map(|hash| read::load_watch(&*store, &hash)).transpose()?.flatten();
            let more = watch.without(&held.unwrap_or_else(WatchFilter::nothing));
            let mut wanted = Vec::new();
            let mut anew = None;
            let numbers = heads.map(|(indexed, head)| indexed.number.0 + 1..=head.number.0);
            for number in numbers.into_iter().flatten().map(BlockNumber) {
                let Some(block) = read::load_block(&*store, chain, number)? else { continue };
                if watching::lacks_body(&row, &block) {
                    // it would be fetched again once it is final, and then kept under the new list
                    anew = Some(number);
                    break;
                }
                if watching::lacks_events(&row, &more, number, &block) {
                    wanted.push((number, block));
                }
            }
            Ok(Some(Widening { wanted, anew }))
        })
        .await
    }
}

/// Stores the received blocks, undoes blocks from `anew` on, and puts the list in force, in one commit.
fn widen(
    store: &dyn Store,
    row: &ChainSpec,
    watch: &WatchFilter,
    feed: FeedWriter,
    before: ChainState,
    blocks: &[(BlockRow, VerifiedBlock)],
    anew: Option<BlockNumber>,
) -> Result<ChainState, CollectError> {
    let chain = row.key();
    let mut state = before.clone();
    let mut batch = WriteBatch::new();
    let mut changes = Changes::default();
    for (held, block) in blocks {
        let kept = watching::kept(row, watch, block).union(&held.kept);
        write::put_kept_block(&mut batch, store, block, &kept)?;
        changes.body(block.number());
    }
    if let Some(first) = anew {
        undo_from(store, &mut batch, chain, first, &mut state, &mut changes)?;
    }
    feed.append(&mut batch, store, changes)?;
    expect_state(store, &mut batch, chain, &before)?;
    if state != before {
        write::put_chain_state(&mut batch, chain, &state);
    }
    write::put_watch(&mut batch, chain, watch);
    store.commit(batch)?;
    Ok(state)
}
