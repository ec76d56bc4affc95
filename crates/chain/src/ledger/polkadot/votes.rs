//! A node's GRANDPA votes as evidence.

use std::collections::BTreeMap;

use superroot_proof::finality::grandpa::{GRANDPA_HEADERS_MAX, GrandpaCommit, GrandpaVote};
use superroot_proof::finality::{ConsensusEvidence, EVIDENCE_BYTES_MAX, FinalityKind};
use superroot_proof::ledger::polkadot::{
    GrandpaAuthority, GrandpaFinalityProof, GrandpaJustification, Header, decode_authorities,
};
use superroot_types::{BlockNumber, Hash};

use super::raw::RawGrandpaVotes;
use crate::block::SignedBlock;

/// Blocks from one with evidence to the next: a link of headers leads to the blocks between.
pub const VOTED_BLOCKS: u64 = 64;
/// Most forks of voted descendants that are tried.
const FORKS_MAX: usize = 4;

/// Whether votes for a final block are worth a fetch: every [`VOTED_BLOCKS`]th block, and the last one of a set.
#[must_use]
pub fn has_votes(header: &Header) -> bool {
    header.number.is_multiple_of(VOTED_BLOCKS) || names_authorities(header)
}

/// Whether the block names the next GRANDPA authorities, as the last one of a set.
#[must_use]
pub fn names_authorities(header: &Header) -> bool {
    header.authority_change().is_ok_and(|change| change.is_some())
}

/// Evidence with the fewest valid votes; `None` for votes that do not show the block.
pub(super) fn signed(header: &Header, raw: &RawGrandpaVotes) -> Option<SignedBlock> {
    let authorities = decode_authorities(&raw.authorities)?;
    let proof = GrandpaFinalityProof::decode(&raw.proof)?;
    let justification = GrandpaJustification::decode(&proof.justification)?;
    let voted = VotedDescendants::new(header, proof.headers, &justification);
    let commit = voted.lines().into_iter().find_map(|line| {
        commit(raw.set_id, &justification, &line, &authorities).with_fewest(&authorities)
    })?;
    let evidence = ConsensusEvidence {
        kind: FinalityKind::Grandpa,
        number: BlockNumber(header.number),
        hash: header.hash(),
        body: commit.encode(),
    };
    let is_bounded = evidence.encode().len() <= EVIDENCE_BYTES_MAX;
    let ends_set = names_authorities(header).then_some(raw.set_id);
    is_bounded.then_some(SignedBlock { evidence, ends_set, step: None })
}

/// Voted descendants of a block.
struct VotedDescendants<'a> {
    block: (Hash, &'a Header),
    headers: BTreeMap<Hash, Header>,
    /// Voted hashes, the highest numbers first.
    voted: Vec<Hash>,
}

impl<'a> VotedDescendants<'a> {
    fn new(
        header: &'a Header,
        descendants: Vec<Header>,
        justification: &GrandpaJustification,
    ) -> Self {
        let ancestries = justification.ancestries.iter().cloned();
        let headers = descendants.into_iter().chain(ancestries);
        let mut voted: Vec<_> =
            justification.precommits.iter().map(|vote| (vote.number, vote.hash)).collect();
        voted.sort_unstable_by(|one, other| other.cmp(one));
        voted.dedup();
        Self {
            block: (header.hash(), header),
            headers: headers.map(|header| (header.hash(), header)).collect(),
            voted: voted.into_iter().map(|(_, hash)| hash).collect(),
        }
    }

    /// Headers from the block to a voted one, by fork.
    fn lines(&self) -> Vec<Vec<(Hash, Vec<u8>)>> {
        let mut lines: Vec<Vec<(Hash, Vec<u8>)>> = Vec::new();
        for tip in &self.voted {
            let is_below = lines.iter().flatten().any(|(hash, _)| hash == tip);
            if lines.len() < FORKS_MAX && !is_below {
                lines.extend(self.line_to(*tip));
            }
        }
        lines
    }

    fn line_to(&self, tip: Hash) -> Option<Vec<(Hash, Vec<u8>)>> {
        let (block, header) = self.block;
        let mut line = Vec::new();
        let mut hash = tip;
        while hash != block {
            let above = self.headers.get(&hash).filter(|_| line.len() < GRANDPA_HEADERS_MAX)?;
            line.push((hash, above.encode()));
            hash = above.parent_hash;
        }
        line.push((block, header.encode()));
        line.reverse();
        Some(line)
    }
}

/// All votes for headers of a line by known authorities.
fn commit(
    set: u64,
    justification: &GrandpaJustification,
    line: &[(Hash, Vec<u8>)],
    authorities: &[GrandpaAuthority],
) -> GrandpaCommit {
    let places: BTreeMap<Hash, u8> = line.iter().map(|(hash, _)| *hash).zip(0..).collect();
    let indexes: BTreeMap<_, usize> = authorities.iter().map(|one| one.key).zip(0..).collect();
    let votes = justification.precommits.iter().filter_map(|vote| {
        let index = *indexes.get(&vote.key)?;
        Some(GrandpaVote { index, place: *places.get(&vote.hash)?, signature: vote.signature })
    });
    GrandpaCommit {
        set,
        round: justification.round,
        headers: line.iter().map(|(_, header)| header.clone()).collect(),
        authority_count: u16::try_from(authorities.len()).unwrap_or(u16::MAX),
        votes: votes.collect(),
    }
}
