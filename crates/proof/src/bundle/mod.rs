//! One proof from a fact to a SuperRoot, the check that most callers need, and the binary form.
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
//! A part without what is above it is a proof up to that level. Nothing in a bundle is believed:
//! [`verify()`] recomputes every hash in it and gives back only what was recomputed.

mod decode;
mod encode;
mod error;
mod facts;
mod held;
mod verify;

pub use decode::{BUNDLE_BYTES_MAX, DecodeError};
pub use encode::{FORMAT_VERSION, MAGIC};
pub use error::{Fault, ProofError, Step};
pub use facts::{Facts, ShownNote, ShownPlace, ShownTwig, Verified};
pub use held::{Held, HeldBase, HeldTop, HeldTwig, Holds};
pub(crate) use verify::Chain;
pub use verify::{Policy, verify, verify_again, verify_anchored};

use alloc::string::String;
use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Hash, Network, ProofLevel, TWIG_HEIGHT};

pub use crate::ledger::bitcoin::{Branch, BranchProofs};
use crate::ledger::bound_indexes;
pub use crate::ledger::evm::{TRIE_NODES_MAX, TrieProofs};
pub use crate::ledger::polkadot::ExtrinsicProofs;
pub use crate::ledger::{
    BoundIndexes, EntryProof, ProvenEvent, ProvenEventList, ProvenLog, ProvenOutput, ProvenReceipt,
    ProvenTransaction, ProvenVersionEvent, Subject,
};
use crate::registry::REGISTRY_HEIGHT;
use crate::superroot::SUPER_ROOT_HEIGHT;

/// What is claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The chain.
    pub chain: ChainKey,
    /// The block's number.
    pub number: BlockNumber,
    /// What in the block.
    pub subject: Subject,
}

impl Statement {
    /// Position of the transaction in its block, where proofs of the ledger bind it.
    #[must_use]
    pub fn tx_index(&self) -> Option<u32> {
        self.subject.tx_index().filter(|_| self.bound_indexes().tx_index)
    }

    /// Position of the event in its transaction, where proofs of the ledger bind it.
    #[must_use]
    pub fn log_index(&self) -> Option<u32> {
        self.subject.log_index().filter(|_| self.bound_indexes().log_index)
    }

    /// Whether proofs of the ledger bind the position of a transaction.
    pub(crate) fn binds_transaction(&self) -> bool {
        let transaction = Subject::Transaction { tx_index: 0 };
        bound_indexes(self.chain.family, transaction).tx_index
    }

    /// Which of its positions proofs of the ledger bind.
    #[must_use]
    pub fn bound_indexes(&self) -> BoundIndexes {
        bound_indexes(self.chain.family, self.subject)
    }
}

/// Level 2 and what is above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockProof {
    /// The header, whole, in the ledger's own bytes.
    pub header: Vec<u8>,
    /// Hash the header must have.
    pub block_hash: Hash,
    /// Level 3 and up.
    pub twig: Option<TwigProof>,
}

/// Level 3 and what is above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwigProof {
    /// From the block leaf upward.
    pub siblings: [Hash; TWIG_HEIGHT],
    /// Root the path must lead to.
    pub root: Hash,
    /// Level 4 and up.
    pub place: Option<Place>,
}

/// Where a twig stands in a SuperRoot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Sealed: a leaf of the family's Mini-MMR.
    Sealed(SealedPlace),
    /// Open: its root stands in the chain's block reference.
    Open(OpenPlace),
}

/// A twig's place in its Mini-MMR (level 4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedPlace {
    /// Which leaf; the one position a prover tells.
    pub leaf_index: u64,
    /// Leaves of the Mini-MMR in that SuperRoot.
    pub leaf_count: u64,
    /// Path in the range, lowest first.
    pub siblings: Vec<Hash>,
    /// Mini-MMR root the path must lead to.
    pub root: Hash,
    /// Level 5.
    pub super_root: Option<SuperRootProof>,
}

/// The block reference under which an open twig stands; level 4 is not on this way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPlace {
    /// First number of the committed run.
    pub start: BlockNumber,
    /// Last number of the committed run.
    pub number: BlockNumber,
    /// Hash of the last block, of which this proof shows nothing more.
    pub block_hash: Hash,
    /// Level 5.
    pub super_root: SuperRootProof,
}

/// Level 5.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuperRootProof {
    /// From the slot upward.
    pub siblings: [Hash; SUPER_ROOT_HEIGHT],
    /// Preimage of the SuperRoot, 82 bytes.
    pub preimage: Vec<u8>,
    /// What the log says the chain is: what it withdrew cannot be hidden by leaving a part out.
    pub registry: RegistryOpening,
    /// That the log was signed with this SuperRoot in it.
    pub note: Option<NotePath>,
}

/// A signed note of the log at a size above the SuperRoot's sequence, and the SuperRoot's path in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotePath {
    /// The note as it was published, signatures and all.
    pub note: String,
    /// RFC 9162 path of entry `sequence` in the log of the note's size, lowest first.
    pub siblings: Vec<Hash>,
}

/// The profile of the statement's chain, opened under slot 55: its row in the registry's tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryOpening {
    /// Preimage of the chain's profile.
    pub profile: Vec<u8>,
    /// Its row, and so its slot in the tree.
    pub row: u8,
    /// Rows of the registry.
    pub count: u8,
    /// From the row's slot to the root of the registry's tree.
    pub row_siblings: [Hash; REGISTRY_HEIGHT],
    /// From slot 55 upward.
    pub siblings: [Hash; SUPER_ROOT_HEIGHT],
}

/// One proof, from a fact up to at most one SuperRoot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// Origin of the log; it names the network, and its log id must be the SuperRoot's.
    pub origin: String,
    /// What is claimed.
    pub statement: Statement,
    /// Level 1; `None` in the proof of a block.
    pub entry: Option<EntryProof>,
    /// Level 2 and up.
    pub block: Option<BlockProof>,
}

impl Bundle {
    /// Level 3 and up, where it is there.
    #[must_use]
    pub fn twig(&self) -> Option<&TwigProof> {
        self.block.as_ref()?.twig.as_ref()
    }

    /// Level 4 and up, where it is there.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        self.twig()?.place.as_ref()
    }

    /// Level 5, where it is there.
    #[must_use]
    pub fn super_root(&self) -> Option<&SuperRootProof> {
        match self.place()? {
            Place::Sealed(sealed) => sealed.super_root.as_ref(),
            Place::Open(open) => Some(&open.super_root),
        }
    }

    /// Whether the proof, where it holds, shows that the entry is in this very block; otherwise the
    /// entry is in the chain by this block.
    #[must_use]
    pub fn shows_block(&self) -> bool {
        let Statement { chain, number, .. } = self.statement;
        let network = Network::of_origin(&self.origin);
        self.entry.as_ref().is_none_or(|entry| entry.shows_block((chain, number), network))
    }

    /// The same proof with a note, in place of one that it has; a proof below level 5 stays as it is.
    #[must_use]
    pub fn with_note(mut self, note: NotePath) -> Self {
        let place = self.block.as_mut().and_then(|block| block.twig.as_mut()?.place.as_mut());
        let super_root = place.and_then(|place| match place {
            Place::Sealed(sealed) => sealed.super_root.as_mut(),
            Place::Open(open) => Some(&mut open.super_root),
        });
        if let Some(super_root) = super_root {
            super_root.note = Some(note);
        }
        self
    }

    /// The same proof up to `level` at most. Below level 5 an open twig's proof ends at level 3.
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
            Some(Place::Open(_)) if level < ProofLevel::SuperRoot => twig.place = None,
            Some(Place::Sealed(sealed)) if level < ProofLevel::SuperRoot => {
                sealed.super_root = None;
            }
            _ => {}
        }
        self
    }
}
