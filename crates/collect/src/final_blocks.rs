//! Taking final blocks: rising, recomputed, each naming the one before it.

use superroot_chain::{ChainError, ChainRow, Evidence, FinalBlock, UntrustedBlock, verify};
use superroot_store::layout::{self, ChainState, RefusedRow};
use superroot_store::{Batch, Store, read, write};
use superroot_types::{BlockNumber, ChainKey};

use crate::collector::{Collector, Progress, Refusal, blocking};
use crate::{CollectError, head_blocks};

/// What taking a run of blocks needs, besides the blocks.
struct Taking {
    row: ChainRow,
    evidence: Evidence,
    source_name: String,
    sparse: bool,
}

impl Collector {
    pub(crate) async fn take_final(
        &self,
        state: ChainState,
        wanted: Vec<BlockNumber>,
    ) -> Result<(Progress, ChainState), CollectError> {
        let blocks = self.fetch(&wanted).await?;
        let taking = Taking {
            row: self.row.clone(),
            evidence: self.evidence(),
            source_name: self.source.name().to_owned(),
            sparse: self.is_sparse(),
        };
        let store = self.store.clone();
        blocking(move || taking.take(&*store, state, blocks)).await
    }
}

impl Taking {
    /// Verifies the blocks and commits them with the new state, all or nothing.
    fn take(
        &self,
        store: &dyn Store,
        before: ChainState,
        blocks: Vec<(BlockNumber, UntrustedBlock)>,
    ) -> Result<(Progress, ChainState), CollectError> {
        let chain = self.row.key();
        let mut batch = Batch::new();
        let mut refused = Vec::new();
        let mut state = before.clone();
        let mut taken = 0;
        for (number, untrusted) in blocks {
            let block = match verify(&self.row, &untrusted) {
                Ok(block) if block.number() == number => block,
                Ok(block) => return Err(self.other_number(number, block.number())),
                Err(cause) => {
                    let reason = cause.to_string();
                    self.note_refused(store, &mut batch, number, cause)?;
                    refused.push(Refusal { number, reason });
                    state.checked_to = Some(number);
                    continue;
                }
            };
            let last = state.indexed.filter(|last| last.number.0 + 1 == number.0);
            if let Some(last) = last.filter(|last| last.hash != block.parent_hash()) {
                let (got, expected) = (block.parent_hash(), last.hash);
                let broken = CollectError::FinalReorg { chain, number, got, expected };
                if !self.sparse {
                    return Err(broken);
                }
                // two captures of one neighbourhood, of which at most one is of the chain
                let reason = format!("it names parent {got}, recorded before it is {expected}");
                self.leave_out(&mut batch, number, &reason);
                refused.push(Refusal { number, reason });
                state.checked_to = Some(number);
                continue;
            }
            let block = FinalBlock::new(block, self.evidence.clone());
            self.put(store, &mut batch, &mut state, &block)?;
            taken += 1;
        }
        expect_state(store, &mut batch, chain, &before)?;
        write::put_chain_state(&mut batch, chain, &state);
        store.commit(batch)?;
        let label = self.row.slug.clone();
        metrics::counter!("superroot_collect_final_blocks_total", "chain" => label)
            .increment(taken as u64);
        Ok((Progress::Final { blocks: taken, refused }, state))
    }

    fn put(
        &self,
        store: &dyn Store,
        batch: &mut Batch,
        state: &mut ChainState,
        block: &FinalBlock,
    ) -> Result<(), CollectError> {
        let (chain, number) = (self.row.key(), block.block().number());
        let hash = block.block().hash();
        let held = read::load_block(store, chain, number)?;
        if held.is_some_and(|held| held.hash != hash) {
            // what was held there was not final, and everything above it stood on it
            head_blocks::undo_from(store, batch, chain, number, state)?;
        }
        write::put_block(batch, store, block.block(), Some(block.evidence()))?;
        let tip = layout::Tip { number, hash };
        state.indexed = Some(tip);
        state.head = state.head.filter(|head| head.number > number).or(Some(tip));
        state.block_count += 1;
        state.checked_to = Some(number);
        Ok(())
    }

    /// In a recording a refused block is noted and left out; elsewhere the chain stops before it.
    fn note_refused(
        &self,
        store: &dyn Store,
        batch: &mut Batch,
        number: BlockNumber,
        cause: ChainError,
    ) -> Result<(), CollectError> {
        let (chain, source_name) = (self.row.key(), self.source_name.clone());
        if self.sparse {
            self.leave_out(batch, number, &cause.to_string());
            return Ok(());
        }
        let mut note = Batch::new();
        self.leave_out(&mut note, number, &cause.to_string());
        store.commit(note)?;
        Err(CollectError::Refused { chain, number, source_name, cause: Box::new(cause) })
    }

    /// Notes why a block is not taken, and who sent it.
    fn leave_out(&self, batch: &mut Batch, number: BlockNumber, reason: &str) {
        let row = RefusedRow { reason: reason.to_owned(), source: self.source_name.clone() };
        write::put_refused(batch, self.row.key(), number, &row);
        metrics::counter!("superroot_collect_refused_blocks_total", "chain" => self.row.slug.clone())
            .increment(1);
    }

    fn other_number(&self, number: BlockNumber, got: BlockNumber) -> CollectError {
        tracing::warn!(
            chain.id = %self.row.id, block.number = %number,
            "{} answered block {got} when asked for {number}", self.source_name
        );
        let source_name = self.source_name.clone();
        CollectError::Missing { chain: self.row.key(), number, source_name }
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
