//! Sui node data: BCS, and the committee signature.

use superroot_proof::finality::checkpoint::Certificate;
use superroot_types::Hash;

/// Most bytes of checkpoint contents: about 300 for each of 20,000 transactions.
pub const CONTENTS_BYTES_MAX: usize = 12 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawSuiBlock {
    /// Claimed digest.
    pub digest: Hash,
    /// `CheckpointSummary` in BCS.
    pub summary: Vec<u8>,
    /// The epoch's committee signature, if sent.
    pub certificate: Option<Certificate>,
    /// Contents with all listed parts; `None` for a summary alone.
    pub contents: Option<RawContents>,
}

impl RawSuiBlock {
    /// Summary alone.
    pub(crate) fn with_fewer_parts(&self) -> [Self; 1] {
        let summary = self.summary.clone();
        let certificate = self.certificate.clone();
        [Self { digest: self.digest, summary, certificate, contents: None }]
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawContents {
    /// `CheckpointContents` in BCS.
    pub contents: Vec<u8>,
    /// Listed transactions, in order.
    pub transactions: Vec<RawSuiTransaction>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawSuiTransaction {
    /// `TransactionData` in BCS.
    pub transaction: Vec<u8>,
    /// `TransactionEffects` in BCS.
    pub effects: Vec<u8>,
    /// `TransactionEvents` in BCS, if any.
    pub events: Option<Vec<u8>>,
}
