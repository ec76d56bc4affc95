//! Validators of an epoch, as a set.

use alloc::format;
use alloc::vec::Vec;

use superroot_types::{BlockNumber, Hash, UnixSeconds};

use super::extra::{BlockVote, read_header, read_validators};
use super::params::VoteParams;
use crate::codec::{ByteReader, put_long};
use crate::finality::bls::{MemberKey, SIGNATURE_BYTES, is_signed};
use crate::finality::rules::{SetRules, SetSignature};
use crate::finality::verdict::Stop;
use crate::finality::{LinkHeaders, Refusal, Shortfall};
use crate::hash::keccak256;
use crate::ledger::evm;

/// Epoch header, keys unread.
struct EpochHeader {
    header: evm::Header,
    epoch: u64,
    /// First target of the next set.
    end: u64,
}

fn read_epoch(params: &VoteParams, header: &[u8]) -> Result<EpochHeader, Refusal> {
    let unread = Refusal::Encoding { part: "epoch header" };
    let header = read_header(params, header).ok_or(unread)?;
    let epoch = header.number.checked_div(params.epoch_blocks).ok_or(unread)?;
    if !header.number.is_multiple_of(params.epoch_blocks) {
        return Err(Refusal::Order { what: "the header does not begin an epoch" });
    }
    let behind = read_validators(params, &header)?.blocks_behind();
    let end = header.number.checked_add(params.epoch_blocks);
    let end = end.and_then(|end| end.checked_add(behind)).ok_or(unread)?;
    Ok(EpochHeader { header, epoch, end })
}

/// Signers' epoch for a target in the epoch after this header's, before or after the change of signers; `None` for another
/// header.
#[must_use]
pub fn signers_of(params: &VoteParams, before: &[u8], target: BlockNumber) -> Option<u64> {
    let before = read_epoch(params, before).ok()?;
    let epoch = target.0.checked_div(params.epoch_blocks)?;
    Some(if target.0 < before.end { before.epoch } else { epoch })
}

/// First header of an epoch, with the validators. Encoded as the header; the id is the block hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoteSet {
    header: Vec<u8>,
    hash: Hash,
    block: u64,
    epoch: u64,
    as_of: UnixSeconds,
    keys: Vec<Option<MemberKey>>,
    /// First target of the next set.
    end: u64,
}

impl VoteSet {
    /// Set of an epoch header.
    ///
    /// # Errors
    /// [`Refusal`] for another header, or validators that cannot be read.
    pub fn new(params: &VoteParams, header: &[u8]) -> Result<Self, Refusal> {
        let EpochHeader { header: read, epoch, end } = read_epoch(params, header)?;
        let keys = read_validators(params, &read)?.keys();
        Ok(Self {
            header: header.to_vec(),
            hash: keccak256(header),
            block: read.number,
            epoch,
            as_of: UnixSeconds(read.timestamp),
            keys,
            end,
        })
    }

    /// The epoch header's number.
    #[must_use]
    pub const fn block(&self) -> BlockNumber {
        BlockNumber(self.block)
    }

    /// Least votes.
    fn quorum(&self) -> u64 {
        let count = u64::try_from(self.keys.len()).unwrap_or(u64::MAX);
        count.saturating_mul(2).div_ceil(3)
    }

    /// Checks a vote for a block.
    fn checked(
        &self,
        params: &VoteParams,
        source: (BlockNumber, Hash),
        vote: &SignedVote<'_>,
        now: UnixSeconds,
    ) -> Result<SetSignature, Stop> {
        let SignedVote { epoch, bits, signature, target, header } = vote;
        if *epoch != self.epoch {
            return Err(Shortfall::Set { needed: *epoch, held: self.epoch }.into());
        }
        if source.0.0.checked_add(1) != Some(header.number) {
            return Err(Refusal::Order { what: "the target's number does not follow" }.into());
        }
        if header.parent_hash != source.1 {
            let (got, expected) = (header.parent_hash, source.1);
            return Err(Refusal::Block { got, expected }.into());
        }
        if !(self.block..self.end).contains(&header.number) || header.number == self.block {
            return Err(Refusal::Order { what: "the target is not of the set's epoch" }.into());
        }
        let at = UnixSeconds(header.timestamp);
        if at > now {
            return Err(Shortfall::Early { at }.into());
        }
        let seconds = params.trusted_seconds;
        if now.0 > self.as_of.0.saturating_add(seconds) {
            return Err(Shortfall::Expired { of: self.as_of, seconds }.into());
        }
        let of = u64::try_from(self.keys.len()).unwrap_or(u64::MAX);
        if u64::from(bits.checked_ilog2().map_or(0, |last| last.saturating_add(1))) > of {
            return Err(Refusal::Encoding { part: "bits past the validators" }.into());
        }
        let (got, expected) = (u64::from(bits.count_ones()), self.quorum());
        if got < expected {
            return Err(Shortfall::Signers { got, of, expected }.into());
        }
        let mut keys = Vec::new();
        for (index, key) in self.keys.iter().enumerate() {
            let bit = u32::try_from(index).ok().and_then(|index| bits.checked_shr(index));
            if bit.is_some_and(|bit| bit & 1 == 1) {
                keys.push(key.as_ref().ok_or(Refusal::Key { index })?);
            }
        }
        let target = (BlockNumber(header.number), keccak256(target));
        let vote = BlockVote { source, target, bits: *bits, signature: **signature };
        if !is_signed(keys.into_iter(), &vote.message().0, signature) {
            return Err(Refusal::Signature.into());
        }
        let by = format!("{got} of {of} validators of epoch {}", self.epoch);
        Ok(SetSignature { at: Some(at), by })
    }
}

/// Body of evidence: `epoch:u64 ‖ bits:u64 ‖ signature:96 ‖ header of the target`, with the signers' epoch.
#[must_use]
pub fn write_vote(epoch: u64, vote: &BlockVote, target: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend_from_slice(&epoch.to_be_bytes());
    out.extend_from_slice(&vote.bits.to_be_bytes());
    out.extend_from_slice(&vote.signature);
    out.extend_from_slice(target);
    out
}

/// Step: `length:u32 ‖ headers from the voted block down to the next epoch's first ‖ body`.
#[must_use]
pub fn write_vote_step(headers: &LinkHeaders, body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    put_long(&mut out, &headers.encode());
    out.extend_from_slice(body);
    out
}

/// Body of evidence, read.
struct SignedVote<'a> {
    epoch: u64,
    bits: u64,
    signature: &'a [u8; SIGNATURE_BYTES],
    target: &'a [u8],
    header: evm::Header,
}

impl<'a> SignedVote<'a> {
    fn read(params: &VoteParams, body: &'a [u8]) -> Result<Self, Refusal> {
        let part = |part| Refusal::Encoding { part };
        let mut reader = ByteReader::new(body);
        let epoch = reader.u64().ok_or(part("vote"))?;
        let bits = reader.u64().ok_or(part("vote"))?;
        let signature = reader.bytes(SIGNATURE_BYTES).and_then(|bytes| bytes.try_into().ok());
        let signature = signature.ok_or(part("vote"))?;
        let target = reader.bytes(reader.len()).unwrap_or_default();
        let header = read_header(params, target).ok_or(part("header of the target"))?;
        Ok(Self { epoch, bits, signature, target, header })
    }
}

/// Headers of a step and its body.
fn read_step(step: &[u8]) -> Option<(LinkHeaders, &[u8])> {
    let mut reader = ByteReader::new(step);
    let headers = LinkHeaders::decode(reader.long()?)?;
    Some((headers, reader.bytes(reader.len())?))
}

fn last_header(link: &LinkHeaders) -> Option<&[u8]> {
    link.headers.last().map(|last| last.header.as_slice())
}

impl SetRules for VoteSet {
    type Params = VoteParams;

    fn decode(params: &VoteParams, bytes: &[u8]) -> Result<Self, Refusal> {
        Self::new(params, bytes)
    }

    fn encode(&self) -> Vec<u8> {
        self.header.clone()
    }

    fn id(&self) -> Hash {
        self.hash
    }

    fn begins(&self, _: &VoteParams) -> Option<UnixSeconds> {
        Some(self.as_of)
    }

    fn trusted_until(&self, params: &VoteParams) -> Option<UnixSeconds> {
        Some(UnixSeconds(self.as_of.0.saturating_add(params.trusted_seconds)))
    }

    fn check(
        &self,
        params: &VoteParams,
        block: (BlockNumber, Hash),
        body: &[u8],
        now: UnixSeconds,
    ) -> Result<SetSignature, Stop> {
        self.checked(params, block, &SignedVote::read(params, body)?, now)
    }

    /// Next epoch's header, final by a vote of this set for it or for a block behind it.
    fn advance(&self, params: &VoteParams, step: &[u8], now: UnixSeconds) -> Result<Self, Stop> {
        let unread = Refusal::Encoding { part: "step" };
        let (headers, body) = read_step(step).ok_or(unread)?;
        let vote = SignedVote::read(params, body)?;
        let source = vote.header.number.checked_sub(1).map(BlockNumber).ok_or(unread)?;
        self.checked(params, (source, vote.header.parent_hash), &vote, now)?;
        let (below, _) = headers.follow(params.rule, 0, (source, vote.header.parent_hash))?;
        let next = Self::new(params, last_header(&headers).ok_or(unread)?)?;
        let is_next = self.epoch.checked_add(1) == Some(next.epoch)
            && next.block.checked_sub(1) == Some(below.0);
        match is_next {
            true => Ok(next),
            false => Err(Refusal::Order { what: "the header is not the next epoch's" }.into()),
        }
    }

    fn named_by(params: &VoteParams, step: &[u8]) -> Option<Self> {
        let (headers, _) = read_step(step)?;
        Self::new(params, last_header(&headers)?).ok()
    }

    fn number(&self) -> u64 {
        self.epoch
    }

    fn signer_of(_: &VoteParams, _: BlockNumber, body: &[u8]) -> Option<u64> {
        ByteReader::new(body).u64()
    }
}
