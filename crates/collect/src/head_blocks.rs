//! Following the head: blocks that are not final yet, exchanged when the chain reorganises.

use superroot_chain::{ChainRow, UntrustedBlock, VerifiedBlock, verify};
use superroot_source::{BlockId, Tip};
use superroot_store::layout::{self, ChainState};
use superroot_store::{Batch, Store, read, write};
use superroot_types::{BlockNumber, ChainKey, Hash};

use crate::CollectError;
use crate::collector::{Collector, Progress, blocking};
use crate::final_blocks::expect_state;

impl Collector {
    /// Takes the blocks between what is held and the source's head; blocks that were reorganised
    /// away are undone in the same commit.
    pub(crate) async fn follow_head(
        &self,
        state: ChainState,
        tip: &Tip,
    ) -> Result<(Progress, ChainState), CollectError> {
        let Some(indexed) = state.indexed.filter(|_| !self.is_sparse()) else {
            return Ok((Progress::Idle, state));
        };
        let held = state.head.map(|head| BlockId { number: head.number, hash: head.hash });
        if held == Some(tip.head) || tip.head.number <= indexed.number {
            return Ok((Progress::Idle, state));
        }
        let lowest = BlockNumber(indexed.number.0 + 1);
        let first = tip.head.number.0.saturating_sub(self.config.head_blocks_max);
        if first > indexed.number.0 {
            // the finalized block has not moved for longer than is followed
            return Ok((Progress::Idle, state));
        }
        let branch = self.fetch_branch(tip.head, lowest).await?;
        let (store, row) = (self.store.clone(), self.row.clone());
        blocking(move || exchange(&*store, &row, state, branch)).await
    }

    /// The source's blocks from its head down to the first whose parent is held, rising.
    async fn fetch_branch(
        &self,
        head: BlockId,
        lowest: BlockNumber,
    ) -> Result<Vec<VerifiedBlock>, CollectError> {
        let mut branch: Vec<VerifiedBlock> = Vec::new();
        let mut expected = head.hash;
        let mut number = head.number;
        loop {
            let [(_, untrusted)] =
                <[(BlockNumber, UntrustedBlock); 1]>::try_from(self.fetch(&[number]).await?)
                    .map_err(|_| CollectError::HeadMoved { chain: self.chain() })?;
            let (row, source_name) = (self.row.clone(), self.source.name().to_owned());
            let block = blocking(move || {
                verify(&row, &untrusted).map_err(|cause| {
                    let (chain, cause) = (row.key(), Box::new(cause));
                    CollectError::Refused { chain, number, source_name, cause }
                })
            });
            let block = block.await?;
            if block.hash() != expected || block.number() != number {
                return Err(CollectError::HeadMoved { chain: self.chain() });
            }
            expected = block.parent_hash();
            branch.push(block);
            if number <= lowest || self.holds(BlockNumber(number.0 - 1), expected).await? {
                branch.reverse();
                return Ok(branch);
            }
            number = BlockNumber(number.0 - 1);
        }
    }

    async fn holds(&self, number: BlockNumber, hash: Hash) -> Result<bool, CollectError> {
        let (store, chain) = (self.store.clone(), self.chain());
        let held = blocking(move || Ok(read::load_block(&*store, chain, number)?));
        Ok(held.await?.is_some_and(|row| row.hash == hash))
    }
}

/// Undoes what the branch replaces and puts the branch in, in one commit.
fn exchange(
    store: &dyn Store,
    row: &ChainRow,
    before: ChainState,
    branch: Vec<VerifiedBlock>,
) -> Result<(Progress, ChainState), CollectError> {
    let chain = row.key();
    let mut state = before.clone();
    let Some(first) = branch.first() else { return Ok((Progress::Idle, state)) };
    let below = state.indexed.filter(|indexed| indexed.number.0 + 1 == first.number().0);
    if below.is_some_and(|indexed| indexed.hash != first.parent_hash()) {
        // the head stands on another final block: the final blocks come first, and will tell
        return Err(CollectError::HeadMoved { chain });
    }
    let mut batch = Batch::new();
    let undone = undo_from(store, &mut batch, chain, first.number(), &mut state)?;
    for block in &branch {
        write::put_block(&mut batch, store, block, None)?;
        state.head = Some(layout::Tip { number: block.number(), hash: block.hash() });
    }
    expect_state(store, &mut batch, chain, &before)?;
    write::put_chain_state(&mut batch, chain, &state);
    store.commit(batch)?;
    if undone > 0 {
        tracing::info!(
            chain.id = %row.id, block.number = %first.number(),
            "{} reorganised: {undone} blocks from {} on were replaced", row.name, first.number()
        );
        metrics::counter!("superroot_collect_reorgs_total", "chain" => row.slug.clone())
            .increment(1);
    }
    Ok((Progress::Head { taken: branch.len(), undone }, state))
}

/// Takes out every held block from `number` to the held head; none of them is final.
pub(crate) fn undo_from(
    store: &dyn Store,
    batch: &mut Batch,
    chain: ChainKey,
    number: BlockNumber,
    state: &mut ChainState,
) -> Result<usize, CollectError> {
    let Some(head) = state.head else { return Ok(0) };
    let mut undone = 0;
    for undo in number.0..=head.number.0 {
        if write::remove_block(batch, store, chain, BlockNumber(undo))?.is_some() {
            undone += 1;
        }
    }
    state.head = state.indexed;
    Ok(undone)
}
