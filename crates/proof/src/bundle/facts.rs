//! What a proof has shown: every field out of bytes that were hashed on the way.

use alloc::string::String;
use core::ops::Deref;

use superroot_types::{BlockNumber, Hash, Network, ProofLevel};

use super::{Fault, Statement};
use crate::ledger::{
    Header, ProvenEvent, ProvenLog, ProvenOutput, ProvenReceipt, ProvenTransaction, Shown,
};
use crate::note::{Checkpoint, Note, TrustPolicy, VerifierKey};
use crate::registry::Rule;
use crate::superroot::SuperRoot;

/// A value that was checked; only this crate makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified<T>(pub(crate) T);

impl<T> Verified<T> {
    /// The value itself.
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

/// The twig of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownTwig {
    /// `number / 2048`.
    pub index: u64,
    /// `number % 2048`.
    pub slot: u64,
    /// Its root.
    pub root: Hash,
}

/// Where the twig stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownPlace {
    /// In the family's Mini-MMR: level 4.
    Sealed {
        /// Which leaf.
        leaf_index: u64,
        /// Of how many.
        leaf_count: u64,
        /// Mini-MMR root.
        root: Hash,
    },
    /// In the chain's block reference; level 4 is not on this way.
    Open {
        /// Row of the reference.
        row: usize,
        /// First number of the committed run.
        start: BlockNumber,
        /// Last number of the committed run.
        number: BlockNumber,
    },
}

/// Everything that a bundle has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The statement, now true under what follows, but for positions that [`Statement::tx_index`] and
    /// [`Statement::log_index`] do not give: those are the service's word.
    pub statement: Statement,
    /// Origin of the log; bound by the SuperRoot's log id where level 5 is shown.
    pub origin: String,
    /// Network that the origin names.
    pub network: Network,
    /// Highest level shown.
    pub level: ProofLevel,
    /// Rule of the chain at the number.
    pub rule: Rule,
    /// Root of the transaction tree: the header's, or the proof's own where level 2 is not shown.
    pub transactions_root: Option<Hash>,
    /// Root of the receipt trie, likewise; `None` where the ledger has none.
    pub receipts_root: Option<Hash>,
    /// The transaction, where the proof has it.
    pub transaction: Option<ProvenTransaction>,
    /// The receipt, where the proof has it.
    pub receipt: Option<ProvenReceipt>,
    /// The event, in a proof of one.
    pub event: Option<ProvenEvent>,
    /// Transactions of the block, where the proof shows how many there are.
    pub tx_count: Option<u32>,
    /// The header, where level 2 is shown.
    pub header: Option<Header>,
    /// Block hash, where level 2 is shown.
    pub block_hash: Option<Hash>,
    /// Whether the block hash shows the number; else the number is the service's word.
    pub number_bound: bool,
    /// Whether the proof shows the transaction's position in its block; else `tx_index` is the
    /// service's word.
    pub index_bound: bool,
    /// Whether the proof shows that the entry is in this very block; otherwise the entry is in the
    /// chain by this block.
    pub block_bound: bool,
    /// Whether the verifier knows the chain of its own; else what it is, is the log's word.
    pub chain_known: bool,
    /// The twig, where level 3 is shown.
    pub twig: Option<ShownTwig>,
    /// Its place, where level 4 or 5 is shown.
    pub place: Option<ShownPlace>,
    /// The SuperRoot, where level 5 is shown. That it was published is not shown.
    pub super_root: Option<SuperRoot>,
    /// Hash of the SuperRoot.
    pub(super) super_root_hash: Option<Hash>,
    /// A note of a log that holds the SuperRoot. Whose signatures it has, [`Facts::check_signed`] says.
    pub note: Option<ShownNote>,
}

/// A note whose log holds the SuperRoot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownNote {
    /// The note: its signatures were not looked at.
    pub note: Note,
    /// What it is about: the SuperRoot's log, at a size above its sequence.
    pub checkpoint: Checkpoint,
}

impl Facts {
    /// Puts in what level 2 has shown.
    pub(super) fn put_header(&mut self, header: Header, block_hash: Hash) {
        self.transactions_root = header.transactions_root();
        self.receipts_root = header.receipts_root();
        self.header = Some(header);
        self.block_hash = Some(block_hash);
        self.level = ProofLevel::Block;
    }

    /// Puts in what level 1 has shown, under the header or without one.
    pub(super) fn put_entry(&mut self, shown: Shown) {
        self.transactions_root = shown.transactions_root;
        self.receipts_root = shown.receipts_root;
        self.transaction = shown.transaction;
        self.receipt = shown.receipt;
        self.event = shown.event;
        self.tx_count = shown.tx_count;
    }

    /// The log, in a proof of one.
    #[must_use]
    pub const fn log(&self) -> Option<&ProvenLog> {
        if let Some(ProvenEvent::Log(log)) = &self.event { Some(log) } else { None }
    }

    /// The output, in a proof of one.
    #[must_use]
    pub const fn output(&self) -> Option<&ProvenOutput> {
        if let Some(ProvenEvent::Output(output)) = &self.event { Some(output) } else { None }
    }

    /// Checks that the log's key signed a log that holds the SuperRoot, and the policy's witnesses with
    /// it; gives what they signed.
    ///
    /// # Errors
    /// [`Fault::NoSuperRoot`], [`Fault::NoNote`] where the proof carries none, and [`Fault::Note`] for
    /// a note that this key or these witnesses did not sign.
    pub fn check_signed(
        &self,
        key: &VerifierKey,
        witnesses: &TrustPolicy,
    ) -> Result<&Checkpoint, Fault> {
        self.super_root.ok_or(Fault::NoSuperRoot)?;
        let ShownNote { note, checkpoint } = self.note.as_ref().ok_or(Fault::NoNote)?;
        checkpoint.check_signed(note, key, witnesses)?;
        Ok(checkpoint)
    }

    /// SuperRoot hash the proof leads to, where level 5 is shown.
    #[must_use]
    pub const fn super_root_hash(&self) -> Option<Hash> {
        self.super_root_hash
    }
}
