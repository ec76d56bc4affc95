//! Whole block, for proof generation.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::TX_COUNT;
use super::entry::BlockLeaf;
use super::header::Header;
use super::identity::transaction_hash;
use crate::codec::{ByteReader, put_long};
use crate::ledger::whole::WholeBody;
use crate::ledger::{LedgerError, NoEntry, ProofSubject};

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

impl WholeBody for EncodedBlock {
    type Header = Header;
    type Entry = BlockLeaf;

    fn has_events(&self) -> bool {
        false
    }

    fn byte_count(&self) -> usize {
        self.block.len()
    }

    fn leaves(&self) -> &[Vec<u8>] {
        &self.leaves
    }

    fn hashes(&self) -> &[Hash] {
        &self.hashes
    }

    fn is_under(&self, header: &Header) -> bool {
        self.hash == header.hash
    }

    fn prove(&self, subject: ProofSubject, _: bool) -> Result<Option<BlockLeaf>, NoEntry> {
        subject.check_count(TX_COUNT)?;
        match subject {
            ProofSubject::Block => return Ok(None),
            ProofSubject::Log { log_index, .. } => {
                NoEntry::check_event(log_index, 1, "operation", "transaction")?;
            }
            ProofSubject::Transaction { .. } | ProofSubject::Absence { .. } => {}
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
