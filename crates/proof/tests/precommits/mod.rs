//! Made blocks of a chain with GRANDPA: headers with slots and changes, authorities with known keys, precommits.

use ed25519_dalek::{Signer, SigningKey};
use superroot_proof::finality::grandpa::*;
use superroot_proof::finality::*;
use superroot_proof::ledger::polkadot::*;
use superroot_types::{BlockNumber, Hash, UnixSeconds};

/// Time of block 0.
pub(crate) const GENESIS: u64 = 1_794_990_000;
/// Round of all votes.
pub(crate) const ROUND: u64 = 77;

/// Authorities by seeds of their keys, and weights.
pub(crate) type Voters = [(u16, u64)];

pub(crate) fn signing_key(seed: u16) -> SigningKey {
    let mut bytes = [0x3c; 32];
    bytes[..2].copy_from_slice(&seed.to_be_bytes());
    SigningKey::from_bytes(&bytes)
}

pub(crate) fn list(voters: &Voters) -> Vec<GrandpaAuthority> {
    let one = |(seed, weight): &(u16, u64)| GrandpaAuthority {
        key: signing_key(*seed).verifying_key().to_bytes(),
        weight: *weight,
    };
    voters.iter().map(one).collect()
}

pub(crate) const fn time(number: u64) -> UnixSeconds {
    UnixSeconds(GENESIS + 6 * number)
}

/// Header in its own slot, with these items between slot and seal.
pub(crate) fn header(number: u64, parent_hash: Hash, items: &[Vec<u8>]) -> Header {
    let mut digest = vec![babe_slot_item(3, time(number).0 / 6)];
    digest.extend_from_slice(items);
    digest.push([&b"\x05BABE\x01\x01"[..], &[9; 64]].concat());
    let (state_root, extrinsics_root) = (Hash([4; 32]), Hash([5; 32]));
    Header { parent_hash, number, state_root, extrinsics_root, digest }
}

/// Linked headers of these numbers; some name next authorities.
pub(crate) fn line(numbers: std::ops::Range<u64>, changes: &[(u64, &Voters)]) -> Vec<Header> {
    let mut parent_hash = Hash([1; 32]);
    let one = |number| {
        let next = changes.iter().filter(|(at, _)| *at == number);
        let items: Vec<_> = next.map(|(_, next)| scheduled_change_item(&list(next))).collect();
        let header = header(number, parent_hash, &items);
        parent_hash = header.hash();
        header
    };
    numbers.map(one).collect()
}

/// Votes for the first of the headers by authorities at places of theirs, each for a header; `sign` changes what one
/// signs.
pub(crate) fn commit_with(
    set: u64,
    headers: &[Header],
    voters: &Voters,
    signers: &[(usize, u8)],
    sign: impl Fn(usize, &Header) -> Vec<u8>,
) -> GrandpaCommit {
    let vote = |(index, place): &(usize, u8)| {
        let bytes = sign(*index, &headers[usize::from(*place)]);
        let signature = signing_key(voters[*index].0).sign(&bytes).to_bytes();
        GrandpaVote { index: *index, place: *place, signature }
    };
    GrandpaCommit {
        set,
        round: ROUND,
        headers: headers.iter().map(Header::encode).collect(),
        authority_count: u16::try_from(voters.len()).unwrap(),
        votes: signers.iter().map(vote).collect(),
    }
}

pub(crate) fn signed_bytes(header: &Header, round: u64, set: u64) -> Vec<u8> {
    precommit_bytes(&header.hash(), u32::try_from(header.number).unwrap(), round, set)
}

pub(crate) fn commit(
    set: u64,
    headers: &[Header],
    voters: &Voters,
    signers: &[(usize, u8)],
) -> GrandpaCommit {
    commit_with(set, headers, voters, signers, |_, header| signed_bytes(header, ROUND, set))
}

pub(crate) fn evidence_of(commit: &GrandpaCommit) -> ConsensusEvidence {
    let header = Header::decode(&commit.headers[0]).unwrap();
    ConsensusEvidence {
        kind: FinalityKind::Grandpa,
        number: BlockNumber(header.number),
        hash: header.hash(),
        body: commit.encode(),
    }
}

pub(crate) const fn params() -> FinalityParams {
    FinalityParams::Grandpa(GrandpaParams::POLKADOT)
}

pub(crate) fn grandpa_set(number: u64, header: &Header) -> FinalitySet {
    FinalitySet::decode(&params(), &write_grandpa_set(number, &header.encode())).unwrap()
}
