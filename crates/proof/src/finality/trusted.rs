//! A trusted set in a client's file.

use alloc::vec::Vec;

use superroot_types::{ChainId, ChainKey, Family, Hash, UnixSeconds};

use super::{FinalityKind, FinalityParams, FinalitySet, Refusal};
use crate::codec::{ByteReader, put_long};

const MAGIC: &[u8; 7] = b"SRTRUST";
const FORMAT: u8 = 1;

/// Trusted set: `"SRTRUST" ‖ 01 ‖ family:u8 ‖ chain_id:u64 ‖ kind:u8 ‖ pinned_at:u64 ‖ pin:32 ‖ id:32 ‖ length:u32 ‖ set`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedSet {
    /// Chain.
    pub chain: ChainKey,
    /// Kind.
    pub kind: FinalityKind,
    /// Pin time.
    pub pinned_at: UnixSeconds,
    /// Pinned id.
    pub pin: Hash,
    /// This set's id, which steps lead to from the first.
    pub id: Hash,
    /// This set's bytes.
    pub set: Vec<u8>,
}

impl TrustedSet {
    /// Bytes, for [`TrustedSet::decode`].
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::from(*MAGIC);
        out.push(FORMAT);
        out.push(self.chain.family.byte());
        out.extend_from_slice(&self.chain.id.0.to_be_bytes());
        out.push(self.kind.byte());
        out.extend_from_slice(&self.pinned_at.0.to_be_bytes());
        out.extend_from_slice(&self.pin.0);
        out.extend_from_slice(&self.id.0);
        put_long(&mut out, &self.set);
        out
    }

    /// Reads the bytes; `None` if malformed.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = ByteReader::new(bytes);
        let is_one = reader.bytes(MAGIC.len()) == Some(MAGIC) && reader.u8() == Some(FORMAT);
        let family = Family::try_from(reader.u8().filter(|_| is_one)?).ok()?;
        let chain = ChainKey { family, id: ChainId(reader.u64()?) };
        let kind = FinalityKind::of_byte(reader.u8()?)?;
        let pinned_at = UnixSeconds(reader.u64()?);
        let pin = reader.hash()?;
        let id = reader.hash()?;
        let set = reader.long().filter(|_| reader.is_empty())?.to_vec();
        Some(Self { chain, kind, pinned_at, pin, id, set })
    }

    /// Reads the set itself.
    ///
    /// # Errors
    /// [`Refusal::Root`] for a different id; [`Refusal::Kind`]; refusals by kind.
    pub fn read(&self, params: &FinalityParams) -> Result<FinalitySet, Refusal> {
        if params.kind() != self.kind {
            return Err(Refusal::Kind);
        }
        let set = FinalitySet::decode(params, &self.set)?;
        if set.id() == self.id { Ok(set) } else { Err(Refusal::Root) }
    }
}
