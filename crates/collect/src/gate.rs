//! Final blocks that wait for evidence of the chain's own consensus besides the nodes' agreement.
//!
//! ```text
//! agreed by nodes   ─────────────────────────────►│
//! shown by signers  ───────────────►│              evidence about this block
//! line              taken ─────────►│ waits
//! ```
//! A line ends at the newest block with shown evidence; earlier blocks follow by their parents' hashes. Evidence comes
//! beside the blocks (sync committees), with them (signatures) or is made of their headers (votes, work). Where nodes and
//! signers name different blocks, nothing is taken and the chain halts; both sides are kept.

use superroot_chain::finality::{LineBlock, LineEvidence};
use superroot_store::StoreError;
use superroot_store::layout::BlockTip;
use superroot_types::{BlockNumber, UnixSeconds};

/// Evidence required for final blocks.
pub trait EvidenceGate: Send + Sync {
    /// Whether evidence comes beside the blocks; else from lines.
    fn is_beside(&self) -> bool;

    /// Newest block up to `last` with evidence shown by trusted signers; `None` without evidence.
    ///
    /// # Errors
    /// Store errors.
    fn newest_shown(
        &self,
        last: BlockNumber,
        now: UnixSeconds,
    ) -> Result<Option<BlockTip>, StoreError>;

    /// Whether shown evidence excludes another block with the number and this time. Evidence with a false number
    /// excludes nothing, and is dropped.
    ///
    /// # Errors
    /// Store errors.
    fn excludes(&self, shown: BlockTip, time: UnixSeconds) -> Result<bool, StoreError>;

    /// Last block of a line with evidence shown by trusted signers.
    ///
    /// # Errors
    /// Store errors.
    fn shown_within(
        &self,
        line: &[LineBlock],
        now: UnixSeconds,
    ) -> Result<LineEvidence, StoreError>;
}
