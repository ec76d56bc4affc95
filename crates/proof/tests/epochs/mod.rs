//! Made epochs of votes: headers, validators with known keys, votes for each block.

use alloy_rlp::Encodable;
use blst::min_pk::{AggregateSignature, SecretKey};
use superroot_proof::finality::vote::*;
use superroot_proof::finality::*;
use superroot_proof::hash::keccak256;
use superroot_types::{BlockNumber, Hash};

/// Time of block 0.
pub(crate) const BEGIN: u64 = 1_794_990_000;

pub(crate) fn trimmed(number: u64) -> Vec<u8> {
    number.to_be_bytes().into_iter().skip_while(|byte| *byte == 0).collect()
}

pub(crate) const SHORT: VoteParams = VoteParams::SIMULATED;

pub(crate) fn key(epoch: u64, index: usize) -> SecretKey {
    SecretKey::key_gen(&[epoch as u8 ^ 0x33, index as u8, 9].repeat(11), &[]).unwrap()
}

/// A header of Shanghai with this extra data, a time of its number's.
pub(crate) fn header(number: u64, parent: Hash, extra: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    let fields: [&[u8]; 16] = [
        &parent.0,
        &[2; 32],
        &[3; 20],
        &[4; 32],
        &[5; 32],
        &[6; 32],
        &[0; 256],
        &[2],
        &trimmed(number),
        &trimmed(30_000_000),
        &trimmed(21_000),
        &trimmed(BEGIN + number),
        extra,
        &[0; 32],
        &[0; 8],
        &[],
    ];
    fields.iter().for_each(|field| field.encode(&mut body));
    let mut out = Vec::new();
    alloy_rlp::Header { list: true, payload_length: body.len() }.encode(&mut out);
    [out, body].concat()
}

pub(crate) fn validators(epoch: u64, count: usize, turn: u8) -> Vec<u8> {
    let mut out = vec![u8::try_from(count).unwrap()];
    for index in 0..count {
        out.extend([&[index as u8; 20][..], &key(epoch, index).sk_to_pk().compress()].concat());
    }
    out.push(turn);
    out
}

pub(crate) fn extra(validators: &[u8]) -> Vec<u8> {
    [&[7; 32], validators, &[8; 65]].concat()
}

/// A line of headers from the first of an epoch on, seven validators and a turn of two.
pub(crate) fn line(from: u64, count: u64) -> Vec<Vec<u8>> {
    let mut parent = Hash([1; 32]);
    let mut headers = Vec::new();
    for number in from..from + count {
        let is_first = number % SHORT.epoch_blocks == 0;
        let own = validators(number / SHORT.epoch_blocks, 7, 2);
        let bytes = header(number, parent, &extra(if is_first { &own } else { &[] }));
        parent = keccak256(&bytes);
        headers.push(bytes);
    }
    headers
}

/// Vote of these validators of an epoch.
pub(crate) fn vote(
    epoch: u64,
    source: (u64, Hash),
    target: (u64, Hash),
    voters: &[usize],
) -> BlockVote {
    let (source, target) = ((BlockNumber(source.0), source.1), (BlockNumber(target.0), target.1));
    let mut vote = BlockVote { source, target, bits: 0, signature: [0; 96] };
    let message = vote.message();
    let sign = |index: &usize| key(epoch, *index).sign(&message.0, SUITE, &[]);
    let signatures: Vec<_> = voters.iter().map(sign).collect();
    let all: Vec<_> = signatures.iter().collect();
    vote.signature = AggregateSignature::aggregate(&all, false).unwrap().to_signature().compress();
    vote.bits = voters.iter().fold(0, |bits, index| bits | 1 << index);
    vote
}

pub(crate) const FIVE: [usize; 5] = [0, 2, 3, 5, 6];
pub(crate) const FIRST: u64 = 320;

pub(crate) fn body(headers: &[Vec<u8>], at: usize, epoch: u64, voters: &[usize]) -> Vec<u8> {
    let hash = |at: usize| keccak256(&headers[at]);
    let number = FIRST + at as u64;
    let vote = vote(epoch, (number, hash(at)), (number + 1, hash(at + 1)), voters);
    write_vote(epoch, &vote, &headers[at + 1])
}

pub(crate) fn evidence(
    headers: &[Vec<u8>],
    at: usize,
    epoch: u64,
    voters: &[usize],
) -> ConsensusEvidence {
    ConsensusEvidence {
        kind: FinalityKind::Vote,
        number: BlockNumber(FIRST + at as u64),
        hash: keccak256(&headers[at]),
        body: body(headers, at, epoch, voters),
    }
}
