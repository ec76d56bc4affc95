//! Evidence about a block, for all kinds.

use alloc::vec::Vec;

use superroot_types::{BlockNumber, Hash};

use super::rules::SignedPlace;
use super::{FinalityKind, FinalityParams, FinalitySet};
use crate::codec::{ByteReader, put_long};

/// Most bytes of evidence.
pub const EVIDENCE_BYTES_MAX: usize = 128 << 10;

/// Finality evidence for a block: `kind:u8 ‖ length:u32 ‖ number:u64 ‖ hash:32 ‖ body`; the length covers all after the length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsensusEvidence {
    /// Kind.
    pub kind: FinalityKind,
    /// Block's number. Some kinds do not bind the number: [`FinalityKind::binds_number`].
    pub number: BlockNumber,
    /// Block's hash.
    pub hash: Hash,
    /// Signed content, by kind.
    pub body: Vec<u8>,
}

impl ConsensusEvidence {
    /// Signing set's number, unchecked, for servers.
    #[must_use]
    pub fn signer(&self, params: &FinalityParams) -> Option<u64> {
        FinalitySet::signer_of(params, self.number, &self.body)
    }

    /// Bound place of the block; `None` without one, or for a malformed body.
    #[must_use]
    pub fn place(&self, params: &FinalityParams) -> Option<SignedPlace> {
        FinalitySet::place_of(params, self.number, &self.body)
    }

    /// Bytes, for [`ConsensusEvidence::decode`].
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut rest = Vec::new();
        rest.extend_from_slice(&self.number.0.to_be_bytes());
        rest.extend_from_slice(&self.hash.0);
        rest.extend_from_slice(&self.body);
        let mut out = Vec::from([self.kind.byte()]);
        put_long(&mut out, &rest);
        out
    }

    /// Reads evidence up to [`EVIDENCE_BYTES_MAX`]; `None` if malformed. Nothing is checked yet.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        if bytes.len() > EVIDENCE_BYTES_MAX {
            return None;
        }
        let mut reader = ByteReader::new(bytes);
        let kind = FinalityKind::of_byte(reader.u8()?)?;
        let mut rest = ByteReader::new(reader.long().filter(|_| reader.is_empty())?);
        let number = BlockNumber(rest.u64()?);
        let hash = rest.hash()?;
        let body = rest.bytes(rest.len())?.to_vec();
        Some(Self { kind, number, hash, body })
    }
}
