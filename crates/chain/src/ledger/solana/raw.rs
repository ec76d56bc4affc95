//! Untrusted Solana data: `getBlock` fields and, from streams or archives, the slot entries.

use superroot_types::{BlockNumber, Hash};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawSolanaBlock {
    pub number: BlockNumber,
    /// Slot, at least the height.
    pub slot: u64,
    /// Parent slot; own slot for the first block.
    pub parent_slot: u64,
    pub hash: Hash,
    /// Parent blockhash; zeros for the first block.
    pub parent_hash: Hash,
    /// Unix seconds, estimated by the cluster; 0 if unknown.
    pub time: u64,
    /// Slot entries; `None` if the sender has none, as with JSON-RPC.
    pub entries: Option<Vec<RawEntry>>,
}

impl RawSolanaBlock {
    /// Header alone.
    pub(crate) fn with_fewer_parts(&self) -> [Self; 1] {
        [Self { entries: None, ..*self }]
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawEntry {
    /// Hashes since the previous entry.
    pub num_hashes: u64,
    /// Last of the hashes.
    pub hash: Hash,
    /// Signed transactions; a tick has none.
    pub transactions: Vec<Vec<u8>>,
}
