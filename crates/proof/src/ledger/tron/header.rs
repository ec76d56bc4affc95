//! Headers under rule 0401: message `BlockHeader.raw`, as signed by the block producer.

use superroot_types::Hash;

use super::fields::{TronFieldValue, TronFields};
use crate::hash::sha256_joined;
use crate::ledger::LedgerError;
use crate::ledger::evm::Bloom;
use crate::ledger::form::HeaderForm;
use crate::registry::HashRule;

/// Longest header: usually about 105 bytes, but a producer could add unread fields.
pub const HEADER_BYTES_MAX: usize = 4096;

const SECOND_MS: u64 = 1000;

/// Header read from its hashed bytes. Additional fields are not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Milliseconds since 1970, below 2^63.
    pub timestamp_ms: u64,
    /// Transaction tree root; zeros for an empty block.
    pub tx_trie_root: Hash,
    /// Parent block id; any 32 bytes in the first block.
    pub parent_hash: Hash,
    /// Block number, below 2^63.
    pub number: u64,
    /// Producer: 0x41 and 20 bytes, except in the first block.
    pub witness_address: alloc::vec::Vec<u8>,
    /// Producer's software version; 0 if absent.
    pub version: u64,
}

impl Header {
    /// Reads a whole header.
    ///
    /// # Errors
    /// [`LedgerError::Field`] naming the first duplicate field, wrong kind, or missing field always written by nodes.
    pub fn decode(bytes: &[u8]) -> Result<Self, LedgerError> {
        if bytes.len() > HEADER_BYTES_MAX {
            return Err(LedgerError::Field { field: "header length" });
        }
        let mut timestamp = None;
        let mut number = None;
        let mut version = None;
        let mut root = None;
        let mut parent = None;
        let mut witness = None;
        for field in TronFields::of(bytes) {
            match field.ok_or(LedgerError::Field { field: "header" })? {
                (1, value) => once(&mut timestamp, positive(value), "timestamp")?,
                (2, value) => once(&mut root, hash(value), "txTrieRoot")?,
                (3, value) => once(&mut parent, hash(value), "parentHash")?,
                (7, value) => once(&mut number, positive(value), "number")?,
                (9, value) => once(&mut witness, bytes_of(value), "witness_address")?,
                (10, value) => once(&mut version, varint(value), "version")?,
                _ => {}
            }
        }
        Ok(Self {
            timestamp_ms: timestamp.unwrap_or(0),
            tx_trie_root: root.ok_or(LedgerError::Field { field: "txTrieRoot" })?,
            parent_hash: parent.ok_or(LedgerError::Field { field: "parentHash" })?,
            number: number.unwrap_or(0),
            witness_address: witness.unwrap_or_default().to_vec(),
            version: version.unwrap_or(0),
        })
    }

    /// Block id from the bytes and their block number: `number:u64 ‖ sha256(bytes)[8..32]`.
    #[must_use]
    pub fn id(number: u64, bytes: &[u8]) -> Hash {
        let mut id = sha256_joined(&[bytes]);
        for (place, byte) in id.0.iter_mut().zip(number.to_be_bytes()) {
            *place = byte;
        }
        id
    }
}

/// Stores a field's value, unless present already or a wrong kind.
fn once<T>(
    place: &mut Option<T>,
    value: Option<T>,
    field: &'static str,
) -> Result<(), LedgerError> {
    let is_first = place.is_none();
    *place = Some(value.filter(|_| is_first).ok_or(LedgerError::Field { field })?);
    Ok(())
}

fn varint(value: TronFieldValue<'_>) -> Option<u64> {
    match value {
        TronFieldValue::Varint(value) => Some(value),
        TronFieldValue::Bytes(_) | TronFieldValue::Other => None,
    }
}

/// Signed integer above 0: nodes never write an absent field's value.
fn positive(value: TronFieldValue<'_>) -> Option<u64> {
    varint(value).filter(|value| (1..1 << 63).contains(value))
}

fn bytes_of(value: TronFieldValue<'_>) -> Option<&[u8]> {
    match value {
        TronFieldValue::Bytes(bytes) => Some(bytes),
        TronFieldValue::Varint(_) | TronFieldValue::Other => None,
    }
}

fn hash(value: TronFieldValue<'_>) -> Option<Hash> {
    bytes_of(value)?.try_into().ok().map(Hash)
}

impl HeaderForm for Header {
    fn decode(_: HashRule, bytes: &[u8]) -> Result<Self, LedgerError> {
        Self::decode(bytes)
    }

    fn hash(_: HashRule, bytes: &[u8]) -> Result<Hash, LedgerError> {
        Ok(Self::id(Self::decode(bytes)?.number, bytes))
    }

    fn parent_hash(&self) -> Option<Hash> {
        Some(self.parent_hash)
    }

    fn timestamp(&self) -> Option<u64> {
        self.timestamp_ms.checked_div(SECOND_MS)
    }

    fn number(&self) -> Option<u64> {
        Some(self.number)
    }

    fn check_chain(&self, _: &str) -> Result<(), LedgerError> {
        Ok(())
    }

    fn transactions_root(&self) -> Option<Hash> {
        Some(self.tx_trie_root)
    }

    fn receipts_root(&self) -> Option<Hash> {
        None
    }

    fn logs_bloom(&self) -> Option<&Bloom> {
        None
    }
}
