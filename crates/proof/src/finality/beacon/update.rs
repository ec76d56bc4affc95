//! Bytes of evidence and steps.
//!
//! ```text
//! signed     attested:112 ‖ finalized:112 ‖ finality branch ‖ bits ‖ signature:96 ‖ signature_slot:u64
//! evidence   signed ‖ block_hash:32 ‖ block branch
//! step       signed ‖ committee ‖ committee branch
//! header     slot ‖ proposer_index ‖ parent_root:32 ‖ state_root:32 ‖ body_root:32     the numbers little-endian, as SSZ
//! branch     sibling:32*       as many as the index at the header's fork says
//! bits       one a member, the lowest first, members / 8 bytes
//! ```

use alloc::vec::Vec;

use superroot_types::Hash;

use super::params::BeaconParams;
use crate::codec::ByteReader;
use crate::finality::Refusal;
use crate::finality::bls::{KEY_BYTES, SIGNATURE_BYTES};
use crate::finality::ssz;

/// A beacon block's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeaconHeader {
    /// Slot.
    pub slot: u64,
    /// The proposer's index.
    pub proposer_index: u64,
    /// The parent's root.
    pub parent_root: Hash,
    /// Root of the state after the block.
    pub state_root: Hash,
    /// The body's root.
    pub body_root: Hash,
}

impl BeaconHeader {
    /// Root: the block's name on its chain.
    #[must_use]
    pub fn root(&self) -> Hash {
        let Self { slot, proposer_index, parent_root, state_root, body_root } = self;
        let numbers = [ssz::number(*slot), ssz::number(*proposer_index)];
        let leaves = numbers.into_iter().chain([*parent_root, *state_root, *body_root]);
        // eight leaves, of which three are zero
        ssz::root_of(leaves.chain([Hash::ZERO; 3]).collect())
    }

    fn read(reader: &mut ByteReader<'_>) -> Option<Self> {
        Some(Self {
            slot: reader.u64()?.swap_bytes(),
            proposer_index: reader.u64()?.swap_bytes(),
            parent_root: reader.hash()?,
            state_root: reader.hash()?,
            body_root: reader.hash()?,
        })
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.slot.to_le_bytes());
        out.extend_from_slice(&self.proposer_index.to_le_bytes());
        [self.parent_root, self.state_root, self.body_root]
            .iter()
            .for_each(|root| out.extend_from_slice(&root.0));
    }
}

/// Header that a committee signed, and the finalized header in its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedHeader {
    /// SetSignature header.
    pub attested: BeaconHeader,
    /// Finalized header.
    pub finalized: BeaconHeader,
    /// From the finalized header's root to the attested state.
    pub finality_branch: Vec<Hash>,
    /// Who signed, a bit a member, the lowest first.
    pub bits: Vec<u8>,
    /// Aggregate of their signatures.
    pub signature: [u8; SIGNATURE_BYTES],
    /// Slot of the block that has the signature.
    pub signature_slot: u64,
}

impl SignedHeader {
    fn read(params: &BeaconParams, reader: &mut ByteReader<'_>) -> Result<Self, Refusal> {
        let part = |part| Refusal::Encoding { part };
        let attested = BeaconHeader::read(reader).ok_or(part("attested header"))?;
        let finalized = BeaconHeader::read(reader).ok_or(part("finalized header"))?;
        let index = layout(params, attested.slot)?.finalized_root();
        let finality_branch = branch(reader, index).ok_or(part("finality branch"))?;
        let bits = reader.bytes(params.members.div_ceil(8)).ok_or(part("bits"))?.to_vec();
        let signature = reader.bytes(SIGNATURE_BYTES).and_then(|bytes| bytes.try_into().ok());
        let signature = signature.ok_or(part("signature"))?;
        let signature_slot = reader.u64().ok_or(part("signature slot"))?;
        Ok(Self { attested, finalized, finality_branch, bits, signature, signature_slot })
    }

    fn put(&self, out: &mut Vec<u8>) {
        self.attested.put(out);
        self.finalized.put(out);
        self.finality_branch.iter().for_each(|sibling| out.extend_from_slice(&sibling.0));
        out.extend_from_slice(&self.bits);
        out.extend_from_slice(&self.signature);
        out.extend_from_slice(&self.signature_slot.to_be_bytes());
    }
}

/// Evidence that an execution block is final.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BeaconEvidence {
    /// SetSignature header.
    pub signed: SignedHeader,
    /// The execution block's hash.
    pub block_hash: Hash,
    /// From the hash to the finalized header's body.
    pub block_branch: Vec<Hash>,
}

impl BeaconEvidence {
    /// Reads evidence; the one encoding.
    ///
    /// # Errors
    /// [`Refusal::Encoding`], [`Refusal::NoRules`].
    pub fn decode(params: &BeaconParams, bytes: &[u8]) -> Result<Self, Refusal> {
        let part = |part| Refusal::Encoding { part };
        let mut reader = ByteReader::new(bytes);
        let signed = SignedHeader::read(params, &mut reader)?;
        let block_hash = reader.hash().ok_or(part("block hash"))?;
        let index = layout(params, signed.finalized.slot)?.block_hash();
        let block_branch = branch(&mut reader, index).ok_or(part("block branch"))?;
        match reader.is_empty() {
            true => Ok(Self { signed, block_hash, block_branch }),
            false => Err(part("bytes behind the evidence")),
        }
    }

    /// Bytes, for [`BeaconEvidence::decode`].
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.signed.put(&mut out);
        out.extend_from_slice(&self.block_hash.0);
        self.block_branch.iter().for_each(|sibling| out.extend_from_slice(&sibling.0));
        out
    }
}

/// Step to the committee of the next period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BeaconStep {
    /// SetSignature header.
    pub signed: SignedHeader,
    /// Serialized committee.
    pub committee: Vec<u8>,
    /// From the committee's root to the attested state.
    pub committee_branch: Vec<Hash>,
}

impl BeaconStep {
    /// Reads a step; the one encoding.
    ///
    /// # Errors
    /// [`Refusal::Encoding`], [`Refusal::NoRules`].
    pub fn decode(params: &BeaconParams, bytes: &[u8]) -> Result<Self, Refusal> {
        let part = |part| Refusal::Encoding { part };
        let mut reader = ByteReader::new(bytes);
        let signed = SignedHeader::read(params, &mut reader)?;
        let length = params.members.saturating_add(1).saturating_mul(KEY_BYTES);
        let committee = reader.bytes(length).ok_or(part("committee"))?.to_vec();
        let index = layout(params, signed.attested.slot)?.next_committee();
        let committee_branch = branch(&mut reader, index).ok_or(part("committee branch"))?;
        match reader.is_empty() {
            true => Ok(Self { signed, committee, committee_branch }),
            false => Err(part("bytes behind the step")),
        }
    }

    /// Bytes, for [`BeaconStep::decode`].
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.signed.put(&mut out);
        out.extend_from_slice(&self.committee);
        self.committee_branch.iter().for_each(|sibling| out.extend_from_slice(&sibling.0));
        out
    }
}

pub(super) fn layout(
    params: &BeaconParams,
    slot: u64,
) -> Result<super::params::BeaconLayout, Refusal> {
    params.fork_at(slot).map(|fork| fork.layout).ok_or(Refusal::NoRules { slot })
}

fn branch(reader: &mut ByteReader<'_>, index: u64) -> Option<Vec<Hash>> {
    (0..ssz::depth(index)).map(|_| reader.hash()).collect()
}
