//! What each ledger's folder gives: a header, a body and the proofs made of it.
//!
//! [`Header`](super::Header), [`Body`](super::Body) and [`EntryProof`](super::EntryProof) have one variant
//! a ledger and pass each question on to these. None of them has an answer by default: a ledger that
//! lacks a thing says so.

use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Hash, Network};

use super::body::{BodyFault, CannotKeep, EventOffsets, Extent, NoEntry};
use super::entry::{EntryParts, MalformedEntry};
use super::error::LedgerError;
use super::evm::Bloom;
use super::shown::Shown;
use super::subject::{BoundIndexes, Subject};
use crate::codec::Reader;
use crate::registry::Rule;

/// A header, read from the bytes of which its hash is made.
pub(crate) trait HeaderForm: Sized {
    /// Reads it whole, by the layout of a rule of its family.
    fn decode(rule: Rule, bytes: &[u8]) -> Result<Self, LedgerError>;

    /// Block hash by a rule of its family, of bytes that [`HeaderForm::decode`] has read.
    fn hash(rule: Rule, bytes: &[u8]) -> Result<Hash, LedgerError>;

    /// Hash of the block before, where the hash of this one binds it.
    fn parent_hash(&self) -> Option<Hash>;

    /// Unix seconds as the block's producer says, where the hash binds them.
    fn timestamp(&self) -> Option<u64>;

    /// Block number, where the hash binds it.
    fn number(&self) -> Option<u64>;

    /// Checks that the header is of the chain of that CAIP-2 name, where its bytes name a chain.
    fn check_chain(&self, caip2: &str) -> Result<(), LedgerError>;

    /// Root of the tree of transactions, where the ledger has one.
    fn transactions_root(&self) -> Option<Hash>;

    /// Root of the tree of receipts, where the ledger has one.
    fn receipts_root(&self) -> Option<Hash>;

    /// Bloom of the addresses and topics of its events, where the ledger has one.
    fn logs_bloom(&self) -> Option<&Bloom>;
}

/// Level 1: what shows an entry of a block.
pub(crate) trait EntryForm: Sized {
    /// The ledger's header.
    type Header;

    /// Which positions of a statement such a proof binds.
    fn bound_indexes(subject: Subject) -> BoundIndexes;

    /// Whether the proof shows that the entry is in this very block of the chain; otherwise it shows
    /// that the entry is in the chain by this block.
    fn shows_block(&self, block: (ChainKey, BlockNumber), network: Network) -> bool;

    /// The parts that the subject needs are there.
    fn check_parts(&self, subject: Subject) -> Result<(), LedgerError>;

    /// The parts that are there.
    fn parts(&self) -> EntryParts;

    /// Shows the entry under the header's root or, without a header, under the root it leads to.
    fn check(&self, subject: Subject, header: Option<&Self::Header>) -> Result<Shown, LedgerError>;

    /// The binary form: `docs/protocol/files.md#the-proof-file`.
    fn encode(&self, out: &mut Vec<u8>);

    /// Reads the binary form; at least one of the parts is there.
    fn decode(
        subject: Subject,
        parts: EntryParts,
        reader: &mut Reader<'_>,
    ) -> Result<Self, MalformedEntry>;
}

/// The trees of a block, whole or what was kept of them.
pub(crate) trait BodyForm: Sized {
    /// The ledger's header.
    type Header;
    /// The ledger's proofs.
    type Entry;

    /// Which parts of the block it proves.
    fn extent(&self) -> Extent;

    /// Bytes of what it holds.
    fn byte_count(&self) -> usize;

    /// What of it proves the transactions at these positions, rising, and that there is none after the
    /// last of `tx_count`.
    fn keep(&self, tx_indexes: &[u32], tx_count: u32) -> Result<Self, CannotKeep>;

    /// Every transaction's leaf, where it holds them as they are.
    fn transaction_leaves(&self) -> Option<&[Vec<u8>]>;

    /// Every transaction's hash, where it holds them.
    fn transaction_hashes(&self) -> Option<&[Hash]>;

    /// Hash of the transaction at a position; `None` where there is none, or transactions are not held.
    /// [`BodyFault::NodeGone`] where it was not kept.
    fn transaction_hash(&self, tx_index: u32) -> Result<Option<Hash>, BodyFault>;

    /// How its events are counted over the whole block.
    fn event_offsets(&self) -> EventOffsets;

    /// Checks it against its header, and every kept one of its `tx_count` entries. Gives the number of
    /// entries checked.
    fn check(
        &self,
        header: &Self::Header,
        tx_count: u32,
        is_kept: &dyn Fn(u32) -> bool,
    ) -> Result<u64, BodyFault>;

    /// Level 1 of a subject; `None` for a block, which has none. The proof of an event has its
    /// transaction too `with_transaction`, where the ledger can leave it out.
    fn prove(
        &self,
        subject: Subject,
        with_transaction: bool,
    ) -> Result<Option<Self::Entry>, NoEntry>;

    /// The binary form, without the family's byte.
    fn encode(&self, out: &mut Vec<u8>);

    /// Reads the binary form. It holds no more than the bytes, whatever they claim.
    fn decode(reader: &mut Reader<'_>) -> Option<Self>;
}
