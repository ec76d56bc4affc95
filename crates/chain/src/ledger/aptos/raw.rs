//! Aptos source data: the root after a block, and versions if available.

use superroot_types::{BlockNumber, Hash};

/// Most versions in a block.
pub const VERSIONS_MAX: usize = 100_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawAptosBlock {
    /// Block height; not bound by the fields below.
    pub number: BlockNumber,
    /// Accumulator root after the block's last version (`accumulator_root_hash`).
    pub hash: Hash,
    /// Accumulator root after the last version before the block.
    pub parent_hash: Hash,
    /// Microseconds since 1970, from the block metadata.
    pub timestamp_us: u64,
    /// Versions; `None` for a root alone.
    pub versions: Option<RawVersions>,
    /// `LedgerInfoWithSignatures` about the block in BCS, if stored.
    pub ledger_info: Option<Vec<u8>>,
}

impl RawAptosBlock {
    /// Root alone.
    pub(crate) fn with_fewer_parts(&self) -> [Self; 1] {
        [Self { versions: None, ledger_info: self.ledger_info.clone(), ..*self }]
    }
}

/// A block's versions, in order, up to the last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawVersions {
    pub first_version: u64,
    /// Roots of the perfect subtrees before the first version, highest first.
    pub frozen: Vec<Hash>,
    /// `TransactionInfo` per version, in BCS.
    pub infos: Vec<Vec<u8>>,
    /// Events per version, in BCS, if stored.
    pub events: Vec<Option<Vec<Vec<u8>>>>,
}
