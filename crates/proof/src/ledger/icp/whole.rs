//! Whole block, for proof generation.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::TX_COUNT;
use super::entry::BlockLeaf;
use super::header::Header;
use super::identity::transaction_hash;
use crate::codec::{ByteReader, put_long};
use crate::ledger::form::BodyForm;
use crate::ledger::{
    BodyFault, CannotKeep, EventOffsets, Extent, LedgerError, NoEntry, ProofSubject,
};

/// Encoded block with its header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedBlock {
    block: Vec<u8>,
    hash: Hash,
    leaves: [Vec<u8>; 1],
    hashes: [Hash; 1],
}

impl EncodedBlock {
    /// Block read and hashed here.
    ///
    /// # Errors
    /// As [`Header::decode`].
    pub fn build(block: Vec<u8>) -> Result<Self, LedgerError> {
        let header = Header::decode(&block)?;
        Ok(Self::of(block, header))
    }

    pub(super) fn of(block: Vec<u8>, header: Header) -> Self {
        let hashes = [transaction_hash(&header.transaction)];
        Self { block, hash: header.hash, leaves: [header.raw_transaction], hashes }
    }

    /// Block hash.
    #[must_use]
    pub const fn hash(&self) -> Hash {
        self.hash
    }
}

impl Header {
    /// Reads an encoded block as header and body.
    ///
    /// # Errors
    /// As [`Header::decode`].
    pub fn decode_whole(block: &[u8]) -> Result<(Self, EncodedBlock), LedgerError> {
        let header = Self::decode(block)?;
        let body = EncodedBlock::of(block.to_vec(), header.clone());
        Ok((header, body))
    }
}

impl BodyForm for EncodedBlock {
    type Header = Header;
    type Entry = BlockLeaf;

    fn extent(&self) -> Extent {
        Extent { transactions: true, receipts: false }
    }

    fn byte_count(&self) -> usize {
        self.block.len()
    }

    fn keep(&self, _: &[u32], _: u32) -> Result<Self, CannotKeep> {
        Err(CannotKeep::WholeOnly)
    }

    fn transaction_leaves(&self) -> Option<&[Vec<u8>]> {
        Some(&self.leaves)
    }

    fn transaction_hashes(&self) -> Option<&[Hash]> {
        Some(&self.hashes)
    }

    fn transaction_hash(&self, tx_index: u32) -> Result<Option<Hash>, BodyFault> {
        Ok(usize::try_from(tx_index).ok().and_then(|at| self.hashes.get(at)).copied())
    }

    fn event_offsets(&self) -> EventOffsets {
        EventOffsets::Uncounted
    }

    fn check(
        &self,
        header: &Header,
        tx_count: u32,
        _: &dyn Fn(u32) -> bool,
    ) -> Result<u64, BodyFault> {
        if self.hash == header.hash && tx_count == TX_COUNT {
            return Ok(u64::from(TX_COUNT));
        }
        Err(BodyFault::OtherHeader)
    }

    fn prove(&self, subject: ProofSubject, _: bool) -> Result<Option<BlockLeaf>, NoEntry> {
        match subject {
            ProofSubject::Block => return Ok(None),
            ProofSubject::Transaction { tx_index } | ProofSubject::Log { tx_index, .. }
                if tx_index >= TX_COUNT =>
            {
                return Err(NoEntry::NoTransaction { tx_index });
            }
            ProofSubject::Absence { tx_index } if tx_index < TX_COUNT => {
                return Err(NoEntry::Present { tx_index });
            }
            ProofSubject::Log { log_index, .. } if log_index > 0 => {
                let noun = "operation";
                let whole = "transaction";
                return Err(NoEntry::EventIndex { noun, whole, log_index, count: 1, meant: None });
            }
            ProofSubject::Transaction { .. }
            | ProofSubject::Log { .. }
            | ProofSubject::Absence { .. } => {}
        }
        Ok(Some(BlockLeaf { block: self.block.clone() }))
    }

    /// `length:u32 ‖ block`.
    fn encode(&self, out: &mut Vec<u8>) {
        put_long(out, &self.block);
    }

    fn decode(reader: &mut ByteReader<'_>) -> Option<Self> {
        Self::build(reader.long()?.to_vec()).ok()
    }
}
