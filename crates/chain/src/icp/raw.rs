//! What nodes send of the ledger: encoded blocks, as `query_encoded_blocks` gives them.

use superroot_types::{BlockNumber, Hash};

/// A block as a node gave it, before anything is believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawIcpBlock {
    /// Index under which the ledger has it; the block names none.
    pub number: BlockNumber,
    /// Hash it should have.
    pub hash: Hash,
    /// The encoded block.
    pub bytes: Vec<u8>,
}
