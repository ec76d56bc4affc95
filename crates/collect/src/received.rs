//! What came of one question for a block.

use std::sync::Arc;

use superroot_chain::VerifiedBlock;

/// A block that recomputed, and who sent it.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) block: VerifiedBlock,
    pub(crate) sender: Arc<str>,
}
