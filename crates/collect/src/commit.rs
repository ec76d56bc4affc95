//! Shared commit parts.

use superroot_chain::{ChainSpec, VerifiedBlock};
use superroot_store::feed::{self, Changes};
use superroot_store::layout::{BlockTip, ChainState, RefusedRow};
use superroot_store::{Store, WriteBatch, read, write};
use superroot_types::{BlockNumber, ChainKey, UnixSeconds};

use crate::error::CollectError;

#[derive(Clone, Copy)]
pub(crate) struct FeedWriter {
    pub(crate) chain: ChainKey,
    pub(crate) now: UnixSeconds,
    pub(crate) kept_seconds: u64,
}

impl FeedWriter {
    pub(crate) fn append(
        self,
        batch: &mut WriteBatch,
        store: &dyn Store,
        changes: Changes,
    ) -> Result<(), CollectError> {
        let Self { chain, now, kept_seconds } = self;
        Ok(feed::append(batch, store, chain, changes, now, kept_seconds)?)
    }
}

/// Adds the expectation that the state read is unchanged, or absent for a new chain.
pub(crate) fn expect_state(
    store: &dyn Store,
    batch: &mut WriteBatch,
    chain: ChainKey,
    before: &ChainState,
) -> Result<(), CollectError> {
    let is_new = read::load_chain_state(store, chain)?.is_none();
    write::expect_chain_state(batch, chain, (!is_new).then_some(before));
    Ok(())
}

/// Records why body parts were refused, and clears records for complete blocks.
pub(crate) fn note_bodies<'a>(
    store: &dyn Store,
    batch: &mut WriteBatch,
    chain: ChainKey,
    source_name: &str,
    blocks: impl Iterator<Item = &'a VerifiedBlock> + Clone,
) -> Result<(), CollectError> {
    let numbers = || blocks.clone().map(VerifiedBlock::number);
    let (Some(first), Some(last)) = (numbers().min(), numbers().max()) else { return Ok(()) };
    let most = usize::try_from(last.0.saturating_sub(first.0)).unwrap_or(usize::MAX);
    let range = first..BlockNumber(last.0.saturating_add(1));
    let noted = read::load_refused_numbers(store, chain, range, most.saturating_add(1))?;
    for block in blocks {
        match block.body_refused() {
            Some(why) => {
                let row = RefusedRow { reason: why.to_owned(), source: source_name.to_owned() };
                write::put_refused(batch, chain, block.number(), &row);
            }
            None if noted.contains(&block.number()) => {
                write::remove_refused(batch, chain, block.number());
            }
            None => {}
        }
    }
    Ok(())
}

/// Removes all stored non-final blocks from `number` to the stored head; returns the blocks and their count.
pub(crate) fn undo_from(
    store: &dyn Store,
    batch: &mut WriteBatch,
    chain: ChainKey,
    number: BlockNumber,
    state: &mut ChainState,
    changes: &mut Changes,
) -> Result<usize, CollectError> {
    let Some(head) = state.head else { return Ok(0) };
    let mut undone = 0;
    for number in (number.0..=head.number.0).map(BlockNumber) {
        if let Some(row) = write::remove_block(batch, store, chain, number)? {
            changes.undone(BlockTip { number, hash: row.hash });
            undone += 1;
        }
    }
    if undone > 0 {
        state.head = below(store, chain, number)?.or(state.indexed);
    }
    Ok(undone)
}

/// Stored block just below a number.
fn below(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
) -> Result<Option<BlockTip>, CollectError> {
    let Some(number) = number.0.checked_sub(1).map(BlockNumber) else { return Ok(None) };
    let row = read::load_block(store, chain, number)?;
    Ok(row.map(|row| BlockTip { number, hash: row.hash }))
}

/// Logs a reorganisation above the finalized block, whether or not the replacing blocks are final by then.
pub(crate) fn note_reorg(row: &ChainSpec, undone: usize, at: Option<BlockNumber>) {
    if undone == 0 {
        return;
    }
    let at = at.map_or_else(String::new, |at| format!(" at {at}"));
    tracing::info!(
        chain.id = %row.id,
        "{} reorganised{at}: blocks that were replaced: {undone}", row.name
    );
    metrics::counter!("superroot_collect_reorgs_total", "chain" => row.slug.clone()).increment(1);
}
