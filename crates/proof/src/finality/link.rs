//! From the evidence's block down to an earlier block.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::Refusal;
use crate::codec::{ByteReader, put_long};
use crate::ledger::{self, Header};
use crate::registry::HashRule;

/// Most bytes of a link.
pub const LINK_BYTES_MAX: usize = 64 << 10;

/// Headers by parent hash, from the evidence's block downward; empty for evidence about the block itself:
/// `(length:u32 ‖ header)*`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkHeaders {
    /// Whole headers, newest first.
    pub headers: Vec<Vec<u8>>,
}

impl LinkHeaders {
    /// Bytes, for [`LinkHeaders::decode`].
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.headers.iter().for_each(|header| put_long(&mut out, header));
        out
    }

    /// Reads a link up to [`LINK_BYTES_MAX`]; `None` if malformed.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        if bytes.len() > LINK_BYTES_MAX {
            return None;
        }
        let mut reader = ByteReader::new(bytes);
        let mut headers = Vec::new();
        while !reader.is_empty() {
            headers.push(reader.long()?.to_vec());
        }
        Some(Self { headers })
    }

    /// The lowest header's parent hash, or `hash` itself without headers.
    ///
    /// # Errors
    /// [`Refusal::Link`] at the first header with a different hash or rule.
    pub fn follow(&self, rule: HashRule, hash: Hash) -> Result<Hash, Refusal> {
        let mut at = hash;
        for (index, header) in self.headers.iter().enumerate() {
            let is_it = ledger::block_hash(rule, header).is_ok_and(|got| got == at);
            let parent = Header::decode(rule, header).ok().filter(|_| is_it);
            at = parent.and_then(|header| header.parent_hash()).ok_or(Refusal::Link { index })?;
        }
        Ok(at)
    }
}
