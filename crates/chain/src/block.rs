use superroot_proof::finality::ConsensusEvidence;
use superroot_proof::ledger::{Body, Extent};
use superroot_types::{BlockNumber, ChainKey, Hash, UnixSeconds};

/// Block with a recomputed hash and recomputed tree roots, made only by [`crate::verify`]. Finality is a separate
/// matter: [`crate::finality::FinalBlock`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedBlock {
    pub(crate) chain: ChainKey,
    pub(crate) number: BlockNumber,
    pub(crate) hash: Hash,
    pub(crate) parent_hash: Hash,
    pub(crate) timestamp: UnixSeconds,
    pub(crate) header: Vec<u8>,
    /// `None` for a header alone.
    pub(crate) body: Option<Body>,
    pub(crate) leaves: BodyLeaves,
    pub(crate) withheld: Option<Withheld>,
    pub(crate) signed: Option<SignedBlock>,
}

/// What the chain's own consensus signed about a block, as a node sent it: whoever reads it checks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedBlock {
    /// Evidence about this very block; on Tron about one a few blocks before.
    pub evidence: ConsensusEvidence,
    /// Set that the block ends: the evidence is the step to the next, unless `step` is.
    pub ends_set: Option<u64>,
    /// Step to the next set, where the evidence is not the step.
    pub step: Option<Vec<u8>>,
}

/// Reason for a missing body part, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Withheld {
    /// By the chain's row the part cannot be recomputed, or the ledger has no such part.
    ByRule(String),
    /// The sender shows an entry of a kind that cannot be recomputed. No root confirms the entry.
    OnClaim(String),
    /// The sent part does not recompute, or was unavailable.
    Refused(String),
}

/// Leaves of the body trees in block order, unless the body stores the leaves unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BodyLeaves {
    pub(crate) transactions: Option<Vec<Vec<u8>>>,
    pub(crate) transaction_hashes: Option<Vec<Hash>>,
    pub(crate) receipts: Option<Vec<Vec<u8>>>,
}

impl VerifiedBlock {
    #[must_use]
    pub const fn chain(&self) -> ChainKey {
        self.chain
    }

    #[must_use]
    pub const fn number(&self) -> BlockNumber {
        self.number
    }

    #[must_use]
    pub const fn hash(&self) -> Hash {
        self.hash
    }

    #[must_use]
    pub const fn parent_hash(&self) -> Hash {
        self.parent_hash
    }

    #[must_use]
    pub const fn timestamp(&self) -> UnixSeconds {
        self.timestamp
    }

    /// What the chain's own consensus signed about this block, if a node sent it; unchecked.
    #[must_use]
    pub const fn signed(&self) -> Option<&SignedBlock> {
        self.signed.as_ref()
    }

    /// Header bytes as hashed by the ledger.
    #[must_use]
    pub fn header(&self) -> &[u8] {
        &self.header
    }

    #[must_use]
    pub fn extent(&self) -> Extent {
        self.body.as_ref().map(Body::extent).unwrap_or_default()
    }

    /// Trees under the header roots; `None` for a header alone.
    #[must_use]
    pub const fn body(&self) -> Option<&Body> {
        self.body.as_ref()
    }

    /// Entries; `None` without a body.
    #[must_use]
    pub fn tx_count(&self) -> Option<usize> {
        self.transactions().or(self.receipts()).map(<[_]>::len)
    }

    #[must_use]
    pub fn byte_count(&self) -> usize {
        let BodyLeaves { transactions, receipts, .. } = &self.leaves;
        let leaves = [transactions, receipts].into_iter().flatten().flatten().map(Vec::len);
        let body = self.body.as_ref().map_or(0, Body::byte_count);
        leaves.chain([self.header.len(), body]).fold(0, usize::saturating_add)
    }

    /// Reason for a body part missing from the extent, even though sent or available; `None` if nothing was withheld.
    #[must_use]
    pub fn body_withheld(&self) -> Option<&str> {
        match self.withheld.as_ref()? {
            Withheld::ByRule(why) | Withheld::OnClaim(why) | Withheld::Refused(why) => Some(why),
        }
    }

    /// Whether a part is withheld because of an entry shown by one sender only. Ask other senders before trusting the
    /// claim.
    #[must_use]
    pub const fn is_withheld_on_claim(&self) -> bool {
        matches!(self.withheld, Some(Withheld::OnClaim(_)))
    }

    /// Reason for a refused or unavailable body part: a later build or another node may give the part.
    #[must_use]
    pub fn body_refused(&self) -> Option<&str> {
        match self.withheld.as_ref()? {
            Withheld::Refused(why) => Some(why),
            Withheld::ByRule(_) | Withheld::OnClaim(_) => None,
        }
    }

    /// Sets the reason for refused or unavailable parts.
    #[must_use]
    pub fn with_body_refused(mut self, why: String) -> Self {
        self.withheld = Some(Withheld::Refused(why));
        self
    }

    /// Transaction leaves by `tx_index`, in the Bitcoin family without witnesses; `None` if incomplete.
    #[must_use]
    pub fn transactions(&self) -> Option<&[Vec<u8>]> {
        self.leaves.transactions.as_deref().or_else(|| self.body.as_ref()?.transaction_leaves())
    }

    /// Receipt leaves by `tx_index`; `None` if not given.
    #[must_use]
    pub fn receipts(&self) -> Option<&[Vec<u8>]> {
        self.leaves.receipts.as_deref()
    }

    /// Recomputed transaction hashes by `tx_index`; `None` without leaves.
    #[must_use]
    pub fn transaction_hashes(&self) -> Option<&[Hash]> {
        self.leaves
            .transaction_hashes
            .as_deref()
            .or_else(|| self.body.as_ref()?.transaction_hashes())
    }
}
