//! Solana family: a SHA-256 chain with recorded transactions; a slot's last hash is the block hash.
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
//! A *record* is a hash with a mixin; every different hash is *plain*. An *entry* is a run of plain hashes ending in a
//! record or, without transactions, in a plain hash: a *tick*. No hash shows tick ends or block starts: the chain
//! continues from block to block.
//!
//! So a proof is the path from the hash before the transaction's record to the blockhash, with at most a slot's hash
//! count: everything recorded within is in this block. The proof shows no transaction count, status, log or account.
//! From height [`SOLANA_WINDOW_END`](crate::registry::SOLANA_WINDOW_END) on slots have fewer hashes, and rule 0202 has
//! no proof.
//!
//! A leaf commits only to a signature, so every transaction signature is strictly checked against its key and the
//! message: a strict signature fits no second key or message.
//!
//! Sources: Agave `entry/src/entry.rs`, `entry/src/poh.rs`, `merkle-tree/src/merkle_tree.rs`; "The Provable Security of
//! Ed25519" (2020) for strict checks.

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
pub use whole::{Entry, HASHES_MAX, NO_ABSENCE, NO_EVENT, SolanaEntries};

use superroot_types::Hash;

use super::LedgerError;

/// Transaction hash: first signature's leaf, sha256(00 ‖ signature). The ledger itself names a transaction by the
/// 64-byte signature.
///
/// # Errors
/// [`LedgerError::Field`] without a leading signature.
pub fn transaction_hash(raw: &[u8]) -> Result<Hash, LedgerError> {
    let first = signatures(raw)?.next();
    first.map(signature_leaf).ok_or(LedgerError::Field { field: "signatures" })
}
