//! What a service says of an event, which no hash shows.

use superroot_proof::bundle::Facts;
use superroot_types::Hash;

/// What a service says of an event inside the objects that the proof shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BesideEvent {
    /// Index of the event over the whole block, as nodes count.
    pub log_index_in_block: Option<u64>,
    /// Hash of the event's transaction, for a proof that does not hold the transaction.
    pub transaction_hash: Option<Hash>,
}

impl BesideEvent {
    /// Whether nothing of it is lacking, for a proof that showed these facts.
    #[must_use]
    pub const fn is_whole(&self, facts: &Facts) -> bool {
        let has_hash = self.transaction_hash.is_some() || facts.transaction.is_some();
        has_hash && self.log_index_in_block.is_some()
    }
}
