//! Headers under rule 0301, in SCALE: `parent:32 ‖ number:compact ‖ state_root:32 ‖ extrinsics_root:32 ‖ digest`.
//!
//! The digest is a list: compact length, then items with a kind byte and the kind's content.
//!
//! ```text
//! 0 other            bytes                4 consensus   engine:4 ‖ bytes
//! 2 changes trie     root:32              5 seal        engine:4 ‖ bytes
//! 8 runtime changed  nothing              6 pre-runtime engine:4 ‖ bytes
//! ```
//! Source: paritytech/polkadot-sdk `sp-runtime` `generic/header.rs`, `generic/digest.rs`.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::scale::{compact, read_bytes, read_compact};
use crate::codec::ByteReader;
use crate::hash::blake2b_256;
use crate::ledger::LedgerError;
use crate::ledger::evm::Bloom;
use crate::ledger::form::HeaderForm;
use crate::registry::HashRule;

/// Longest header, in bytes: a digest may name the next validators, some forty bytes each.
pub const HEADER_BYTES_MAX: usize = 1 << 20;

/// Header from the SCALE bytes hashed by BLAKE2b-256 to the block hash; names no time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Parent block hash; zeros in block 0.
    pub parent_hash: Hash,
    /// Block number.
    pub number: u64,
    /// State trie root after the block.
    pub state_root: Hash,
    /// Block extrinsics trie root.
    pub extrinsics_root: Hash,
    /// Digest items, each in SCALE.
    pub digest: Vec<Vec<u8>>,
}

impl Header {
    /// Reads a whole header.
    ///
    /// # Errors
    /// [`LedgerError::Field`] naming a truncated, out-of-bounds or unknown item, [`LedgerError::Trailing`].
    pub fn decode(bytes: &[u8]) -> Result<Self, LedgerError> {
        if bytes.len() > HEADER_BYTES_MAX {
            return Err(LedgerError::Field { field: "header length" });
        }
        let mut reader = ByteReader::new(bytes);
        let header = Self::read(&mut reader)?;
        if !reader.is_empty() {
            return Err(LedgerError::Trailing { what: "header" });
        }
        Ok(header)
    }

    /// Reads a header at the begin of longer bytes.
    pub(super) fn read(reader: &mut ByteReader<'_>) -> Result<Self, LedgerError> {
        let field = |field| LedgerError::Field { field };
        let parent_hash = reader.hash().ok_or(field("parentHash"))?;
        let number = read_compact(reader).ok_or(field("number"))?;
        let state_root = reader.hash().ok_or(field("stateRoot"))?;
        let extrinsics_root = reader.hash().ok_or(field("extrinsicsRoot"))?;
        let count = read_compact(reader).ok_or(field("digest"))?;
        let mut digest = Vec::new(); // grows with what is really there, not with what is claimed
        for _ in 0..count {
            digest.push(digest_item(reader).ok_or(field("digest"))?.to_vec());
        }
        Ok(Self { parent_hash, number, state_root, extrinsics_root, digest })
    }

    /// SCALE bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = self.parent_hash.0.to_vec();
        out.extend(compact(self.number));
        out.extend_from_slice(&self.state_root.0);
        out.extend_from_slice(&self.extrinsics_root.0);
        out.extend(compact(u64::try_from(self.digest.len()).unwrap_or(u64::MAX)));
        self.digest.iter().for_each(|item| out.extend_from_slice(item));
        out
    }

    /// Block hash.
    #[must_use]
    pub fn hash(&self) -> Hash {
        blake2b_256(&self.encode())
    }
}

/// Whether the bytes are exactly a single digest item.
#[must_use]
pub fn is_digest_item(bytes: &[u8]) -> bool {
    let mut reader = ByteReader::new(bytes);
    digest_item(&mut reader).is_some() && reader.is_empty()
}

fn digest_item<'a>(reader: &mut ByteReader<'a>) -> Option<&'a [u8]> {
    let mut ahead = reader.clone();
    match ahead.u8()? {
        0 => drop(read_bytes(&mut ahead)?),
        2 => drop(ahead.hash()?),
        4..=6 => {
            ahead.bytes(4)?;
            read_bytes(&mut ahead)?;
        }
        8 => {}
        _ => return None,
    }
    reader.bytes(reader.len().checked_sub(ahead.len())?)
}

impl HeaderForm for Header {
    fn decode(_: HashRule, bytes: &[u8]) -> Result<Self, LedgerError> {
        Self::decode(bytes)
    }

    fn hash(_: HashRule, bytes: &[u8]) -> Result<Hash, LedgerError> {
        Ok(blake2b_256(bytes))
    }

    fn parent_hash(&self) -> Option<Hash> {
        Some(self.parent_hash)
    }

    fn timestamp(&self) -> Option<u64> {
        None
    }

    fn number(&self) -> Option<u64> {
        Some(self.number)
    }

    fn check_chain(&self, _: &str) -> Result<(), LedgerError> {
        Ok(())
    }

    fn transactions_root(&self) -> Option<Hash> {
        Some(self.extrinsics_root)
    }

    fn receipts_root(&self) -> Option<Hash> {
        None
    }

    fn logs_bloom(&self) -> Option<&Bloom> {
        None
    }
}
