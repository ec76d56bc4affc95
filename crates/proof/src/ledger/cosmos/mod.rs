//! Cosmos: `CometBFT` headers and the block transaction tree.
//!
//! ```text
//! row 2          r                   leaf = sha256(00 ‖ sha256(transaction))
//!              /   \                 node = sha256(01 ‖ left ‖ right)
//! row 1      ab     c                an odd node goes up as it is: the tree of RFC 6962
//!           /  \     \
//! row 0    a    b     c              transaction hash = sha256(transaction)
//! ```
//!
//! The block hash is also a root in this tree form, over the header's fourteen fields. Headers name no transaction
//! count, so the tree is read as in `super::edge`. No header commits to events: the next header's `last_results_hash`
//! covers code, data and gas for each transaction.
//!
//! Sources: CometBFT `types/block.go` (`Header.Hash`), `types/tx.go` (`Txs.Hash`), `types/results.go`, `crypto/merkle`,
//! `proto/tendermint/types/types.proto`.

mod entry;
mod fields;
mod header;
mod validators;
mod whole;

pub use entry::{Branch, PeakBranch, TX_COUNT_MAX, TreeProof};
#[cfg(feature = "finality")]
pub(crate) use fields::{ProtobufFields, put_varint, read_varint};
pub use header::{
    CHAIN_ID_BYTES_MAX, CosmosBlockId, HEADER_BYTES_MAX, Header, PROPOSER_BYTES, SECONDS_MAX,
    names_chain,
};
pub use validators::{
    CosmosValidator, VALIDATOR_KEY_BYTES, VOTE_SIGNATURE_BYTES, ValidatorKey, precommit_bytes,
    validators_hash,
};
pub use whole::CosmosTransactionTree;

use superroot_types::Hash;

use super::{LedgerError, NotProvable};
use crate::hash::sha256_joined;
use crate::range::Sha256Range;

/// Longest transaction, in bytes. Each chain sets its own block bound, about a megabyte or a few; a proof carries a
/// whole transaction.
pub const TRANSACTION_BYTES_MAX: usize = 8 << 20;

/// Why events are not provable, and the nearest alternative.
pub const NO_EVENTS: NotProvable = NotProvable {
    why: "no header of a CometBFT chain commits to events: last_results_hash of the next block covers \
          each transaction's code, data and gas alone",
    nearest: "the transaction is proven by /v5/proof/tx",
};

/// Transaction hash, shown by explorers in upper-case hex: SHA-256 over the transaction.
#[must_use]
pub fn transaction_hash(transaction: &[u8]) -> Hash {
    sha256_joined(&[transaction])
}

/// Leaf hash over a transaction hash in the block tree.
#[must_use]
pub fn leaf_hash(transaction_hash: &Hash) -> Hash {
    sha256_joined(&[&[0x00], &transaction_hash.0])
}

/// Root over a block's transaction hashes: `data_hash`; `SHA-256("")` without any.
#[must_use]
pub fn data_hash(transaction_hashes: &[Hash]) -> Hash {
    let leaves: alloc::vec::Vec<Hash> = transaction_hashes.iter().map(leaf_hash).collect();
    super::edge::root::<Sha256Range>(&leaves)
}

/// Checks the transaction length against the proof limit.
///
/// # Errors
/// [`LedgerError::Field`] past [`TRANSACTION_BYTES_MAX`].
pub fn check_transaction(transaction: &[u8]) -> Result<(), LedgerError> {
    if transaction.len() > TRANSACTION_BYTES_MAX {
        return Err(LedgerError::Field { field: "transaction length" });
    }
    Ok(())
}
