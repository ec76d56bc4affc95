//! Proof from a fact to a SuperRoot, the usual check, and the binary form.
//!
//! ```text
//! Bundle ── statement          what is claimed: chain, number, position in the block
//!        ├─ entry              level 1, by family: trie nodes of transaction and receipt, or
//!        │                     branches of the transaction and of the coinbase
//!        └─ block              level 2: header
//!             └─ twig          level 3: 11 siblings
//!                  └─ place    sealed: level 4, path in the Mini-MMR   open: the block reference
//!                       └─ super_root   level 5: 6 siblings, the SuperRoot's preimage, and the
//!                            │          chain's profile under slot 55
//!                            └─ note    who signed a log that holds this SuperRoot
//! ```
//! A part without the parts above proves only up to that level. [`verify()`] trusts nothing in a bundle, recomputes
//! every hash and returns only recomputed values.

mod decode;
mod encode;
mod error;
mod facts;
mod levels;
mod policy;
mod verify;

pub use decode::{BUNDLE_BYTES_MAX, DecodeError};
pub use encode::{FORMAT_VERSION, FORMAT_WITH_FINALITY, MAGIC};
pub use error::{ProofError, ProofFault, ProofStep};
pub use facts::{Facts, ShownNote, ShownPlace, ShownTwig, Verified};
pub use levels::{BlockFacts, PlaceFacts, ProofLevels, StatementFacts, SuperRootFacts, TwigFacts};
pub(crate) use policy::Chain;
pub use policy::Policy;
pub use verify::{
    verify, verify_anchored, verify_block, verify_place, verify_statement, verify_super_root,
    verify_twig,
};

use alloc::string::String;
use alloc::vec::Vec;

use superroot_types::{
    BlockNumber, ChainKey, Hash, LeafCount, LeafIndex, Network, ProofLevel, RowIndex, TWIG_HEIGHT,
};

pub use crate::ledger::bitcoin::{Branch, BranchProofs};
use crate::ledger::bound_indexes;
pub use crate::ledger::evm::{TRIE_NODES_MAX, TrieProofs};
pub use crate::ledger::polkadot::ExtrinsicProofs;
pub use crate::ledger::{
    BoundIndexes, EntryProof, ProofSubject, ProvenEvent, ProvenEventList, ProvenLog, ProvenOutput,
    ProvenReceipt, ProvenTransaction, ProvenVersionEvent,
};
use crate::registry::REGISTRY_HEIGHT;
use crate::superroot::SUPER_ROOT_HEIGHT;

/// Claim to prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Chain key.
    pub chain: ChainKey,
    /// Block number.
    pub number: BlockNumber,
    /// Subject within the block.
    pub subject: ProofSubject,
}

impl Statement {
    /// Transaction position in the block, if ledger proofs bind it.
    #[must_use]
    pub fn tx_index(&self) -> Option<u32> {
        self.subject.tx_index().filter(|_| self.bound_indexes().tx_index)
    }

    /// Event position in the transaction, if ledger proofs bind it.
    #[must_use]
    pub fn log_index(&self) -> Option<u32> {
        self.subject.log_index().filter(|_| self.bound_indexes().log_index)
    }

    pub(crate) fn binds_transaction(&self) -> bool {
        let transaction = ProofSubject::Transaction { tx_index: 0 };
        bound_indexes(self.chain.family, transaction).tx_index
    }

    /// Positions bound by ledger proofs.
    #[must_use]
    pub fn bound_indexes(&self) -> BoundIndexes {
        bound_indexes(self.chain.family, self.subject)
    }
}

/// Level 2 and above.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockLevel {
    /// Whole header in the ledger's own encoding.
    pub header: Vec<u8>,
    /// Expected header hash.
    pub block_hash: Hash,
    /// Level 3 and above.
    pub twig: Option<TwigProof>,
}

/// Level 3 and above.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwigProof {
    /// Siblings from the block leaf upward.
    pub siblings: [Hash; TWIG_HEIGHT],
    /// Expected twig root.
    pub root: Hash,
    /// Level 4 and above.
    pub place: Option<TwigPosition>,
}

/// Twig location in a SuperRoot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TwigPosition {
    /// Sealed: a leaf in the family Mini-MMR.
    Sealed(SealedPlace),
    /// Open: root in the chain's block reference.
    Open(OpenPlace),
}

/// Twig location in its Mini-MMR (level 4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedPlace {
    /// Leaf index; the only position supplied by the prover.
    pub leaf_index: LeafIndex,
    /// Mini-MMR leaf count in this SuperRoot.
    pub leaf_count: LeafCount,
    /// Path in the range, lowest first.
    pub siblings: Vec<Hash>,
    /// Expected Mini-MMR root.
    pub root: Hash,
    /// Level 5.
    pub super_root: Option<SuperRootProof>,
}

/// Block reference for an open twig; level 4 is skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPlace {
    /// First number in the committed run.
    pub start: BlockNumber,
    /// Last number in the committed run.
    pub number: BlockNumber,
    /// Last block's hash; this proof shows nothing further about the block.
    pub block_hash: Hash,
    /// Level 5.
    pub super_root: SuperRootProof,
}

/// Level 5.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuperRootProof {
    /// Siblings from the slot upward.
    pub siblings: [Hash; SUPER_ROOT_HEIGHT],
    /// SuperRoot preimage, 82 bytes.
    pub preimage: Vec<u8>,
    /// Chain profile in the log: a withdrawal cannot be hidden by omitting a part.
    pub registry: RegistryOpening,
    /// Signed note covering this SuperRoot.
    pub note: Option<NotePath>,
}

/// Signed log note at a size above the SuperRoot's sequence, with the SuperRoot's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotePath {
    /// Note as published, with signatures.
    pub note: String,
    /// RFC 9162 path for entry `sequence` at the note's log size, lowest first.
    pub siblings: Vec<Hash>,
}

/// Statement chain's profile and registry row, opened under slot 55.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryOpening {
    /// Chain profile preimage.
    pub profile: Vec<u8>,
    /// Row, also the slot in the registry tree.
    pub row: RowIndex,
    /// Row count in the registry.
    pub count: u8,
    /// Siblings from the row slot to the registry tree root.
    pub row_siblings: [Hash; REGISTRY_HEIGHT],
    /// Siblings from slot 55 upward.
    pub siblings: [Hash; SUPER_ROOT_HEIGHT],
}

/// Proof from a fact up to at most one SuperRoot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// Log origin: names the network; its log id must match the SuperRoot.
    pub origin: String,
    /// Claim.
    pub statement: Statement,
    /// Level 1; `None` in a block proof.
    pub entry: Option<EntryProof>,
    /// Level 2 and above.
    pub block: Option<BlockLevel>,
}

impl Bundle {
    /// Level 3 and above, if present.
    #[must_use]
    pub fn twig(&self) -> Option<&TwigProof> {
        self.block.as_ref()?.twig.as_ref()
    }

    /// Level 4 and above, if present.
    #[must_use]
    pub fn place(&self) -> Option<&TwigPosition> {
        self.twig()?.place.as_ref()
    }

    /// Level 5, if present.
    #[must_use]
    pub fn super_root(&self) -> Option<&SuperRootProof> {
        match self.place()? {
            TwigPosition::Sealed(sealed) => sealed.super_root.as_ref(),
            TwigPosition::Open(open) => Some(&open.super_root),
        }
    }

    /// Note with the SuperRoot's path, if present.
    #[must_use]
    pub fn note(&self) -> Option<&NotePath> {
        self.super_root()?.note.as_ref()
    }

    /// Whether a valid proof shows the entry in exactly this block; if not, only in the chain by this block.
    #[must_use]
    pub fn shows_block(&self) -> bool {
        let Statement { chain, number, .. } = self.statement;
        let network = Network::of_origin(&self.origin);
        self.entry.as_ref().is_none_or(|entry| entry.shows_block((chain, number), network))
    }

    /// Adds or replaces the note; a proof below level 5 is unchanged.
    #[must_use]
    pub fn with_note(mut self, note: NotePath) -> Self {
        let place = self.block.as_mut().and_then(|block| block.twig.as_mut()?.place.as_mut());
        let super_root = place.and_then(|place| match place {
            TwigPosition::Sealed(sealed) => sealed.super_root.as_mut(),
            TwigPosition::Open(open) => Some(&mut open.super_root),
        });
        if let Some(super_root) = super_root {
            super_root.note = Some(note);
        }
        self
    }

    /// Proof cut to at most `level`. Below level 5 an open twig's proof ends at level 3.
    #[must_use]
    pub fn up_to(mut self, level: ProofLevel) -> Self {
        if level < ProofLevel::Block && self.entry.is_some() {
            self.block = None;
        }
        let Some(block) = &mut self.block else { return self };
        if level < ProofLevel::Twig {
            block.twig = None;
        }
        let Some(twig) = &mut block.twig else { return self };
        match &mut twig.place {
            Some(_) if level < ProofLevel::MiniMmr => twig.place = None,
            Some(TwigPosition::Open(_)) if level < ProofLevel::SuperRoot => twig.place = None,
            Some(TwigPosition::Sealed(sealed)) if level < ProofLevel::SuperRoot => {
                sealed.super_root = None;
            }
            _ => {}
        }
        self
    }
}
