//! The Solana family: a chain of SHA-256 hashes in which transactions are recorded, and whose last
//! hash in a slot is the block's.
//!
//! ```text
//!  parent's blockhash ─ H ─ H ─ … ─ H ─► H(hash ‖ mixin) ─ H ─ … ─ H ─► blockhash
//!                                            │
//!              1 abcc                        └ root over all signatures of the transactions that
//!              /    \                          were recorded there, in order
//!            1 ab   1 cc     node = sha256(01 ‖ left ‖ right), odd rows pair their last with itself
//!            /  \   /  \
//!         0 a  0 b 0 c (c)   leaf = sha256(00 ‖ signature)
//! ```
//!
//! A *record* is a hash that takes a mixin; all others are *plain*. An *entry* is a run of plain hashes
//! that ends in a record or, with no transactions, in a plain hash: then it is a *tick*. Which plain
//! hashes end a tick, and where a block begins, no hash shows: the chain runs on from block to block.
//!
//! So a proof is the way from the hash before the transaction's record to the blockhash, in at most as
//! many hashes as a slot has: whatever is recorded within them stands in the block itself. It shows no
//! number of transactions, no status, no log and no account. From height
//! [`SOLANA_WINDOW_END`](crate::registry::SOLANA_WINDOW_END) on slots have fewer hashes than that, and
//! rule 0202 has no such proof.
//!
//! A leaf commits to a signature alone, so every signature of the transaction is checked against its
//! key and the message, strictly: then it fits no other key and no other message.
//!
//! Sources: Agave `entry/src/entry.rs`, `entry/src/poh.rs`, `merkle-tree/src/merkle_tree.rs`;
//! "The Provable Security of Ed25519" (2020) for what a strict check binds.

mod entry;
mod header;
mod poh;
mod transaction;
mod tree;
mod whole;

pub(crate) use entry::NO_WINDOW;
pub use entry::{Record, RecordProof};
pub use header::Header;
pub use poh::{ENTRIES_MAX, SLOT_HASHES_MAX, plain, record};
pub use transaction::{
    Instruction, Lookup, Signature, TRANSACTION_BYTES_MAX, Transaction, signatures,
};
pub use tree::{SIGNATURES_MAX, mixin, prove, root_of_path, sibling_count, signature_leaf};
pub use whole::{Entries, Entry, HASHES_MAX, NO_ABSENCE, NO_EVENT};

use superroot_types::Hash;

use super::LedgerError;

/// Transaction hash: the leaf of its first signature, sha256(00 ‖ signature). The signature, of 64
/// bytes, is what the ledger itself calls a transaction by.
///
/// # Errors
/// [`LedgerError::Field`] where the bytes begin with no signature.
pub fn transaction_hash(raw: &[u8]) -> Result<Hash, LedgerError> {
    let first = signatures(raw)?.next();
    first.map(signature_leaf).ok_or(LedgerError::Field { field: "signatures" })
}
