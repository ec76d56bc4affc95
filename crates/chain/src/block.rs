//! A block whose hash and trees were recomputed here.

use core::fmt;

use superroot_proof::mpt::OrderedTrie;
use superroot_types::{BlockNumber, ChainKey, Hash, UnixSeconds};

use crate::bitcoin::RawBitcoinBlock;
use crate::evm::raw::RawEvmBlock;

/// A block as a source gave it, of any family; nothing in it is believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UntrustedBlock {
    /// A block of the EVM family.
    Evm(Box<RawEvmBlock>),
    /// A block of the Bitcoin family.
    Bitcoin(Box<RawBitcoinBlock>),
}

/// Which parts of a block are there and verified, besides its header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Extent {
    /// Every transaction.
    pub transactions: bool,
    /// Every receipt; never in a family that has none.
    pub receipts: bool,
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.transactions, self.receipts) {
            (false, false) => "header",
            (true, false) => "header+transactions",
            (false, true) => "header+receipts",
            (true, true) => "header+transactions+receipts",
        })
    }
}

/// A block that hashes to its hash and whose trees have the roots its header names. Only
/// [`crate::verify`] makes one. It says nothing of finality: that is a
/// [`crate::finality::FinalBlock`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedBlock {
    pub(crate) chain: ChainKey,
    pub(crate) number: BlockNumber,
    pub(crate) hash: Hash,
    pub(crate) parent_hash: Hash,
    pub(crate) timestamp: UnixSeconds,
    pub(crate) header: Vec<u8>,
    pub(crate) transactions: Option<Transactions>,
    pub(crate) receipts: Option<Receipts>,
    pub(crate) withheld: Option<String>,
    pub(crate) is_withheld_on_claim: bool,
}

/// Leaves of the transaction tree and their hashes, in the order of the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Transactions {
    pub(crate) leaves: Vec<Vec<u8>>,
    pub(crate) hashes: Vec<Hash>,
    /// Their trie, in families whose transaction tree is one.
    pub(crate) trie: Option<OrderedTrie>,
}

/// Leaves of the receipt tree in the order of the block, and their trie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Receipts {
    pub(crate) leaves: Vec<Vec<u8>>,
    pub(crate) trie: OrderedTrie,
}

impl VerifiedBlock {
    /// The chain it was verified as a block of.
    #[must_use]
    pub const fn chain(&self) -> ChainKey {
        self.chain
    }

    /// Its number.
    #[must_use]
    pub const fn number(&self) -> BlockNumber {
        self.number
    }

    /// Its hash, recomputed.
    #[must_use]
    pub const fn hash(&self) -> Hash {
        self.hash
    }

    /// Hash of the block before it.
    #[must_use]
    pub const fn parent_hash(&self) -> Hash {
        self.parent_hash
    }

    /// Its time, as its header says.
    #[must_use]
    pub const fn timestamp(&self) -> UnixSeconds {
        self.timestamp
    }

    /// The header in the bytes that its ledger hashes.
    #[must_use]
    pub fn header(&self) -> &[u8] {
        &self.header
    }

    /// Which parts are there.
    #[must_use]
    pub const fn extent(&self) -> Extent {
        Extent { transactions: self.transactions.is_some(), receipts: self.receipts.is_some() }
    }

    /// Why a part of the body that was or could have been sent is not in the extent: the chain's row
    /// says that it cannot be recomputed. `None` when nothing was held back.
    #[must_use]
    pub fn body_withheld(&self) -> Option<&str> {
        self.withheld.as_deref()
    }

    /// Whether a part was held back because of an entry that only its sender shows: no root tells that
    /// the block has it. Others should be asked before it is believed.
    #[must_use]
    pub const fn is_withheld_on_claim(&self) -> bool {
        self.is_withheld_on_claim
    }

    /// Leaves of the transaction tree by `tx_index`, in the Bitcoin family transactions without their
    /// witnesses; `None` when they were not all given.
    #[must_use]
    pub fn transactions(&self) -> Option<&[Vec<u8>]> {
        self.transactions.as_ref().map(|transactions| transactions.leaves.as_slice())
    }

    /// Leaves of the receipt tree by `tx_index`; `None` when they were not given.
    #[must_use]
    pub fn receipts(&self) -> Option<&[Vec<u8>]> {
        self.receipts.as_ref().map(|receipts| receipts.leaves.as_slice())
    }

    /// The trie over [`VerifiedBlock::transactions`], which gave the root that the header names;
    /// `None` without leaves, and in families whose transaction tree is no trie.
    #[must_use]
    pub fn transaction_trie(&self) -> Option<&OrderedTrie> {
        self.transactions.as_ref().and_then(|transactions| transactions.trie.as_ref())
    }

    /// The trie over [`VerifiedBlock::receipts`], which gave the root that the header names.
    #[must_use]
    pub fn receipt_trie(&self) -> Option<&OrderedTrie> {
        self.receipts.as_ref().map(|receipts| &receipts.trie)
    }

    /// Transaction hashes by `tx_index`, recomputed from the leaves; `None` without leaves.
    #[must_use]
    pub fn transaction_hashes(&self) -> Option<&[Hash]> {
        self.transactions.as_ref().map(|transactions| transactions.hashes.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_read_as_their_parts() {
        let names = [
            (false, false, "header"),
            (true, false, "header+transactions"),
            (false, true, "header+receipts"),
            (true, true, "header+transactions+receipts"),
        ];
        for (transactions, receipts, name) in names {
            assert_eq!(Extent { transactions, receipts }.to_string(), name);
        }
    }
}
