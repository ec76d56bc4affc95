//! ICP node data: encoded blocks from `query_encoded_blocks`.

use superroot_types::{BlockNumber, Hash};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawIcpBlock {
    /// Ledger index; the block has no index.
    pub number: BlockNumber,
    /// Expected hash.
    pub hash: Hash,
    pub bytes: Vec<u8>,
    /// The hash's certificate, if the block was the ledger's newest.
    pub certificate: Option<Vec<u8>>,
}

impl RawIcpBlock {
    /// Nothing: the block is its own header.
    pub(crate) const fn with_fewer_parts(&self) -> [Self; 0] {
        []
    }
}
