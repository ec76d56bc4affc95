//! What the commits of a chain have in common.

use superroot_chain::{ChainRow, VerifiedBlock};
use superroot_store::feed::{self, Changes};
use superroot_store::layout::{ChainState, RefusedRow, Tip};
use superroot_store::{Batch, Store, read, write};
use superroot_types::{BlockNumber, ChainKey, UnixSeconds};

use crate::error::CollectError;

/// Writes what a commit changes into the chain's feed.
#[derive(Clone, Copy)]
pub(crate) struct FeedWriter {
    pub(crate) chain: ChainKey,
    pub(crate) now: UnixSeconds,
    pub(crate) kept_seconds: u64,
}

impl FeedWriter {
    pub(crate) fn append(
        self,
        batch: &mut Batch,
        store: &dyn Store,
        changes: Changes,
    ) -> Result<(), CollectError> {
        let Self { chain, now, kept_seconds } = self;
        Ok(feed::append(batch, store, chain, changes, now, kept_seconds)?)
    }
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

/// Notes why a part of the body of these blocks was refused, and takes back what was noted of blocks of
/// which all has come.
pub(crate) fn note_bodies<'a>(
    store: &dyn Store,
    batch: &mut Batch,
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

/// Takes out every held block from `number` to the held head; none of them is final. Says which, and how
/// many.
pub(crate) fn undo_from(
    store: &dyn Store,
    batch: &mut Batch,
    chain: ChainKey,
    number: BlockNumber,
    state: &mut ChainState,
    changes: &mut Changes,
) -> Result<usize, CollectError> {
    let Some(head) = state.head else { return Ok(0) };
    let mut undone = 0;
    for number in (number.0..=head.number.0).map(BlockNumber) {
        if let Some(row) = write::remove_block(batch, store, chain, number)? {
            changes.undone(Tip { number, hash: row.hash });
            undone += 1;
        }
    }
    if undone > 0 {
        state.head = below(store, chain, number)?.or(state.indexed);
    }
    Ok(undone)
}

/// The block held just below a number.
fn below(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
) -> Result<Option<Tip>, CollectError> {
    let Some(number) = number.0.checked_sub(1).map(BlockNumber) else { return Ok(None) };
    let row = read::load_block(store, chain, number)?;
    Ok(row.map(|row| Tip { number, hash: row.hash }))
}

/// Tells of a reorganisation above the finalized block, whether the blocks that replace others are
/// final by then or not.
pub(crate) fn note_reorg(row: &ChainRow, undone: usize, at: Option<BlockNumber>) {
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
