//! GRANDPA justifications as nodes send them, in SCALE. Sources: paritytech/polkadot-sdk `sp-consensus-grandpa` `lib.rs`
//! (`GrandpaJustification`), `sc-consensus-grandpa` `finality_proof.rs` (`FinalityProof`); paritytech/finality-grandpa
//! `lib.rs` (`Commit`).

use alloc::vec::Vec;

use superroot_types::Hash;

use super::grandpa::{AUTHORITY_KEY_BYTES, little_endian};
use super::header::Header;
use super::scale::{compact, read_bytes, read_compact};
use crate::codec::ByteReader;

/// Votes for a block: `round:8 ‖ hash:32 ‖ number:4 ‖ count ‖ (hash:32 ‖ number:4 ‖ signature:64 ‖ key:32)* ‖ count ‖
/// header*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrandpaJustification {
    /// Round.
    pub round: u64,
    /// Hash of the final block.
    pub hash: Hash,
    /// Number of the final block.
    pub number: u32,
    /// Votes for the block or descendants.
    pub precommits: Vec<GrandpaPrecommit>,
    /// Headers of voted descendants and between, in any order.
    pub ancestries: Vec<Header>,
}

/// Signed vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrandpaPrecommit {
    /// Voted block.
    pub hash: Hash,
    /// The voted block's number.
    pub number: u32,
    /// Ed25519 signature.
    pub signature: [u8; 64],
    /// Authority's key.
    pub key: [u8; AUTHORITY_KEY_BYTES],
}

/// Answer to `grandpa_proveFinality`: `hash:32 ‖ length ‖ justification ‖ count ‖ header*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrandpaFinalityProof {
    /// Justified block: the set's last one, or the newest.
    pub hash: Hash,
    /// Votes, in SCALE.
    pub justification: Vec<u8>,
    /// Headers behind the block in question, up to the justified block.
    pub headers: Vec<Header>,
}

impl GrandpaJustification {
    /// Reads a justification; `None` if malformed.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = ByteReader::new(bytes);
        let round = little_endian(&mut reader).map(u64::from_le_bytes)?;
        let hash = reader.hash()?;
        let number = little_endian(&mut reader).map(u32::from_le_bytes)?;
        let mut precommits = Vec::new(); // grows with what is really there, not with what is claimed
        for _ in 0..read_compact(&mut reader)? {
            precommits.push(GrandpaPrecommit {
                hash: reader.hash()?,
                number: little_endian(&mut reader).map(u32::from_le_bytes)?,
                signature: little_endian(&mut reader)?,
                key: little_endian(&mut reader)?,
            });
        }
        let ancestries = headers(&mut reader)?;
        reader.is_empty().then_some(Self { round, hash, number, precommits, ancestries })
    }

    /// Bytes, for [`GrandpaJustification::decode`].
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = self.round.to_le_bytes().to_vec();
        out.extend_from_slice(&self.hash.0);
        out.extend_from_slice(&self.number.to_le_bytes());
        put_count(&mut out, self.precommits.len());
        for GrandpaPrecommit { hash, number, signature, key } in &self.precommits {
            out.extend_from_slice(&hash.0);
            out.extend_from_slice(&number.to_le_bytes());
            out.extend_from_slice(signature);
            out.extend_from_slice(key);
        }
        put_headers(&mut out, &self.ancestries);
        out
    }
}

impl GrandpaFinalityProof {
    /// Reads an answer; `None` if malformed.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = ByteReader::new(bytes);
        let hash = reader.hash()?;
        let justification = read_bytes(&mut reader)?.to_vec();
        let headers = headers(&mut reader)?;
        reader.is_empty().then_some(Self { hash, justification, headers })
    }

    /// Bytes, for [`GrandpaFinalityProof::decode`].
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = self.hash.0.to_vec();
        put_count(&mut out, self.justification.len());
        out.extend_from_slice(&self.justification);
        put_headers(&mut out, &self.headers);
        out
    }
}

fn put_headers(out: &mut Vec<u8>, headers: &[Header]) {
    put_count(out, headers.len());
    headers.iter().for_each(|header| out.extend(header.encode()));
}

fn put_count(out: &mut Vec<u8>, count: usize) {
    out.extend(compact(u64::try_from(count).unwrap_or(u64::MAX)));
}

fn headers(reader: &mut ByteReader<'_>) -> Option<Vec<Header>> {
    let mut list = Vec::new();
    for _ in 0..read_compact(reader)? {
        list.push(Header::read(reader).ok()?);
    }
    Some(list)
}
