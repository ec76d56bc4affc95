//! Block received for one request.

use std::sync::Arc;

use superroot_chain::VerifiedBlock;

/// Recomputed block with its sender.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) block: VerifiedBlock,
    pub(crate) sender: Arc<str>,
}
