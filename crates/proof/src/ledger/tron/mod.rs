//! Tron: protobuf headers and transactions, and the tree over whole transactions.
//!
//! ```text
//! row 2          r                   leaf = sha256(transaction): signatures and `contractRet` too
//!              /   \                 node = sha256(left ‖ right)
//! row 1      ab     c                an odd node goes up as it is
//!           /  \     \
//! row 0    a    b     c              txid = sha256(raw_data), a part of the transaction
//! ```
//!
//! Headers name no transaction count, so the tree is read as in `super::edge`. No header commits to logs, receipts or
//! state.
//!
//! Sources: java-tron `Tron.proto`, `BlockCapsule` (block id, root), `TransactionCapsule`, `MerkleTree`.

mod entry;
mod fields;
mod header;
mod transaction;
mod whole;

pub use entry::{Branch, EdgeProof, TX_COUNT_MAX};
pub use fields::{TronFieldValue, TronFields};
pub use header::{HEADER_BYTES_MAX, Header};
pub use transaction::{
    CONTRACT_RESULTS, Contract, TRANSACTION_BYTES_MAX, Transaction, check_leaf, leaf_hash,
};
pub use whole::TronTransactionTree;

use superroot_types::Hash;

use super::NotProvable;
use crate::hash::sha256_joined;
use crate::range::RangeHash;

/// Why events are not provable, and the nearest alternative.
pub const NO_EVENTS: NotProvable = NotProvable {
    why: "no header of Tron commits to logs, receipts or state, so no proof shows an event",
    nearest: "the transaction is proven by /v5/proof/tx: what it calls with which data, \
              and in contractRet whether that succeeded",
};

/// Block tree: SHA-256 without leaf or node prefix, zeros without transactions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TronTree;

impl RangeHash for TronTree {
    fn node(left: &Hash, right: &Hash) -> Hash {
        sha256_joined(&[&left.0, &right.0])
    }

    fn empty() -> Hash {
        Hash::ZERO
    }
}

/// Root over a block's transaction leaf hashes; zeros without any.
#[must_use]
pub fn merkle_root(leaf_hashes: &[Hash]) -> Hash {
    super::edge::root::<TronTree>(leaf_hashes)
}
