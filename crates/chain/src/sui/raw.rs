//! What nodes of the Sui family send of a checkpoint: BCS, and the committee's signature.

use superroot_types::Hash;

/// Most bytes of the contents of a checkpoint: each of 20,000 transactions has some 300.
pub const CONTENTS_BYTES_MAX: usize = 12 << 20;

/// A checkpoint as a node gave it, before anything is believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawSuiBlock {
    /// Digest the node claims.
    pub digest: Hash,
    /// `CheckpointSummary` in BCS.
    pub summary: Vec<u8>,
    /// What the epoch's committee signed, where the node sent it.
    pub certificate: Option<Certificate>,
    /// The contents with all that they list; `None` where the summary alone was asked for.
    pub contents: Option<RawContents>,
}

/// The signature of a committee over a checkpoint's summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The committee's epoch.
    pub epoch: u64,
    /// Aggregated signature of BLS12-381, compressed in G1: 48 bytes.
    pub signature: Vec<u8>,
    /// Positions of those who signed, as a serialized Roaring bitmap.
    pub signers: Vec<u8>,
}

/// The contents of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawContents {
    /// `CheckpointContents` in BCS.
    pub contents: Vec<u8>,
    /// What they list, in their order.
    pub transactions: Vec<RawTransaction>,
}

/// A transaction of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawTransaction {
    /// `TransactionData` in BCS.
    pub transaction: Vec<u8>,
    /// `TransactionEffects` in BCS.
    pub effects: Vec<u8>,
    /// `TransactionEvents` in BCS, where there are some.
    pub events: Option<Vec<u8>>,
}
