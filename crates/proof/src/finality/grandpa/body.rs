//! Votes for a block: evidence and step.
//!
//! ```text
//! body   set:u64 ‖ round:u64 ‖ count:u8 ‖ (length:u32 ‖ header)*count ‖ authority_count:u16 ‖ bits ‖ (place:u8 ‖ signature:64)*
//! ```

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::cmp::Reverse;

use ed25519_dalek::VerifyingKey;
use superroot_types::Hash;

use super::authorities::{AUTHORITIES_MAX, AuthorityList};
use crate::codec::{ByteReader, put_long};
use crate::finality::Refusal;
use crate::hash::blake2b_256;
use crate::ledger::polkadot::{AuthorityChange, GrandpaAuthority, Header, precommit_bytes};

const SIGNATURE_BYTES: usize = 64;
/// Most headers of a body: the block and descendants.
pub const GRANDPA_HEADERS_MAX: usize = 65;

/// Authority's precommit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrandpaVote {
    /// Place among the authorities.
    pub index: usize,
    /// Place of the voted header: 0 for the block, 1 for a child.
    pub place: u8,
    /// Ed25519 signature.
    pub signature: [u8; SIGNATURE_BYTES],
}

/// Block with precommits for the block and descendants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrandpaCommit {
    /// Set's number.
    pub set: u64,
    /// Round.
    pub round: u64,
    /// Whole headers: the block's, then each the child of the one before. Without votes for the last, only the block's.
    pub headers: Vec<Vec<u8>>,
    /// Number of the set's authorities.
    pub authority_count: u16,
    /// Votes, by rising index.
    pub votes: Vec<GrandpaVote>,
}

impl GrandpaCommit {
    /// Bytes of evidence and of a step.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend_from_slice(&self.set.to_be_bytes());
        out.extend_from_slice(&self.round.to_be_bytes());
        out.push(u8::try_from(self.headers.len()).unwrap_or(u8::MAX));
        self.headers.iter().for_each(|header| put_long(&mut out, header));
        out.extend_from_slice(&self.authority_count.to_be_bytes());
        let voters: BTreeSet<usize> = self.votes.iter().map(|vote| vote.index).collect();
        for first in (0..usize::from(self.authority_count)).step_by(8) {
            let places = (first..).take(8).zip(0_u8..);
            let bits = places.filter(|(index, _)| voters.contains(index));
            out.push(bits.fold(0, |bits, (_, bit)| bits | 1 << bit));
        }
        for GrandpaVote { place, signature, .. } in &self.votes {
            out.push(*place);
            out.extend_from_slice(signature);
        }
        out
    }

    /// Valid votes nearest to the block and of the greatest weights, each authority's once and no more than needed;
    /// headers as far as voted for. `None` for too little weight, or unreadable authorities or headers.
    #[must_use]
    pub fn with_fewest(mut self, authorities: &[GrandpaAuthority]) -> Option<Self> {
        let list = AuthorityList::new(authorities.to_vec()).ok()?;
        let line = VotedLine::new(&self.headers).ok()?;
        self.votes.sort_by_key(|one| (one.place, Reverse(list.weight(one.index)), one.index));
        let mut missing = list.quorum();
        let mut fewest: Vec<GrandpaVote> = Vec::new();
        let mut counted = BTreeSet::new();
        for one in &self.votes {
            if missing == 0 {
                break;
            }
            let is_new = !counted.contains(&one.index);
            if is_new && line.check_vote((self.set, self.round), &list, one).is_ok() {
                counted.insert(one.index);
                missing = missing.saturating_sub(list.weight(one.index));
                fewest.push(*one);
            }
        }
        let last = fewest.last().filter(|_| missing == 0)?.place;
        self.headers.truncate(usize::from(last).saturating_add(1));
        fewest.sort_by_key(|one| one.index);
        self.votes = fewest;
        self.authority_count = u16::try_from(authorities.len()).ok()?;
        Some(self)
    }
}

/// Header in a line.
struct VotedHeader {
    hash: Hash,
    number: u32,
}

/// Block and descendants, each the parent of the next.
pub(super) struct VotedLine {
    pub(super) block: Header,
    pub(super) hash: Hash,
    /// Change of authorities behind the block.
    pub(super) next: Option<Vec<GrandpaAuthority>>,
    headers: Vec<VotedHeader>,
}

impl VotedLine {
    fn new(headers: &[Vec<u8>]) -> Result<Self, Refusal> {
        let (first, children) =
            headers.split_first().ok_or(Refusal::Encoding { part: "header" })?;
        let (block, next) = read_header(first)?;
        let hash = blake2b_256(first);
        let mut line = alloc::vec![voted(&block, hash)?];
        let mut ends = next.is_some();
        let mut above = (hash, block.number);
        for (child, index) in children.iter().zip(1..) {
            let (header, next) = read_header(child)?;
            let number = header.number;
            if header.parent_hash != above.0 || above.1.checked_add(1) != Some(number) {
                return Err(Refusal::Link { index });
            }
            if ends {
                return Err(Refusal::Order { what: "a vote is for a block past the set's last" });
            }
            ends = next.is_some();
            above = (blake2b_256(child), number);
            line.push(voted(&header, above.0)?);
        }
        Ok(Self { block, hash, next, headers: line })
    }

    pub(super) fn check_vote(
        &self,
        (set, round): (u64, u64),
        authorities: &AuthorityList,
        vote: &GrandpaVote,
    ) -> Result<(), Refusal> {
        let index = vote.index;
        let voted = self.headers.get(usize::from(vote.place));
        let voted = voted.ok_or(Refusal::Encoding { part: "place of a vote" })?;
        let member = authorities.members().get(index).ok_or(Refusal::Key { index })?;
        let key = VerifyingKey::from_bytes(&member.key).map_err(|_| Refusal::Key { index })?;
        let bytes = precommit_bytes(&voted.hash, voted.number, round, set);
        key.verify_strict(&bytes, &vote.signature.into()).map_err(|_| Refusal::Signature)
    }
}

fn voted(header: &Header, hash: Hash) -> Result<VotedHeader, Refusal> {
    let number = header.number;
    let what = "the number has more than 32 bits";
    let number = u32::try_from(number).map_err(|_| Refusal::Header { number, what })?;
    Ok(VotedHeader { hash, number })
}

/// Header, with the authorities behind the block if they change.
pub(super) fn read_header(
    bytes: &[u8],
) -> Result<(Header, Option<Vec<GrandpaAuthority>>), Refusal> {
    let unread = Refusal::Encoding { part: "header" };
    let header = Header::decode(bytes).map_err(|_| unread)?;
    let number = header.number;
    let refused = |what| Err(Refusal::Header { number, what });
    match header.authority_change().map_err(|_| unread)? {
        None => Ok((header, None)),
        Some(AuthorityChange::Scheduled { next, delay: 0 }) => Ok((header, Some(next))),
        Some(AuthorityChange::Scheduled { .. }) => {
            refused("a change of authorities is delayed, expected one behind the block")
        }
        Some(AuthorityChange::Forced) => refused("a change of authorities is forced: pin again"),
    }
}

/// Body with a readable line of headers.
pub(super) struct GrandpaBody {
    pub(super) set: u64,
    pub(super) line: VotedLine,
    pub(super) authority_count: usize,
    pub(super) votes: Vec<GrandpaVote>,
    round: u64,
}

impl GrandpaBody {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Refusal> {
        let unread = Refusal::Encoding { part: "votes" };
        let mut reader = ByteReader::new(bytes);
        let set = reader.u64().ok_or(unread)?;
        let round = reader.u64().ok_or(unread)?;
        let count = reader.u8().map(usize::from).ok_or(unread)?;
        if count > GRANDPA_HEADERS_MAX {
            return Err(unread);
        }
        let mut headers = Vec::new();
        for _ in 0..count {
            headers.push(reader.long().ok_or(unread)?.to_vec());
        }
        let authority_count = reader.u16().map(usize::from).ok_or(unread)?;
        let votes = read_votes(&mut reader, authority_count, count).ok_or(unread)?;
        Ok(Self { set, line: VotedLine::new(&headers)?, authority_count, votes, round })
    }

    pub(super) fn check_votes(&self, authorities: &AuthorityList) -> Result<(), Refusal> {
        let named = (self.set, self.round);
        self.votes.iter().try_for_each(|vote| self.line.check_vote(named, authorities, vote))
    }
}

/// Bits by authority, lowest first, then a vote a bit, and nothing else; a descendant without votes above is unused.
fn read_votes(
    reader: &mut ByteReader<'_>,
    authority_count: usize,
    header_count: usize,
) -> Option<Vec<GrandpaVote>> {
    if authority_count > AUTHORITIES_MAX {
        return None;
    }
    let bits = reader.bytes(authority_count.div_ceil(8))?;
    let is_set = |index: usize| {
        let byte = bits.get(index / 8).copied().unwrap_or(0);
        byte >> (index % 8) & 1 == 1
    };
    if (authority_count..bits.len().checked_mul(8)?).any(is_set) {
        return None;
    }
    let mut votes = Vec::new();
    for index in (0..authority_count).filter(|index| is_set(*index)) {
        let place = reader.u8()?;
        let signature = reader.bytes(SIGNATURE_BYTES)?.try_into().ok()?;
        votes.push(GrandpaVote { index, place, signature });
    }
    let last = votes.iter().map(|vote| usize::from(vote.place)).max().unwrap_or(0);
    (reader.is_empty() && last.checked_add(1) == Some(header_count)).then_some(votes)
}
