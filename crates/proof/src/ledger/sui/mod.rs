//! Sui family: checkpoints with a digest over the transaction list, and each transaction's effects and events.
//!
//! ```text
//! digest = blake2b-256("CheckpointSummary::" ‖ summary)             the block hash
//!            │ content_digest
//!            ▼
//! blake2b-256("CheckpointContents::" ‖ contents)                    one list, no tree
//!            │ at tx_index: transaction digest, effects digest
//!            ├─► blake2b-256("TransactionData::" ‖ transaction)
//!            └─► blake2b-256("TransactionEffects::" ‖ effects)
//!                   │ events_digest
//!                   └─► blake2b-256("TransactionEvents::" ‖ events)  at log_index: the event
//! ```
//! Everything is BCS. Contents are read whole, since their length proves the transaction count; effects are read as far
//! as the events digest. Unknown versions are refused.
//!
//! Source: MystenLabs/sui-rust-sdk `crates/sui-sdk-types` 0.4.

mod contents;
mod effects;
mod entry;
mod events;
mod summary;
mod whole;

pub use contents::{CheckpointTransaction, Contents, TRANSACTION_BYTES_MAX};
pub use effects::Effects;
pub use entry::{ContentsProof, TransactionEffects};
pub use events::{Event, read_events};
pub use summary::Header;
#[cfg(feature = "finality")]
pub(crate) use summary::next_committee;
pub use whole::SuiCheckpoint;

use superroot_types::Hash;

use crate::hash::blake2b_256_joined;

/// Checkpoint digest over its summary: the block hash.
#[must_use]
pub fn checkpoint_digest(summary: &[u8]) -> Hash {
    blake2b_256_joined(&[b"CheckpointSummary::", summary])
}

/// Checkpoint contents digest.
#[must_use]
pub fn contents_digest(contents: &[u8]) -> Hash {
    blake2b_256_joined(&[b"CheckpointContents::", contents])
}

/// Transaction digest without signatures: the transaction hash.
#[must_use]
pub fn transaction_digest(transaction: &[u8]) -> Hash {
    blake2b_256_joined(&[b"TransactionData::", transaction])
}

/// Transaction effects digest.
#[must_use]
pub fn effects_digest(effects: &[u8]) -> Hash {
    blake2b_256_joined(&[b"TransactionEffects::", effects])
}

/// Transaction events digest.
#[must_use]
pub fn events_digest(events: &[u8]) -> Hash {
    blake2b_256_joined(&[b"TransactionEvents::", events])
}
