//! Ledger interface: a header, a body and its proofs.
//!
//! `Header`, the block body and `EntryProof` have a variant per ledger and forward each call. No method has a default:
//! a ledger must declare a missing feature.

use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Hash, Network};

use super::body::{BodyFault, CannotKeep, EventOffsets, Extent, NoEntry};
use super::entry::{EntryParts, MalformedEntry};
use super::error::LedgerError;
use super::evm::Bloom;
use super::shown::ShownFacts;
use super::subject::{BoundIndexes, ProofSubject};
use crate::codec::ByteReader;
use crate::registry::HashRule;

pub(crate) trait HeaderForm: Sized {
    /// Reads a whole header by a family rule's layout.
    fn decode(rule: HashRule, bytes: &[u8]) -> Result<Self, LedgerError>;

    /// Block hash by a family rule, over bytes already read by [`HeaderForm::decode`].
    fn hash(rule: HashRule, bytes: &[u8]) -> Result<Hash, LedgerError>;

    /// Parent block hash, if bound by the block hash.
    fn parent_hash(&self) -> Option<Hash>;

    /// Producer's Unix seconds, if bound by the hash.
    fn timestamp(&self) -> Option<u64>;

    fn number(&self) -> Option<u64>;

    fn check_chain(&self, caip2: &str) -> Result<(), LedgerError>;

    fn transactions_root(&self) -> Option<Hash>;

    fn receipts_root(&self) -> Option<Hash>;

    fn logs_bloom(&self) -> Option<&Bloom>;
}

pub(crate) trait EntryForm: Sized {
    type Header;

    /// Statement positions bound by the proof.
    fn bound_indexes(subject: ProofSubject) -> BoundIndexes;

    /// Whether the entry is proven in exactly this block; if not, only in the chain by this block.
    fn shows_block(&self, block: (ChainKey, BlockNumber), network: Network) -> bool;

    fn check_parts(&self, subject: ProofSubject) -> Result<(), LedgerError>;

    fn parts(&self) -> EntryParts;

    /// Shows the entry under the header's root or, without a header, under its computed root.
    fn check(
        &self,
        subject: ProofSubject,
        header: Option<&Self::Header>,
    ) -> Result<ShownFacts, LedgerError>;

    fn encode(&self, out: &mut Vec<u8>);

    /// Reads the binary form; at least a single part is present.
    fn decode(
        subject: ProofSubject,
        parts: EntryParts,
        reader: &mut ByteReader<'_>,
    ) -> Result<Self, MalformedEntry>;
}

/// Block trees, whole or reduced.
pub(crate) trait BodyForm: Sized {
    type Header;
    type Entry;

    fn extent(&self) -> Extent;

    fn byte_count(&self) -> usize;

    /// Reduces the body to proofs for the transactions at rising positions, and for the absence of any transaction past
    /// `tx_count`.
    fn keep(&self, tx_indexes: &[u32], tx_count: u32) -> Result<Self, CannotKeep>;

    fn transaction_leaves(&self) -> Option<&[Vec<u8>]>;

    fn transaction_hashes(&self) -> Option<&[Hash]>;

    /// Transaction hash at a position; `None` if absent or transactions are not stored; [`BodyFault::NodeGone`] if its
    /// node was dropped.
    fn transaction_hash(&self, tx_index: u32) -> Result<Option<Hash>, BodyFault>;

    /// Event count over the whole block.
    fn event_offsets(&self) -> EventOffsets;

    /// Checks the body and every stored entry out of `tx_count` against the header. Returns the number checked.
    fn check(
        &self,
        header: &Self::Header,
        tx_count: u32,
        is_kept: &dyn Fn(u32) -> bool,
    ) -> Result<u64, BodyFault>;

    /// Level 1 for a subject; `None` for a block. An event proof includes its transaction if `with_transaction`, or if
    /// the ledger needs the transaction.
    fn prove(
        &self,
        subject: ProofSubject,
        with_transaction: bool,
    ) -> Result<Option<Self::Entry>, NoEntry>;

    fn encode(&self, out: &mut Vec<u8>);

    /// Reads the binary form. Allocates no more than the input size, whatever the bytes claim.
    fn decode(reader: &mut ByteReader<'_>) -> Option<Self>;
}
