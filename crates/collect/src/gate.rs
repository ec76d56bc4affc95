//! Final blocks that wait for evidence of the chain's own consensus besides the nodes' agreement.
//!
//! ```text
//! agreed by nodes   ─────────────────────────────►│
//! shown by signers  ───────────────►│              evidence about this block
//! line              taken ─────────►│ waits
//! ```
//! A line ends at the newest block with shown evidence; earlier blocks follow by their parents' hashes. Where nodes and
//! signers name different blocks, nothing is taken and the chain halts; both sides are kept.

use superroot_store::StoreError;
use superroot_store::layout::BlockTip;
use superroot_types::UnixSeconds;

/// Evidence required for final blocks.
pub trait EvidenceGate: Send + Sync {
    /// Newest block with evidence shown by trusted signers; `None` without evidence.
    ///
    /// # Errors
    /// Store errors.
    fn newest_shown(&self, now: UnixSeconds) -> Result<Option<BlockTip>, StoreError>;
}
