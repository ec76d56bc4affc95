//! Extra data: `vanity:32 ‖ validators ‖ vote ‖ seal:65`; validators are in epoch headers only, a vote in most headers.
//!
//! ```text
//! validators   count:u8 ‖ (address:20 ‖ key:48)* ‖ turn:u8
//! vote         RLP of [bits, signature, [source number, source hash, target number, target hash], bytes]
//! ```

use alloc::vec::Vec;

use alloy_rlp::Encodable;
use superroot_types::{BlockNumber, Hash};

use super::params::VoteParams;
use crate::finality::Refusal;
use crate::finality::bls::{KEY_BYTES, MemberKey, SIGNATURE_BYTES};
use crate::hash::keccak256;
use crate::ledger::Header;
use crate::ledger::evm::{self, RlpFields};

/// Most validators of a set, one per bit of a vote.
pub const VALIDATORS_MAX: usize = 64;
const VANITY_BYTES: usize = 32;
const SEAL_BYTES: usize = 65;
const ADDRESS_BYTES: usize = 20;
const MEMBER_BYTES: usize = ADDRESS_BYTES + KEY_BYTES;

/// Vote of validators from a block to its child or to a later block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockVote {
    /// Number and hash of the source.
    pub source: (BlockNumber, Hash),
    /// Number and hash of the target.
    pub target: (BlockNumber, Hash),
    /// Voters by index in the set, lowest bit first.
    pub bits: u64,
    /// Sum of the voters' signatures.
    pub signature: [u8; SIGNATURE_BYTES],
}

impl BlockVote {
    /// Signed message: Keccak-256 of the RLP list of both numbers and hashes.
    #[must_use]
    pub fn message(&self) -> Hash {
        let mut items = Vec::new();
        for (number, hash) in [&self.source, &self.target] {
            number.0.encode(&mut items);
            hash.0.encode(&mut items);
        }
        let mut bytes = Vec::new();
        alloy_rlp::Header { list: true, payload_length: items.len() }.encode(&mut bytes);
        bytes.extend_from_slice(&items);
        keccak256(&bytes)
    }
}

/// Validators of an epoch header, keys unread.
pub(super) struct Validators<'a> {
    members: &'a [u8],
    /// Blocks that a validator makes in a row.
    turn: u8,
}

impl Validators<'_> {
    pub(super) const fn count(&self) -> usize {
        self.members.len() / MEMBER_BYTES
    }

    /// Blocks from the epoch's begin to the first target signed by these validators' successors.
    pub(super) fn blocks_behind(&self) -> u64 {
        let half = u64::try_from(self.count() / 2).unwrap_or(u64::MAX);
        half.saturating_add(1).saturating_mul(self.turn.into())
    }

    /// Keys by index; an invalid key is `None`.
    pub(super) fn keys(&self) -> Vec<Option<MemberKey>> {
        let members = self.members.chunks_exact(MEMBER_BYTES);
        let key = |member: &[u8]| MemberKey::validated(member.last_chunk()?);
        members.map(key).collect()
    }
}

/// Header of an EVM chain with these rules; `None` if malformed.
pub(super) fn read_header(params: &VoteParams, bytes: &[u8]) -> Option<evm::Header> {
    match Header::decode(params.rule, bytes) {
        Ok(Header::Evm(header)) => Some(*header),
        _ => None,
    }
}

/// Vote in a header; `None` without a vote, or for a malformed header.
#[must_use]
pub fn read_vote(params: &VoteParams, header: &[u8]) -> Option<BlockVote> {
    let header = read_header(params, header)?;
    let (_, vote) = split(params, &header)?;
    let mut fields = RlpFields::of_list(vote, "vote").ok()?;
    let bits = fields.u64("bits").ok()?;
    let signature = fields.array("signature").ok()?;
    let mut data = fields.list("data").ok()?;
    let source = (BlockNumber(data.u64("source number").ok()?), data.hash("source hash").ok()?);
    let target = (BlockNumber(data.u64("target number").ok()?), data.hash("target hash").ok()?);
    data.end("data").ok()?;
    Some(BlockVote { source, target, bits, signature })
}

/// Validators in an epoch header.
pub(super) fn read_validators<'a>(
    params: &VoteParams,
    header: &'a evm::Header,
) -> Result<Validators<'a>, Refusal> {
    let unread = Refusal::Encoding { part: "validators" };
    let (validators, _) = split(params, header).ok_or(unread)?;
    let (turn, members) = validators.get(1..).and_then(|rest| rest.split_last()).ok_or(unread)?;
    let read = Validators { members, turn: *turn };
    if !(1..=VALIDATORS_MAX).contains(&read.count()) || *turn == 0 {
        return Err(unread);
    }
    let mut last: Option<&[u8]> = None;
    for member in members.chunks_exact(MEMBER_BYTES) {
        let address = member.get(..ADDRESS_BYTES);
        // bits count the validators by address
        if last.is_some() && last >= address {
            return Err(Refusal::Order { what: "the validators' addresses do not rise" });
        }
        last = address;
    }
    Ok(read)
}

/// Bytes of validators, only in epoch headers, and of the vote.
fn split<'a>(params: &VoteParams, header: &'a evm::Header) -> Option<(&'a [u8], &'a [u8])> {
    let extra = &header.extra_data;
    let end = extra.len().checked_sub(SEAL_BYTES)?;
    let middle = extra.get(VANITY_BYTES..end)?;
    if !header.number.is_multiple_of(params.epoch_blocks) {
        return Some((&[], middle));
    }
    let count = usize::from(*middle.first()?);
    middle.split_at_checked(count.checked_mul(MEMBER_BYTES)?.checked_add(2)?)
}
