//! Unproven event members, which no hash shows.

use superroot_proof::bundle::Facts;
use superroot_types::Hash;

/// Unproven event members inside proven objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BesideEvent {
    /// Event index in the whole block, as counted by nodes.
    pub log_index_in_block: Option<u64>,
    /// Event transaction hash, for a proof without the transaction.
    pub transaction_hash: Option<Hash>,
}

impl BesideEvent {
    /// Whether all members for a proof with these facts are present.
    #[must_use]
    pub const fn is_whole(&self, facts: &Facts) -> bool {
        let has_hash = self.transaction_hash.is_some() || facts.transaction.is_some();
        has_hash && self.log_index_in_block.is_some()
    }
}
