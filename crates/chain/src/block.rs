//! A block whose hash and trees were recomputed here.

use superroot_proof::ledger::{Body, Extent};
use superroot_types::{BlockNumber, ChainKey, Hash, UnixSeconds};

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
    /// `None` where nothing but the header is there.
    pub(crate) body: Option<Body>,
    pub(crate) leaves: Leaves,
    pub(crate) withheld: Option<Withheld>,
}

/// Why a part of a body is not in the extent of its block, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Withheld {
    /// The chain's row says that the part cannot be recomputed, or the ledger has none.
    ByRule(String),
    /// The sender shows an entry of a kind that cannot be recomputed. No root says that the block
    /// has that entry.
    OnClaim(String),
    /// What was sent does not recompute, or could not be had.
    Refused(String),
}

/// Leaves of the body's trees in the order of the block, as far as the body does not hold them as they
/// are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Leaves {
    pub(crate) transactions: Option<Vec<Vec<u8>>>,
    pub(crate) transaction_hashes: Option<Vec<Hash>>,
    pub(crate) receipts: Option<Vec<Vec<u8>>>,
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
    pub fn extent(&self) -> Extent {
        self.body.as_ref().map(Body::extent).unwrap_or_default()
    }

    /// The trees that gave the roots which the header names; `None` where the header is all there is.
    #[must_use]
    pub const fn body(&self) -> Option<&Body> {
        self.body.as_ref()
    }

    /// Entries of the block; `None` where its body is not there.
    #[must_use]
    pub fn tx_count(&self) -> Option<usize> {
        self.transactions().or(self.receipts()).map(<[_]>::len)
    }

    /// Bytes of what it holds.
    #[must_use]
    pub fn byte_count(&self) -> usize {
        let Leaves { transactions, receipts, .. } = &self.leaves;
        let leaves = [transactions, receipts].into_iter().flatten().flatten().map(Vec::len);
        let body = self.body.as_ref().map_or(0, Body::byte_count);
        leaves.chain([self.header.len(), body]).fold(0, usize::saturating_add)
    }

    /// Why a part of the body that was or could have been sent is not in the extent. `None` when
    /// nothing was held back.
    #[must_use]
    pub fn body_withheld(&self) -> Option<&str> {
        match self.withheld.as_ref()? {
            Withheld::ByRule(why) | Withheld::OnClaim(why) | Withheld::Refused(why) => Some(why),
        }
    }

    /// Whether a part was held back because of an entry that only its sender shows. Other senders
    /// should be asked before the claim is believed.
    #[must_use]
    pub const fn is_withheld_on_claim(&self) -> bool {
        matches!(self.withheld, Some(Withheld::OnClaim(_)))
    }

    /// Why a part of the body was refused, or could not be had: a later build, or another node, may
    /// give that part.
    #[must_use]
    pub fn body_refused(&self) -> Option<&str> {
        match self.withheld.as_ref()? {
            Withheld::Refused(why) => Some(why),
            Withheld::ByRule(_) | Withheld::OnClaim(_) => None,
        }
    }

    /// The same block, whose missing parts were refused or could not be had for that reason.
    #[must_use]
    pub fn with_body_refused(mut self, why: String) -> Self {
        self.withheld = Some(Withheld::Refused(why));
        self
    }

    /// Leaves of the transaction tree by `tx_index`, in the Bitcoin family transactions without their
    /// witnesses; `None` when they were not all given.
    #[must_use]
    pub fn transactions(&self) -> Option<&[Vec<u8>]> {
        self.leaves.transactions.as_deref().or_else(|| self.body.as_ref()?.transaction_leaves())
    }

    /// Leaves of the receipt tree by `tx_index`; `None` when they were not given.
    #[must_use]
    pub fn receipts(&self) -> Option<&[Vec<u8>]> {
        self.leaves.receipts.as_deref()
    }

    /// Transaction hashes by `tx_index`, recomputed from the leaves; `None` without leaves.
    #[must_use]
    pub fn transaction_hashes(&self) -> Option<&[Hash]> {
        self.leaves
            .transaction_hashes
            .as_deref()
            .or_else(|| self.body.as_ref()?.transaction_hashes())
    }
}
