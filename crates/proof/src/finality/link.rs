//! From the evidence's block down to an earlier block.

use alloc::vec::Vec;

use superroot_types::{BlockNumber, Hash};

use super::Refusal;
use crate::codec::{ByteReader, put_long};
use crate::ledger::evm::{self, HistorySlot};
use crate::ledger::{self, Header};
use crate::registry::HashRule;

/// Most bytes of a link: 63 headers on Polkadot, with one that names validators by three keys each (68 kB for 600).
pub const LINK_BYTES_MAX: usize = 96 << 10;

/// Header of a link. The next is the parent, or an ancestor in the history contract of EIP-2935 in this block's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkHeader {
    /// Whole header.
    pub header: Vec<u8>,
    /// An ancestor's hash, instead of the parent's.
    pub ancestor: Option<HistorySlot>,
}

impl From<Vec<u8>> for LinkHeader {
    fn from(header: Vec<u8>) -> Self {
        Self { header, ancestor: None }
    }
}

/// Headers from the evidence's block downward; empty for evidence about the block itself:
/// `(length:u32 ‖ header ‖ (0:u32 ‖ length:u32 ‖ ancestor)?)*`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkHeaders {
    /// Newest first.
    pub headers: Vec<LinkHeader>,
}

impl FromIterator<Vec<u8>> for LinkHeaders {
    fn from_iter<I: IntoIterator<Item = Vec<u8>>>(headers: I) -> Self {
        Self { headers: headers.into_iter().map(LinkHeader::from).collect() }
    }
}

impl LinkHeaders {
    /// Bytes, for [`LinkHeaders::decode`].
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for LinkHeader { header, ancestor } in &self.headers {
            put_long(&mut out, header);
            if let Some(ancestor) = ancestor {
                put_long(&mut out, &[]);
                put_long(&mut out, &ancestor.encode());
            }
        }
        out
    }

    /// Reads a link up to [`LINK_BYTES_MAX`]; `None` if malformed.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        if bytes.len() > LINK_BYTES_MAX {
            return None;
        }
        let mut reader = ByteReader::new(bytes);
        let mut headers: Vec<LinkHeader> = Vec::new();
        while !reader.is_empty() {
            let header = reader.long()?;
            if header.is_empty() {
                let ancestor = HistorySlot::decode(reader.long()?)?;
                let last = headers.last_mut().filter(|last| last.ancestor.is_none())?;
                last.ancestor = Some(ancestor);
            } else {
                headers.push(LinkHeader::from(header.to_vec()));
            }
        }
        Some(Self { headers })
    }

    /// Number and hash below the lowest header, or the block itself without headers. `ring`: slots of the chain's history
    /// contract, 0 for none.
    ///
    /// # Errors
    /// [`Refusal::Link`] at the first header with a different hash or rule, or with an unproven ancestor.
    pub fn follow(
        &self,
        rule: HashRule,
        ring: u64,
        (number, hash): (BlockNumber, Hash),
    ) -> Result<(BlockNumber, Hash), Refusal> {
        let mut at = (number, hash);
        for (index, header) in self.headers.iter().enumerate() {
            at = below(rule, ring, header, at).ok_or(Refusal::Link { index })?;
        }
        Ok(at)
    }
}

/// Number and hash of the block under a header with this number and hash.
fn below(
    rule: HashRule,
    ring: u64,
    LinkHeader { header, ancestor }: &LinkHeader,
    (number, hash): (BlockNumber, Hash),
) -> Option<(BlockNumber, Hash)> {
    if ledger::block_hash(rule, header).ok()? != hash {
        return None;
    }
    let Some(ancestor) = ancestor else {
        let parent = Header::decode(rule, header).ok()?.parent_hash()?;
        return Some((BlockNumber(number.0.saturating_sub(1)), parent));
    };
    let HashRule::Evm(layout) = rule else { return None };
    let header = evm::Header::decode(layout, header).ok()?;
    // the ring is read by number, so the number has to be the header's own
    let hash = ancestor.hash(ring, number, &header.state_root);
    Some((ancestor.number, hash.filter(|_| header.number == number.0)?))
}
