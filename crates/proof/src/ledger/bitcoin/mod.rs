//! Bitcoin family: 80-byte headers, transactions without witnesses, and their hash tree.
//!
//! ```text
//! row 2            r                 a row of odd length pairs its last node with itself;
//!                /    \              that copy is never sent, and a sibling that equals the
//! row 1       ab       cc            node it is paired with is refused
//!            /  \     /  \
//! row 0     a    b   c   (c)         txid = sha256d(transaction without witness)
//! ```
//!
//! Hashes are in *internal* byte order, as hashed; explorers show them reversed.
//!
//! Sources: Bitcoin Core `src/primitives/block.h`, `src/primitives/transaction.h`, `src/consensus/merkle.cpp`; BIP 141
//! for the txid's omitted parts. CVE-2012-2459 (a duplicated tail), CVE-2017-12842 (a 64-byte inner node read as a
//! transaction).

mod entry;
mod header;
mod transaction;
mod tree;
mod whole;

pub use entry::{Branch, BranchProofs};
pub use header::{HEADER_BYTES, Header};
pub use transaction::{
    Input, MONEY_SATS_MAX, OutPoint, TRANSACTION_BYTES_MAX, Transaction, TransactionOutput,
    check_leaf,
};
pub use tree::{BranchError, TX_COUNT_MAX, merkle_root, prove, root_of_branch, sibling_count};
pub use whole::BitcoinTransactionTree;

use superroot_types::Hash;

use crate::hash::sha256d;

/// Transaction hash (txid), internal byte order: sha256d over the transaction without witness.
#[must_use]
pub fn transaction_hash(leaf: &[u8]) -> Hash {
    sha256d(&[leaf])
}
