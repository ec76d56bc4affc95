//! What sources of Aptos give: the root after a block, and its versions where they have them.

use superroot_types::{BlockNumber, Hash};

/// Most versions of a block.
pub const VERSIONS_MAX: usize = 100_000;

/// A block as a source gave it, before anything is believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawAptosBlock {
    /// Block height; nothing below binds it.
    pub number: BlockNumber,
    /// Root of the accumulator after the block's last version (`accumulator_root_hash`).
    pub hash: Hash,
    /// The same after the last version before the block.
    pub parent_hash: Hash,
    /// Microseconds since 1970, as the block's metadata says.
    pub timestamp_us: u64,
    /// The versions; `None` where the root alone is there.
    pub versions: Option<RawVersions>,
}

/// The versions of a block, in order, up to its last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawVersions {
    /// Version of the first.
    pub first_version: u64,
    /// Roots of the perfect subtrees before the first, the highest first.
    pub frozen: Vec<Hash>,
    /// `TransactionInfo` of each, in BCS.
    pub infos: Vec<Vec<u8>>,
    /// Events of each, in BCS, where they were kept.
    pub events: Vec<Option<Vec<Vec<u8>>>>,
}
