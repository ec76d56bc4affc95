//! Cosmos: headers of `CometBFT`, and the tree of a block's transactions.
//!
//! ```text
//! row 2          r                   leaf = sha256(00 ‖ sha256(transaction))
//!              /   \                 node = sha256(01 ‖ left ‖ right)
//! row 1      ab     c                an odd node goes up as it is: the tree of RFC 6962
//!           /  \     \
//! row 0    a    b     c              transaction hash = sha256(transaction)
//! ```
//!
//! The block hash is the root of such a tree too, over the header's fourteen fields. Headers name no
//! count of transactions, so the tree is read as `super::edge` says. No header commits to events:
//! `last_results_hash` of the next one covers code, data and gas of each transaction.
//!
//! Sources: CometBFT `types/block.go` (`Header.Hash`), `types/tx.go` (`Txs.Hash`), `types/results.go`,
//! `crypto/merkle`, `proto/tendermint/types/types.proto`.

mod entry;
mod fields;
mod header;
mod whole;

pub use entry::{Branch, PeakBranch, TX_COUNT_MAX, TreeProof};
pub use header::{
    BlockId, CHAIN_ID_BYTES_MAX, HEADER_BYTES_MAX, Header, PROPOSER_BYTES, SECONDS_MAX, names_chain,
};
pub use whole::TransactionTree;

use superroot_types::Hash;

use super::{LedgerError, NotProvable};
use crate::hash::sha256_joined;
use crate::range::Sha256Range;

/// Longest transaction, in bytes. Chains of the family set their own bound on a block, of a megabyte or
/// a few; a proof carries a transaction whole.
pub const TRANSACTION_BYTES_MAX: usize = 8 << 20;

/// Why no event is proven, and what is.
pub const NO_EVENTS: NotProvable = NotProvable {
    why: "no header of a CometBFT chain commits to events: last_results_hash of the next block covers \
          each transaction's code, data and gas alone",
    nearest: "the transaction is proven by /v5/proof/tx",
};

/// Transaction hash, as explorers show it in upper-case hex: SHA-256 of the transaction.
#[must_use]
pub fn transaction_hash(transaction: &[u8]) -> Hash {
    sha256_joined(&[transaction])
}

/// Hash of the leaf that a transaction hash is in its block's tree.
#[must_use]
pub fn leaf_hash(transaction_hash: &Hash) -> Hash {
    sha256_joined(&[&[0x00], &transaction_hash.0])
}

/// Root over the transaction hashes of a block: its `data_hash`; `SHA-256("")` without any.
#[must_use]
pub fn data_hash(transaction_hashes: &[Hash]) -> Hash {
    let leaves: alloc::vec::Vec<Hash> = transaction_hashes.iter().map(leaf_hash).collect();
    super::edge::root::<Sha256Range>(&leaves)
}

/// Whether a transaction has a length that a proof can carry.
///
/// # Errors
/// [`LedgerError::Field`] past [`TRANSACTION_BYTES_MAX`].
pub fn check_transaction(transaction: &[u8]) -> Result<(), LedgerError> {
    if transaction.len() > TRANSACTION_BYTES_MAX {
        return Err(LedgerError::Field { field: "transaction length" });
    }
    Ok(())
}
