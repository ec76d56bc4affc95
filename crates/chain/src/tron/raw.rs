//! A block of Tron in consensus bytes, before anything is believed.

use superroot_types::{BlockNumber, Hash};

/// Largest block: nodes refuse above 2,000,000 bytes and 1,000 more (java-tron `BlockMsgHandler`).
pub const BLOCK_BYTES_MAX: usize = superroot_proof::ledger::tron::TRANSACTION_BYTES_MAX;

/// A block as a node gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawTronBlock {
    /// Number under which the node has it.
    pub number: BlockNumber,
    /// Block id the node claims.
    pub hash: Hash,
    /// The message `BlockHeader.raw`.
    pub header: Vec<u8>,
    /// The messages `Transaction`, signatures and `ret` included; `None` where the header alone was sent.
    pub transactions: Option<Vec<Vec<u8>>>,
}
