//! Bodies that hold every transaction of a block and are never reduced.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::body::{BodyFault, CannotKeep, EventOffsets, Extent, NoEntry};
use super::form::BodyForm;
use super::subject::ProofSubject;
use crate::codec::ByteReader;

/// Every transaction of a block with its hash, for ledgers with trees built from all leaves at once.
pub(crate) trait WholeBody: Sized {
    type Header;
    type Entry;

    fn has_events(&self) -> bool;

    fn byte_count(&self) -> usize;

    /// Leaves of the transactions in block order, with a hash each in [`WholeBody::hashes`].
    fn leaves(&self) -> &[Vec<u8>];

    fn hashes(&self) -> &[Hash];

    /// Whether the header commits to exactly this body.
    fn is_under(&self, header: &Self::Header) -> bool;

    /// As [`BodyForm::prove`].
    fn prove(
        &self,
        subject: ProofSubject,
        with_transaction: bool,
    ) -> Result<Option<Self::Entry>, NoEntry>;

    fn encode(&self, out: &mut Vec<u8>);

    /// As [`BodyForm::decode`].
    fn decode(reader: &mut ByteReader<'_>) -> Option<Self>;

    fn tx_count(&self) -> u32 {
        u32::try_from(self.leaves().len()).unwrap_or(u32::MAX)
    }

    fn hash_at(&self, tx_index: u32) -> Option<Hash> {
        self.hashes().get(usize::try_from(tx_index).ok()?).copied()
    }

    fn leaf_at(&self, tx_index: u32) -> Option<&Vec<u8>> {
        self.leaves().get(usize::try_from(tx_index).ok()?)
    }
}

impl<B: WholeBody> BodyForm for B {
    type Header = B::Header;
    type Entry = B::Entry;

    fn extent(&self) -> Extent {
        Extent { transactions: true, receipts: self.has_events() }
    }

    fn byte_count(&self) -> usize {
        WholeBody::byte_count(self)
    }

    fn keep(&self, _: &[u32], _: u32) -> Result<Self, CannotKeep> {
        Err(CannotKeep::WholeOnly)
    }

    fn transaction_leaves(&self) -> Option<&[Vec<u8>]> {
        Some(self.leaves())
    }

    fn transaction_hashes(&self) -> Option<&[Hash]> {
        Some(self.hashes())
    }

    fn transaction_hash(&self, tx_index: u32) -> Result<Option<Hash>, BodyFault> {
        Ok(self.hash_at(tx_index))
    }

    fn event_offsets(&self) -> EventOffsets {
        EventOffsets::Uncounted
    }

    fn check(
        &self,
        header: &B::Header,
        tx_count: u32,
        _: &dyn Fn(u32) -> bool,
    ) -> Result<u64, BodyFault> {
        if self.tx_count() == tx_count && self.is_under(header) {
            Ok(u64::from(tx_count))
        } else {
            Err(BodyFault::OtherHeader)
        }
    }

    fn prove(
        &self,
        subject: ProofSubject,
        with_transaction: bool,
    ) -> Result<Option<B::Entry>, NoEntry> {
        WholeBody::prove(self, subject, with_transaction)
    }

    fn encode(&self, out: &mut Vec<u8>) {
        WholeBody::encode(self, out);
    }

    fn decode(reader: &mut ByteReader<'_>) -> Option<Self> {
        <B as WholeBody>::decode(reader)
    }
}
