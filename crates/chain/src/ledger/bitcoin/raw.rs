//! Bitcoin node data: bytes of `getblock` with verbosity 0, or of `getblockheader`.

use superroot_types::{BlockNumber, Hash};

/// Largest block in bytes: weight is at most 4,000,000 units, at least one per byte (BIP 141).
pub const BLOCK_BYTES_MAX: usize = 4_000_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawBitcoinBlock {
    /// Number under which the node stores the block; the header has no number.
    pub number: BlockNumber,
    /// Claimed hash, internal byte order.
    pub hash: Hash,
    /// 80 header bytes, followed by transactions if sent, with or without witnesses.
    pub bytes: Vec<u8>,
}

impl RawBitcoinBlock {
    /// Header alone.
    pub(crate) fn with_fewer_parts(&self) -> Option<Self> {
        let header = self.bytes.get(..superroot_proof::ledger::bitcoin::HEADER_BYTES)?;
        Some(Self { number: self.number, hash: self.hash, bytes: header.to_vec() })
    }
}
