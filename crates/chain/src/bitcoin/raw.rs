//! What nodes of the Bitcoin family send: the bytes of `getblock` with verbosity 0, or those of
//! `getblockheader`.

use superroot_types::{BlockNumber, Hash};

/// Largest block, in bytes: it weighs at most 4,000,000 units, and a byte at least one (BIP 141).
pub const BLOCK_BYTES_MAX: usize = 4_000_000;

/// A block as a node gave it, before anything is believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawBitcoinBlock {
    /// Number under which the node has it; the header names none.
    pub number: BlockNumber,
    /// Hash the node claims, internal byte order.
    pub hash: Hash,
    /// The header's 80 bytes, and the transactions behind it where they were sent. Those may be
    /// with or without witnesses.
    pub bytes: Vec<u8>,
}
