//! What is known of a block of the Solana family before anything is believed: what `getBlock` says and,
//! from whoever streams or keeps them, the entries of its slot.

use superroot_types::{BlockNumber, Hash};

/// A block as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawSolanaBlock {
    /// Block height.
    pub number: BlockNumber,
    /// Its slot: at least its height.
    pub slot: u64,
    /// Slot of the block before it; of the first block, its own.
    pub parent_slot: u64,
    /// Blockhash.
    pub hash: Hash,
    /// Blockhash of the block before it; zeros of the first block.
    pub parent_hash: Hash,
    /// Unix seconds, as the cluster estimates them; 0 where nobody knows.
    pub time: u64,
    /// Entries of the slot; `None` where the sender has none, as JSON-RPC.
    pub entries: Option<Vec<RawEntry>>,
}

/// An entry as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawEntry {
    /// Hashes since the entry before it.
    pub num_hashes: u64,
    /// The last of them.
    pub hash: Hash,
    /// Transactions as they were signed; a tick has none.
    pub transactions: Vec<Vec<u8>>,
}
