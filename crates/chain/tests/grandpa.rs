//! A node's GRANDPA votes: what becomes evidence of them, and which lies are dropped.

use std::ops::Range;

use ed25519_dalek::Signer;
use parity_scale_codec::Encode;
use superroot_chain::finality::finality_params;
use superroot_chain::ledger::polkadot::{
    BlockPlan, RawGrandpaVotes, RawPolkadotBlock, build_block, has_votes, names_authorities,
    read_header,
};
use superroot_chain::{ChainRegistry, ChainSpec, SignedBlock, UntrustedBlock, verify};
use superroot_proof::finality::{
    ConsensusEvidence, FinalityParams, FinalitySet, Verdict, check_evidence,
};
use superroot_proof::ledger::polkadot::{
    GrandpaFinalityProof, GrandpaJustification, GrandpaPrecommit, Header, StateVersion,
    babe_slot_item, encode_authorities, scheduled_change_item,
};
use superroot_types::{BlockNumber, Hash, Network, UnixSeconds};

use crate::precommits::*;

/// 61 of 90 are needed.
const VOTERS: [(u16, u64); 6] = [(1, 20), (2, 20), (3, 20), (4, 10), (5, 10), (6, 10)];
const NEXT: [(u16, u64); 2] = [(7, 1), (8, 1)];
const SET: u64 = 12;

fn row() -> &'static ChainSpec {
    ChainRegistry::builtin().find("polkadot").unwrap()
}

/// Linked blocks; 128 names the next authorities.
fn blocks(numbers: Range<u64>) -> Vec<RawPolkadotBlock> {
    let mut parent_hash = Hash([3; 32]);
    let block = |number: u64| {
        let mut digest = vec![babe_slot_item(0, time(number).0 / 6)];
        digest.extend((number == 128).then(|| scheduled_change_item(&list(&NEXT))));
        let raw = build_block(&BlockPlan {
            number: BlockNumber(number),
            parent_hash,
            version: StateVersion::V1,
            extrinsics: Vec::new(),
            events: Vec::new(),
            digest,
        });
        parent_hash = raw.hash;
        raw
    };
    numbers.map(block).collect()
}

fn header_of(raw: &RawPolkadotBlock) -> Header {
    read_header(&raw.header).unwrap()
}

fn vote(index: usize, header: &Header) -> GrandpaPrecommit {
    let key = signing_key(VOTERS[index].0);
    GrandpaPrecommit {
        hash: header.hash(),
        number: u32::try_from(header.number).unwrap(),
        signature: key.sign(&signed_bytes(header, ROUND, SET)).to_bytes(),
        key: key.verifying_key().to_bytes(),
    }
}

/// A node's answer: set, authorities, justification, and headers up to the justified block.
struct Answer {
    set_id: u64,
    voters: Vec<(u16, u64)>,
    justification: GrandpaJustification,
    headers: Vec<Header>,
}

impl Answer {
    fn new(about: &Header, precommits: Vec<GrandpaPrecommit>) -> Self {
        let justification = GrandpaJustification {
            round: ROUND,
            hash: about.hash(),
            number: u32::try_from(about.number).unwrap(),
            precommits,
            ancestries: Vec::new(),
        };
        Self { set_id: SET, voters: VOTERS.to_vec(), justification, headers: Vec::new() }
    }

    fn signed(&self, raw: &RawPolkadotBlock) -> Option<SignedBlock> {
        let proof = GrandpaFinalityProof {
            hash: self.justification.hash,
            justification: self.justification.encode(),
            headers: self.headers.clone(),
        };
        signed(raw, self.set_id, encode_authorities(&list(&self.voters)), proof.encode())
    }
}

fn signed(
    raw: &RawPolkadotBlock,
    set_id: u64,
    authorities: Vec<u8>,
    proof: Vec<u8>,
) -> Option<SignedBlock> {
    let votes = RawGrandpaVotes { set_id, authorities: authorities.into(), proof: proof.into() };
    let raw = RawPolkadotBlock { votes: Some(votes), ..raw.clone() };
    let json = serde_json::to_string(&raw).unwrap();
    assert_eq!(serde_json::from_str::<RawPolkadotBlock>(&json).unwrap(), raw);
    // a block stays a block, whatever comes as votes
    let verified = verify(row(), &UntrustedBlock::Polkadot(Box::new(raw.clone()))).unwrap();
    assert_eq!(verified.hash(), raw.hash);
    verified.signed().cloned()
}

fn params() -> FinalityParams {
    finality_params(row(), Network::Live).unwrap()
}

/// Set 12, named by a header before.
fn set() -> FinalitySet {
    grandpa_set(SET, &header(99, Hash([2; 32]), &[scheduled_change_item(&list(&VOTERS))]))
}

#[track_caller]
fn shown(evidence: &ConsensusEvidence) {
    let verdict = check_evidence(&params(), &set(), evidence, UnixSeconds(GENESIS + 86_400));
    assert!(matches!(verdict, Verdict::Shown(_)), "{verdict:?}");
}

#[test]
fn votes_for_a_block_become_evidence_with_the_fewest() {
    let blocks = blocks(120..130);
    let raw = &blocks[0];
    let about = header_of(raw);
    let all = Answer::new(&about, (0..6).map(|index| vote(index, &about)).collect());
    let SignedBlock { evidence, ends_set, .. } = all.signed(raw).unwrap();
    shown(&evidence);
    assert_eq!((evidence.number, evidence.hash, ends_set), (BlockNumber(120), raw.hash, None));
    // 16 set and round, header, count, bits, four votes of 65
    assert_eq!(evidence.body.len(), 16 + 1 + 4 + about.encode().len() + 2 + 1 + 4 * 65);
    // votes in another order are the same evidence
    let mut turned = Answer::new(&about, all.justification.precommits.clone());
    turned.justification.precommits.reverse();
    assert_eq!(turned.signed(raw).unwrap().evidence, evidence);
    // the last block of a set is the step to the next
    let last = header_of(&blocks[8]);
    let of_last = Answer::new(&last, (0..4).map(|index| vote(index, &last)).collect());
    let SignedBlock { evidence, ends_set, .. } = of_last.signed(&blocks[8]).unwrap();
    assert_eq!(ends_set, Some(SET));
    let next = set().advance(&params(), &evidence.body, UnixSeconds(GENESIS + 86_400));
    let next = next.shown().unwrap();
    assert_eq!((next.number(), next.id()), (SET + 1, blocks[8].hash));
    assert!(has_votes(&last) && names_authorities(&last));
    assert!(!has_votes(&about) && !names_authorities(&about));
}

#[test]
fn votes_for_a_later_block_are_linked_to_the_one_that_was_asked_for() {
    let blocks = blocks(110..118);
    let raw = &blocks[0];
    let at = |number: usize| header_of(&blocks[number - 110]);
    // as nodes answer: the newest final block, the headers up to there, votes for it and its children
    let mut answer = Answer::new(&at(113), (0..3).map(|index| vote(index, &at(113))).collect());
    answer.headers = vec![at(111), at(112), at(113)];
    answer.justification.precommits.extend([vote(3, &at(115)), vote(4, &at(114))]);
    answer.justification.ancestries = vec![at(115), at(114)];
    let evidence = answer.signed(raw).unwrap().evidence;
    shown(&evidence);
    assert_eq!((evidence.number, evidence.hash), (BlockNumber(110), raw.hash));
    // the vote for 115 is not needed, nor is its header
    let size = evidence.body.len();
    answer.justification.precommits.push(vote(5, &at(115)));
    assert_eq!(answer.signed(raw).unwrap().evidence.body.len(), size);
    // a fork above takes its votes along, and no more
    let fork = header(114, at(113).hash(), &[]);
    answer.justification.precommits[3] = vote(3, &fork);
    answer.justification.ancestries.push(fork.clone());
    shown(&answer.signed(raw).unwrap().evidence);
    answer.justification.precommits[4] = vote(4, &fork);
    answer.justification.precommits[5] = vote(5, &fork);
    shown(&answer.signed(raw).unwrap().evidence);
    answer.justification.ancestries.pop();
    assert_eq!(answer.signed(raw), None);
    // a header between is missing
    answer.justification.ancestries.push(fork);
    answer.headers.remove(1);
    assert_eq!(answer.signed(raw), None);
}

#[test]
fn false_votes_are_dropped_and_fail_no_block() {
    let blocks = blocks(110..114);
    let raw = &blocks[0];
    let about = header_of(raw);
    let answer = |indexes: Range<usize>| {
        Answer::new(&about, indexes.map(|index| vote(index, &about)).collect())
    };
    assert!(answer(0..4).signed(raw).is_some());
    assert_eq!(answer(0..3).signed(raw), None);
    // a false signature, a stranger and a second vote are no votes, and stop no others
    let mut some_false = answer(0..6);
    some_false.justification.precommits[1].signature[9] ^= 1;
    let stranger = signing_key(50);
    let mut by_stranger = vote(0, &about);
    by_stranger.key = stranger.verifying_key().to_bytes();
    by_stranger.signature = stranger.sign(&signed_bytes(&about, ROUND, SET)).to_bytes();
    some_false.justification.precommits.insert(0, by_stranger);
    some_false.justification.precommits.push(vote(0, &about));
    shown(&some_false.signed(raw).unwrap().evidence);
    some_false.justification.precommits.retain(|one| one.key != vote(5, &about).key);
    assert_eq!(some_false.signed(raw), None);
    let lacks = |change: &dyn Fn(&mut Answer)| {
        let mut changed = answer(0..4);
        change(&mut changed);
        assert_eq!(changed.signed(raw), None);
    };
    lacks(&|answer| answer.set_id += 1);
    lacks(&|answer| answer.justification.round += 1);
    lacks(&|answer| answer.voters = NEXT.to_vec());
    lacks(&|answer| answer.voters.clear());
    lacks(&|answer| answer.voters[5].0 = 1);
    lacks(&|answer| answer.justification.precommits.clear());
    // more than a reader takes, in headers that a node made up
    let large = header(111, raw.hash, &[(0_u8, vec![0_u8; 1 << 17]).encode()]);
    let mut of_large = Answer::new(&large, (0..4).map(|index| vote(index, &large)).collect());
    of_large.headers = vec![large];
    assert_eq!(of_large.signed(raw), None);
    // votes for a sibling, and for the parent
    assert_eq!(answer(0..4).signed(&blocks[1]), None);
    let sibling = header(110, Hash([3; 32]), &[]);
    let of_sibling = Answer::new(&sibling, (0..4).map(|index| vote(index, &sibling)).collect());
    assert_eq!(of_sibling.signed(raw), None);
    // bytes cut anywhere, or continued
    let whole = answer(0..4);
    let authorities = encode_authorities(&list(&VOTERS));
    let proof = GrandpaFinalityProof {
        hash: raw.hash,
        justification: whole.justification.encode(),
        headers: Vec::new(),
    };
    let proof = proof.encode();
    assert!(signed(raw, SET, authorities.clone(), proof.clone()).is_some());
    for length in 0..proof.len() {
        assert_eq!(signed(raw, SET, authorities.clone(), proof[..length].to_vec()), None);
    }
    for length in 0..authorities.len() {
        assert_eq!(signed(raw, SET, authorities[..length].to_vec(), proof.clone()), None);
    }
    let longer = |bytes: &[u8]| [bytes, &[0]].concat();
    assert_eq!(signed(raw, SET, authorities.clone(), longer(&proof)), None);
    assert_eq!(signed(raw, SET, longer(&authorities), proof), None);
}

#[test]
fn only_the_relay_chain_of_polkadot_has_params() {
    assert!(matches!(params(), FinalityParams::Grandpa(_)));
    let mut other = row().clone();
    other.caip2 = "polkadot:e143f23803ac50e8f6f8e62695d1ce9e".to_owned();
    assert_eq!(finality_params(&other, Network::Live), None);
}
