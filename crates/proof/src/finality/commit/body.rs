//! Commit of a block: evidence and step.
//!
//! ```text
//! body   length:u32 ‖ header ‖ round:u32 ‖ part_count:u32 ‖ parts_hash:32 ‖ validators ‖ bits ‖ (time:u64 ‖ signature:64)*
//! ```

use alloc::vec::Vec;

use superroot_types::Hash;

use super::validators::{ValidatorList, put_validators};
use crate::codec::{ByteReader, put_long};
use crate::finality::Refusal;
use crate::ledger::cosmos::{
    CosmosBlockId, CosmosValidator, Header, VALIDATOR_KEY_BYTES, VOTE_SIGNATURE_BYTES,
    ValidatorKey, precommit_bytes,
};

/// Validator's precommit for a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommitSignature {
    /// Place among the block's validators.
    pub index: usize,
    /// Vote's time, in nanoseconds since 1970.
    pub time: u64,
    /// Signature by the validator's key.
    pub signature: [u8; VOTE_SIGNATURE_BYTES],
}

/// Header with validators and their precommits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockCommit<K = [u8; VALIDATOR_KEY_BYTES]> {
    /// Whole header.
    pub header: Vec<u8>,
    /// Round, at most 2^31 - 1.
    pub round: u32,
    /// Number of the block's parts.
    pub part_count: u32,
    /// Root over the parts.
    pub parts_hash: Hash,
    /// Validators, in the order of `validators_hash`.
    pub validators: Vec<CosmosValidator<K>>,
    /// Votes, by rising index.
    pub signatures: Vec<CommitSignature>,
}

impl<K: ValidatorKey> BlockCommit<K> {
    /// Bytes of evidence and of a step.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_long(&mut out, &self.header);
        out.extend_from_slice(&self.round.to_be_bytes());
        out.extend_from_slice(&self.part_count.to_be_bytes());
        out.extend_from_slice(&self.parts_hash.0);
        put_validators(&mut out, &self.validators);
        for first in (0..self.validators.len()).step_by(8) {
            let places = (first..).take(8).zip(0_u8..);
            let bits = places.filter(|(index, _)| self.has_signed(*index));
            out.push(bits.fold(0, |bits, (_, bit)| bits | 1 << bit));
        }
        for CommitSignature { time, signature, .. } in &self.signatures {
            out.extend_from_slice(&time.to_be_bytes());
            out.extend_from_slice(signature);
        }
        out
    }

    fn has_signed(&self, index: usize) -> bool {
        self.signatures.iter().any(|one| one.index == index)
    }

    /// Valid votes of the most powerful validators, no more than needed; `None` for too little power, or for validators or
    /// a header that cannot be read.
    #[must_use]
    pub fn with_fewest(mut self, chain_id: &str) -> Option<Self> {
        let read = CheckedVotes::new(&self).ok()?;
        let power = |one: &CommitSignature| self.validators.get(one.index).map_or(0, |of| of.power);
        self.signatures.sort_by_key(|one| (core::cmp::Reverse(power(one)), one.index));
        self.signatures.dedup_by_key(|one| one.index);
        let mut missing = read.validators.quorum();
        let mut fewest = Vec::new();
        for one in &self.signatures {
            if missing > 0 && read.check_signature(chain_id, one).is_ok() {
                missing = missing.saturating_sub(power(one));
                fewest.push(*one);
            }
        }
        fewest.sort_by_key(|one| one.index);
        self.signatures = fewest;
        (missing == 0).then_some(self)
    }
}

/// Body with a readable header and the validators under the header.
pub(in crate::finality) struct CheckedVotes<K> {
    pub(in crate::finality) header: Header,
    pub(super) id: CosmosBlockId,
    pub(super) validators: ValidatorList<K>,
    pub(super) signatures: Vec<CommitSignature>,
    round: u32,
}

impl<K: ValidatorKey> CheckedVotes<K> {
    fn new(commit: &BlockCommit<K>) -> Result<Self, Refusal> {
        let header = read_header(&commit.header)?;
        let BlockCommit { round, part_count, parts_hash, .. } = *commit;
        let id = CosmosBlockId { hash: header.hash(), part_count, parts_hash };
        let validators = ValidatorList::new(commit.validators.clone())?;
        check_validators(&header, &validators)?;
        Ok(Self { header, id, validators, signatures: commit.signatures.clone(), round })
    }

    pub(in crate::finality) fn read(bytes: &[u8]) -> Result<Self, Refusal> {
        let unread = Refusal::Encoding { part: "commit" };
        let mut reader = ByteReader::new(bytes);
        let header = read_header(reader.long().ok_or(unread)?)?;
        let round = reader.u32().filter(|round| i32::try_from(*round).is_ok()).ok_or(unread)?;
        let part_count = reader.u32().ok_or(unread)?;
        let parts_hash = reader.hash().ok_or(unread)?;
        let validators = ValidatorList::read(&mut reader)?;
        let signatures = read_signatures(&mut reader, validators.members().len()).ok_or(unread)?;
        check_validators(&header, &validators)?;
        let id = CosmosBlockId { hash: header.hash(), part_count, parts_hash };
        Ok(Self { header, id, validators, signatures, round })
    }

    /// Keys of the signers, with powers.
    pub(super) fn signers(&self) -> impl Iterator<Item = &CosmosValidator<K>> {
        self.signatures.iter().filter_map(|one| self.validators.members().get(one.index))
    }

    pub(super) fn check_signature(
        &self,
        chain_id: &str,
        one: &CommitSignature,
    ) -> Result<(), Refusal> {
        let CommitSignature { index, time, signature } = one;
        let index = *index;
        let member = self.validators.members().get(index).ok_or(Refusal::Key { index })?;
        let vote = (self.header.height, self.round);
        let bytes = precommit_bytes(chain_id, vote, &self.id, *time);
        let is_valid = member.key.verify(&bytes, signature).ok_or(Refusal::Key { index })?;
        is_valid.then_some(()).ok_or(Refusal::Signature)
    }
}

pub(super) fn read_header(bytes: &[u8]) -> Result<Header, Refusal> {
    Header::decode(bytes).map_err(|_| Refusal::Encoding { part: "header" })
}

pub(super) fn check_validators<K: ValidatorKey>(
    header: &Header,
    validators: &ValidatorList<K>,
) -> Result<(), Refusal> {
    let is_under = validators.hash() == header.validators_hash;
    is_under.then_some(()).ok_or(Refusal::Branch { part: "list of validators" })
}

/// Bits by validator, lowest first, then a vote a bit, and nothing else.
fn read_signatures(reader: &mut ByteReader<'_>, count: usize) -> Option<Vec<CommitSignature>> {
    let bits = reader.bytes(count.div_ceil(8))?;
    let is_set = |index: usize| {
        let byte = bits.get(index / 8).copied().unwrap_or(0);
        byte.to_le_bytes().first().is_some_and(|byte| byte >> (index % 8) & 1 == 1)
    };
    let places = bits.len().checked_mul(8)?;
    if (count..places).any(is_set) {
        return None;
    }
    let mut signatures = Vec::new();
    for index in (0..count).filter(|index| is_set(*index)) {
        let time = reader.u64()?;
        let signature = reader.bytes(VOTE_SIGNATURE_BYTES)?.try_into().ok()?;
        signatures.push(CommitSignature { index, time, signature });
    }
    reader.is_empty().then_some(signatures)
}
