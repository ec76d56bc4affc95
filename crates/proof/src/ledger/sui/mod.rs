//! The Sui family: checkpoints, whose digest binds the list of their transactions, and of each the
//! effects and the events.
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
//! All of it is BCS. Contents are read whole, since their length shows how many transactions there are;
//! of effects as much as leads to the digest of the events. What has a version that is not known here
//! is refused.
//!
//! Source: MystenLabs/sui-rust-sdk `crates/sui-sdk-types` 0.4.

mod contents;
mod effects;
mod entry;
mod events;
mod summary;
mod whole;

pub use contents::{Contents, Listed, TRANSACTION_BYTES_MAX};
pub use effects::Effects;
pub use entry::{ContentsProof, Outcome};
pub use events::{Event, read_events};
pub use summary::Header;
pub use whole::Checkpoint;

use superroot_types::Hash;

use crate::hash::blake2b_256_joined;

/// Digest of a checkpoint, of its summary: the block hash.
#[must_use]
pub fn checkpoint_digest(summary: &[u8]) -> Hash {
    blake2b_256_joined(&[b"CheckpointSummary::", summary])
}

/// Digest of the contents of a checkpoint.
#[must_use]
pub fn contents_digest(contents: &[u8]) -> Hash {
    blake2b_256_joined(&[b"CheckpointContents::", contents])
}

/// Digest of a transaction, without its signatures: the transaction hash.
#[must_use]
pub fn transaction_digest(transaction: &[u8]) -> Hash {
    blake2b_256_joined(&[b"TransactionData::", transaction])
}

/// Digest of what came of a transaction.
#[must_use]
pub fn effects_digest(effects: &[u8]) -> Hash {
    blake2b_256_joined(&[b"TransactionEffects::", effects])
}

/// Digest of the events of a transaction.
#[must_use]
pub fn events_digest(events: &[u8]) -> Hash {
    blake2b_256_joined(&[b"TransactionEvents::", events])
}
