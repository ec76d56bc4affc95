//! Untrusted Tron block in consensus bytes.

use superroot_types::{BlockNumber, Hash};

/// Largest block: nodes refuse above 2,000,000 bytes and 1,000 more (java-tron `BlockMsgHandler`).
pub const BLOCK_BYTES_MAX: usize = superroot_proof::ledger::tron::TRANSACTION_BYTES_MAX;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawTronBlock {
    /// Number under which the node stores the block.
    pub number: BlockNumber,
    /// Claimed block id.
    pub hash: Hash,
    /// Message `BlockHeader.raw`.
    pub header: Vec<u8>,
    /// Producer's signature over the header, if sent.
    pub signature: Option<Vec<u8>>,
    /// Messages `Transaction`, with signatures and `ret`; `None` for a header alone.
    pub transactions: Option<Vec<Vec<u8>>>,
    /// Signed headers in a row around the block, with the block's own, for evidence; empty without.
    pub run: Vec<RawTronHeader>,
}

/// Untrusted signed header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawTronHeader {
    /// Message `BlockHeader.raw`.
    pub header: Vec<u8>,
    /// Producer's signature.
    pub signature: Vec<u8>,
}

impl RawTronBlock {
    /// Header alone.
    pub(crate) fn with_fewer_parts(&self) -> [Self; 1] {
        [Self { transactions: None, ..self.clone() }]
    }
}
