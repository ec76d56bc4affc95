//! Headers of rule 0401: the message `BlockHeader.raw`, as the block's producer signs it.

use superroot_types::Hash;

use super::fields::{Fields, Value};
use crate::hash::sha256_joined;
use crate::ledger::LedgerError;
use crate::ledger::evm::Bloom;
use crate::ledger::form::HeaderForm;
use crate::registry::Rule;

/// Longest header: it has some 105 bytes, and a producer could add fields that nobody reads.
pub const HEADER_BYTES_MAX: usize = 4096;

/// Milliseconds of a second.
const SECOND_MS: u64 = 1000;

/// A header, read from the bytes of which its hash is made. Fields that it has besides are not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Milliseconds since 1970, below 2^63.
    pub timestamp_ms: u64,
    /// Root of the tree of transactions; zeros of a block without any.
    pub tx_trie_root: Hash,
    /// Block id of the block before; of the first block any 32 bytes.
    pub parent_hash: Hash,
    /// Number, below 2^63.
    pub number: u64,
    /// Producer: 0x41 and 20 bytes, but in the first block.
    pub witness_address: alloc::vec::Vec<u8>,
    /// Version of the producer's software; 0 where there is none.
    pub version: u64,
}

impl Header {
    /// Reads a header, whole.
    ///
    /// # Errors
    /// [`LedgerError::Field`] naming the first field that is there twice, of another kind than the
    /// layout says, or missing where a node always writes it.
    pub fn decode(bytes: &[u8]) -> Result<Self, LedgerError> {
        if bytes.len() > HEADER_BYTES_MAX {
            return Err(LedgerError::Field { field: "header length" });
        }
        let (mut timestamp, mut number, mut version) = (None, None, None);
        let (mut root, mut parent, mut witness) = (None, None, None);
        for field in Fields::of(bytes) {
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

    /// Block id of these bytes, which have that number: `number:u64 ‖ sha256(bytes)[8..32]`.
    #[must_use]
    pub fn id(number: u64, bytes: &[u8]) -> Hash {
        let mut id = sha256_joined(&[bytes]);
        for (place, byte) in id.0.iter_mut().zip(number.to_be_bytes()) {
            *place = byte;
        }
        id
    }
}

/// Keeps a field's value, unless there was one or it is not of its kind.
fn once<T>(
    place: &mut Option<T>,
    value: Option<T>,
    field: &'static str,
) -> Result<(), LedgerError> {
    let is_first = place.is_none();
    *place = Some(value.filter(|_| is_first).ok_or(LedgerError::Field { field })?);
    Ok(())
}

fn varint(value: Value<'_>) -> Option<u64> {
    match value {
        Value::Varint(value) => Some(value),
        Value::Bytes(_) | Value::Other => None,
    }
}

/// A signed integer above 0: what a node writes is never the value of a field that is not there.
fn positive(value: Value<'_>) -> Option<u64> {
    varint(value).filter(|value| (1..1 << 63).contains(value))
}

fn bytes_of(value: Value<'_>) -> Option<&[u8]> {
    match value {
        Value::Bytes(bytes) => Some(bytes),
        Value::Varint(_) | Value::Other => None,
    }
}

fn hash(value: Value<'_>) -> Option<Hash> {
    bytes_of(value)?.try_into().ok().map(Hash)
}

impl HeaderForm for Header {
    fn decode(_: Rule, bytes: &[u8]) -> Result<Self, LedgerError> {
        Self::decode(bytes)
    }

    fn hash(_: Rule, bytes: &[u8]) -> Result<Hash, LedgerError> {
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
