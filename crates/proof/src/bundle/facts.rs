//! Proven facts: every field comes from bytes hashed during the check.

use alloc::string::String;
use core::ops::Deref;

use superroot_types::{
    BlockNumber, Hash, LeafCount, LeafIndex, Network, ProofLevel, RowIndex, SAFE_INTEGER_MAX,
    TwigIndex, TwigSlot,
};

use super::{NotePath, ProofFault, Statement};
use crate::ledger::{
    Header, ProvenEvent, ProvenLog, ProvenOutput, ProvenReceipt, ProvenTransaction, ShownFacts,
};
use crate::note::{Checkpoint, CheckpointError, Note, TrustPolicy, VerifierKey};
use crate::range::{Sha256Range, verify_inclusion};
use crate::registry::HashRule;
use crate::superroot::{SuperRoot, SuperRootHistory};

/// Checked value, created only in this crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified<T>(pub(crate) T);

impl<T> Verified<T> {
    /// Unwraps the value.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for Verified<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Proven twig.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownTwig {
    /// `number / 2048`.
    pub index: TwigIndex,
    /// `number % 2048`.
    pub slot: TwigSlot,
    /// Twig root.
    pub root: Hash,
}

/// Twig location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownPlace {
    /// In the family Mini-MMR (level 4).
    Sealed {
        /// Leaf index.
        leaf_index: LeafIndex,
        /// Leaf count.
        leaf_count: LeafCount,
        /// Mini-MMR root.
        root: Hash,
    },
    /// In the chain's block reference; level 4 is skipped.
    Open {
        /// Reference row.
        row: RowIndex,
        /// First number in the committed run.
        start: BlockNumber,
        /// Last number in the committed run.
        number: BlockNumber,
    },
}

/// Proven statement, except positions for which [`Statement::tx_index`] or [`Statement::log_index`] is `None`: they are
/// only the service's claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Proven statement, except positions without [`Statement::tx_index`] or [`Statement::log_index`]: only the
    /// service's claim.
    pub statement: Statement,
    /// Log origin, bound by the SuperRoot's log id at level 5.
    pub origin: String,
    /// Network named by the origin.
    pub network: Network,
    /// Highest level shown.
    pub level: ProofLevel,
    /// Chain rule at the number.
    pub rule: HashRule,
    /// Transaction tree root: from the header, or from the proof without level 2.
    pub transactions_root: Option<Hash>,
    /// Receipt trie root, likewise; `None` where the ledger has no receipts.
    pub receipts_root: Option<Hash>,
    /// Transaction, if proven.
    pub transaction: Option<ProvenTransaction>,
    /// Receipt, if proven.
    pub receipt: Option<ProvenReceipt>,
    /// Event, in an event proof.
    pub event: Option<ProvenEvent>,
    /// Transaction count, if the proof shows the count.
    pub tx_count: Option<u32>,
    /// Header, from level 2 on.
    pub header: Option<Header>,
    /// Block hash, from level 2 on.
    pub block_hash: Option<Hash>,
    /// Whether the block hash shows the number; if not, the number is only the service's claim.
    pub number_bound: bool,
    /// Whether the proof shows the transaction position; if not, `tx_index` is only the service's claim.
    pub index_bound: bool,
    /// Whether the entry is proven in exactly this block; if not, only in the chain by this block.
    pub block_bound: bool,
    /// Whether the verifier itself knows the chain; if not, the chain definition is only the log's claim.
    pub chain_known: bool,
    /// Twig, from level 3 on.
    pub twig: Option<ShownTwig>,
    /// Twig location, at level 4 or 5.
    pub place: Option<ShownPlace>,
    /// SuperRoot, at level 5. Publication is not shown.
    pub super_root: Option<SuperRoot>,
    pub(super) super_root_hash: Option<Hash>,
    /// Note for a log containing the SuperRoot; [`Facts::check_signed`] checks signatures.
    pub note: Option<ShownNote>,
}

/// Note for a log containing the SuperRoot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownNote {
    /// Note with unchecked signatures.
    pub note: Note,
    /// Checkpoint in the note: the SuperRoot's log, at a size above its sequence.
    pub checkpoint: Checkpoint,
}

impl ShownNote {
    /// Checks the note's log and the SuperRoot inside. The facts check the signatures.
    pub(super) fn check(
        proof: &NotePath,
        super_root: &SuperRoot,
        origin: &str,
    ) -> Result<Self, ProofFault> {
        let note = Note::parse(&proof.note).map_err(CheckpointError::from)?;
        let checkpoint = Checkpoint::parse(note.text())?;
        if checkpoint.origin != origin {
            let got = checkpoint.origin;
            let expected = origin.into();
            return Err(ProofFault::Note(CheckpointError::Origin { got, expected }));
        }
        let size = checkpoint.size;
        let sequence = super_root.sequence;
        if size.0 > SAFE_INTEGER_MAX {
            return Err(ProofFault::TooLarge { what: "size of the note" });
        }
        if !size.holds(sequence) {
            return Err(ProofFault::NoteSize { size, sequence });
        }
        let leaf = SuperRootHistory::leaf(super_root);
        let (index, count) = (sequence.leaf_index(), size.leaf_count());
        verify_inclusion::<Sha256Range>(&leaf, index, count, &proof.siblings, &checkpoint.root)
            .map_err(ProofFault::Range)?;
        Ok(Self { note, checkpoint })
    }
}

impl Facts {
    pub(super) fn put_header(&mut self, header: Header, block_hash: Hash) {
        self.transactions_root = header.transactions_root();
        self.receipts_root = header.receipts_root();
        self.header = Some(header);
        self.block_hash = Some(block_hash);
        self.level = ProofLevel::Block;
    }

    pub(super) fn put_entry(&mut self, shown: ShownFacts) {
        self.transactions_root = shown.transactions_root;
        self.receipts_root = shown.receipts_root;
        self.transaction = shown.transaction;
        self.receipt = shown.receipt;
        self.event = shown.event;
        self.tx_count = shown.tx_count;
    }

    /// Log, in a log proof.
    #[must_use]
    pub const fn log(&self) -> Option<&ProvenLog> {
        if let Some(ProvenEvent::Log(log)) = &self.event { Some(log) } else { None }
    }

    /// Output, in an output proof.
    #[must_use]
    pub const fn output(&self) -> Option<&ProvenOutput> {
        if let Some(ProvenEvent::Output(output)) = &self.event { Some(output) } else { None }
    }

    /// Checks the log key's signature over a log containing the SuperRoot, and the policy's witnesses; returns the
    /// checkpoint.
    ///
    /// # Errors
    /// [`ProofFault::NoSuperRoot`]; [`ProofFault::NoNote`] without a note; [`ProofFault::Note`] for missing or invalid
    /// signatures.
    pub fn check_signed(
        &self,
        key: &VerifierKey,
        witnesses: &TrustPolicy,
    ) -> Result<&Checkpoint, ProofFault> {
        self.super_root.ok_or(ProofFault::NoSuperRoot)?;
        let ShownNote { note, checkpoint } = self.note.as_ref().ok_or(ProofFault::NoNote)?;
        checkpoint.check_signed(note, key, witnesses)?;
        Ok(checkpoint)
    }

    /// SuperRoot hash, at level 5.
    #[must_use]
    pub const fn super_root_hash(&self) -> Option<Hash> {
        self.super_root_hash
    }
}
