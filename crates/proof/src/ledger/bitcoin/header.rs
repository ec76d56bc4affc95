//! Headers under rule 0101: `version:4 ‖ previous:32 ‖ merkle_root:32 ‖ time:4 ‖ bits:4 ‖ nonce:4`, integers
//! little-endian.

use superroot_types::Hash;

use crate::hash::sha256d;
use crate::ledger::LedgerError;
use crate::ledger::evm::Bloom;
use crate::ledger::form::HeaderForm;
use crate::registry::HashRule;

/// Header length in bytes.
pub const HEADER_BYTES: usize = 80;

/// Header from the 80 bytes hashed by sha256d to the block hash; names no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Version bits.
    pub version: i32,
    /// Parent block hash, internal byte order.
    pub parent_hash: Hash,
    /// Transaction hash tree root.
    pub merkle_root: Hash,
    /// Unix seconds as claimed by the miner.
    pub time: u32,
    /// Compact proof-of-work target.
    pub bits: u32,
    /// Proof-of-work nonce.
    pub nonce: u32,
}

impl Header {
    /// Reads exactly [`HEADER_BYTES`].
    ///
    /// # Errors
    /// [`LedgerError::Field`] if shorter, [`LedgerError::Trailing`] if longer.
    pub fn decode(bytes: &[u8]) -> Result<Self, LedgerError> {
        let mut reader = super::transaction::BitcoinFields::new(bytes);
        let version = reader.u32("version")?;
        let header = Self {
            version: i32::from_le_bytes(version.to_le_bytes()),
            parent_hash: reader.hash("previousblockhash")?,
            merkle_root: reader.hash("merkleroot")?,
            time: reader.u32("time")?,
            bits: reader.u32("bits")?,
            nonce: reader.u32("nonce")?,
        };
        reader.end("header")?;
        Ok(header)
    }

    /// Header bytes, 80.
    #[must_use]
    pub fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        let parts: [&[u8]; 6] = [
            &self.version.to_le_bytes(),
            &self.parent_hash.0,
            &self.merkle_root.0,
            &self.time.to_le_bytes(),
            &self.bits.to_le_bytes(),
            &self.nonce.to_le_bytes(),
        ];
        for (place, byte) in bytes.iter_mut().zip(parts.into_iter().flatten()) {
            *place = *byte;
        }
        bytes
    }

    /// Block hash, internal byte order.
    #[must_use]
    pub fn hash(&self) -> Hash {
        sha256d(&[&self.encode()])
    }
}

impl HeaderForm for Header {
    fn decode(_: HashRule, bytes: &[u8]) -> Result<Self, LedgerError> {
        Self::decode(bytes)
    }

    fn hash(_: HashRule, bytes: &[u8]) -> Result<Hash, LedgerError> {
        Ok(sha256d(&[bytes]))
    }

    fn parent_hash(&self) -> Option<Hash> {
        Some(self.parent_hash)
    }

    fn timestamp(&self) -> Option<u64> {
        Some(self.time.into())
    }

    fn number(&self) -> Option<u64> {
        None
    }

    fn check_chain(&self, _: &str) -> Result<(), LedgerError> {
        Ok(())
    }

    fn transactions_root(&self) -> Option<Hash> {
        Some(self.merkle_root)
    }

    fn receipts_root(&self) -> Option<Hash> {
        None
    }

    fn logs_bloom(&self) -> Option<&Bloom> {
        None
    }
}
