//! Another watch list. Blocks that are not final yet are kept under the present list: before a new one
//! counts, what it has more of them is fetched. What is held of final blocks stays as it is, under the list
//! that it was kept under, and [`Collector::repair_step`] widens it.

use std::time::Duration;

use superroot_chain::{ChainRow, VerifiedBlock};
use superroot_source::{BlockAt, BlockId, Parts};
use superroot_store::feed::Changes;
use superroot_store::layout::{BlockRow, ChainState, Watch};
use superroot_store::{Batch, Store, read, write};
use superroot_types::{BlockNumber, UnixSeconds};

use crate::blocking::blocking;
use crate::collector::Collector;
use crate::commit::{FeedWriter, expect_state, undo_from};
use crate::error::CollectError;
use crate::fetch::Fetcher;
use crate::watching;

/// Time after which no more blocks are asked for, and after which none is waited for: what has not come is
/// collected anew.
const FETCH_TIME: Duration = Duration::from_secs(3);
const FETCH_TIME_MAX: Duration = Duration::from_secs(5);

/// What a new list asks of the blocks that are not final.
struct Widening {
    /// Blocks that may have events which the list before did not have, rising.
    wanted: Vec<(BlockNumber, BlockRow)>,
    /// From here on blocks are collected anew.
    anew: Option<BlockNumber>,
}

impl Collector {
    /// Collects under another watch list from the next step on.
    pub fn set_watch(&mut self, watch: Watch) {
        let watch = watching::list_of(&self.row, watch);
        if watch != self.config.watch {
            (self.config.watch, self.watch_known) = (watch, false);
        }
    }

    /// The watch list that the chain is collected under, from the next step on at the latest.
    #[must_use]
    pub const fn watch(&self) -> &Watch {
        &self.config.watch
    }

    /// Makes the watch list count. Of blocks that are not final what it has more is fetched first; from the
    /// first that cannot be had they are collected anew.
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
            (BlockAt::Id(BlockId { number: *number, hash: row.hash }), Parts::Whole)
        });
        let (received, error) = fetcher.blocks(asked.collect(), |_| false).await;
        if let Some(error) = error.filter(|error| error.block().is_none()) {
            return Err(error); // nobody answers: the list before counts until somebody does
        }
        let mut blocks = Vec::with_capacity(received.len());
        let mut received = received.into_iter();
        for (number, row) in wanted {
            match received.next() {
                Some(Ok(received)) if !fetcher.lacks_body(&received.block, Parts::Whole) => {
                    blocks.push((row, received.block));
                }
                _ => {
                    anew = Some(number);
                    break;
                }
            }
        }
        let (store, row, watch) = (self.store.clone(), self.row.clone(), self.config.watch.clone());
        let feed = self.feed(now);
        let widened = blocking(move || widen(&*store, &row, &watch, feed, state, &blocks, anew));
        let state = widened.await?;
        self.watch_known = true;
        Ok(state)
    }

    /// What the list asks of blocks that are not final; nothing where it is the one that counts.
    async fn look_at_heads(&self, state: &ChainState) -> Result<Option<Widening>, CollectError> {
        let (store, row, watch) = (self.store.clone(), self.row.clone(), self.config.watch.clone());
        let heads = state.indexed.zip(state.head);
        blocking(move || {
            let chain = row.key();
            let held = read::load_chain_watch(&*store, chain)?;
            if held == Some(watch.hash()) {
                return Ok(None);
            }
            let held = held.map(|hash| read::load_watch(&*store, &hash)).transpose()?.flatten();
            let more = watch.without(&held.unwrap_or_else(Watch::nothing));
            let (mut wanted, mut anew) = (Vec::new(), None);
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

/// Keeps what came, undoes the blocks from `anew` on, and lets the list count, in one commit.
fn widen(
    store: &dyn Store,
    row: &ChainRow,
    watch: &Watch,
    feed: FeedWriter,
    before: ChainState,
    blocks: &[(BlockRow, VerifiedBlock)],
    anew: Option<BlockNumber>,
) -> Result<ChainState, CollectError> {
    let (chain, mut state) = (row.key(), before.clone());
    let (mut batch, mut changes) = (Batch::new(), Changes::default());
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
