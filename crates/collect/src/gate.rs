//! Final blocks that wait for evidence of the chain's own consensus besides the nodes' agreement.
//!
//! ```text
//! agreed by nodes   ─────────────────────────────►│
//! shown by signers  ───────────────►│              evidence about this block
//! line              taken ─────────►│ waits
//! ```
//! A line ends at the newest block with shown evidence; earlier blocks follow by their parents' hashes. Where nodes and
//! signers name different blocks, nothing is taken and the chain halts; both sides are kept.

use superroot_chain::FinalityEvidence;
use superroot_store::layout::{BlockTip, HaltRow};
use superroot_store::{StoreError, WriteBatch, write};
use superroot_types::{BlockNumber, Hash, UnixSeconds};

use crate::blocking::blocking;
use crate::collector::Collector;
use crate::error::CollectError;

/// Evidence required for final blocks.
pub trait EvidenceGate: Send + Sync {
    /// Newest block with evidence shown by trusted signers; `None` without evidence.
    ///
    /// # Errors
    /// Store errors.
    fn newest_shown(&self, now: UnixSeconds) -> Result<Option<BlockTip>, StoreError>;
}

impl Collector {
    /// Last block to take as final: the agreed block, or the newest earlier block with evidence; `None` if the next block
    /// has to wait. Comes with the block of the evidence, if required.
    pub(crate) async fn final_within(
        &self,
        next: BlockNumber,
        agreed: BlockNumber,
        now: UnixSeconds,
    ) -> Result<Option<(BlockNumber, Option<BlockTip>)>, CollectError> {
        let Some(gate) = self.gate.clone() else {
            return Ok((next <= agreed).then_some((agreed, None)));
        };
        let shown = blocking(move || Ok(gate.newest_shown(now)?)).await?;
        let within = shown.map(|shown| (shown.number.min(agreed), Some(shown)));
        Ok(within.filter(|(last, _)| next <= *last))
    }

    /// Halts the chain if the agreed block is another than the signers'.
    pub(crate) async fn check_shown(
        &self,
        shown: BlockTip,
        agreed: (BlockNumber, Hash),
        evidence: &FinalityEvidence,
        now: UnixSeconds,
    ) -> Result<(), CollectError> {
        if shown.number != agreed.0 || shown.hash == agreed.1 {
            return Ok(());
        }
        let chain = self.chain();
        let (number, nodes, consensus) = (shown.number, agreed.1, shown.hash);
        let error = CollectError::EvidenceContradicts { chain, number, nodes, consensus };
        let reason = error.to_string();
        let (store, evidence) = (self.store.clone(), evidence.clone());
        let noted = blocking(move || {
            let mut batch = WriteBatch::new();
            write::put_node_evidence(&mut batch, chain, number, &evidence);
            write::put_halt(&mut batch, chain, &HaltRow { number, since: now, reason });
            Ok(store.commit(batch)?)
        });
        noted.await?;
        Err(error)
    }
}
