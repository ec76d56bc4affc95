//! Made epochs of Aptos: validators with known keys, accumulators, signed ledger infos.

use blst::min_pk::{AggregateSignature, SecretKey};
use superroot_proof::finality::beacon::SUITE;
use superroot_proof::finality::ledger_info::*;
use superroot_proof::finality::*;
use superroot_proof::hash::sha3_256_joined;
use superroot_proof::ledger::aptos::*;
use superroot_types::{BlockNumber, Hash};

/// End of epoch 0.
pub(crate) const GENESIS: u64 = 1_794_900_000;
/// Seconds of an epoch.
pub(crate) const EPOCH: u64 = 7_200;

pub(crate) const PARAMS: FinalityParams =
    FinalityParams::LedgerInfo(LedgerInfoParams { trusted_seconds: 14 * 86_400 });

/// Validators by seeds of their keys, and powers.
pub(crate) type Members = [(u8, u64)];

pub(crate) fn secret(seed: u8) -> SecretKey {
    SecretKey::key_gen(&[seed ^ 0x5a; 32], &[]).unwrap()
}

pub(crate) fn epoch(epoch: u64, members: &Members) -> AptosEpoch {
    let validator = |(seed, power): &(u8, u64)| AptosValidator {
        address: Hash([*seed; 32]),
        key: secret(*seed).sk_to_pk().compress(),
        power: *power,
    };
    AptosEpoch { epoch, validators: members.iter().map(validator).collect() }
}

/// Set of an epoch's validators.
pub(crate) fn set(number: u64, members: &Members) -> FinalitySet {
    let end = AptosEpochEnd {
        epoch: number - 1,
        root: Hash([3; 32]),
        version: 5,
        timestamp_us: (GENESIS + EPOCH * (number - 1)) * 1_000_000 + 999_999,
        next: epoch(number, members),
    };
    FinalitySet::LedgerInfo(LedgerInfoSet::new(end).unwrap())
}

/// Ledger info of a version, half an epoch after the begin.
pub(crate) fn info(number: u64, version: u64, root: Hash) -> AptosLedgerInfo {
    AptosLedgerInfo {
        epoch: number,
        round: 9,
        id: Hash([7; 32]),
        root,
        version,
        timestamp_us: (GENESIS + EPOCH * (number - 1) + EPOCH / 2) * 1_000_000,
        next: None,
        consensus_data_hash: Hash([8; 32]),
    }
}

/// Last ledger info of an epoch.
pub(crate) fn last(number: u64, version: u64, root: Hash, next: &Members) -> AptosLedgerInfo {
    let next = Some(epoch(number + 1, next));
    let timestamp_us = (GENESIS + EPOCH * number) * 1_000_000;
    AptosLedgerInfo { next, timestamp_us, ..info(number, version, root) }
}

/// Signed by the members at these places.
pub(crate) fn sign(info: AptosLedgerInfo, own: &Members, signers: &[usize]) -> SignedLedgerInfo {
    let message = [&sha3_256_joined(&[b"APTOS::LedgerInfo"]).0[..], &info.encode()].concat();
    let mut bits = vec![0; own.len().div_ceil(8)];
    let mut all = Vec::new();
    for index in signers {
        bits[index / 8] |= 0x80 >> (index % 8);
        all.push(secret(own[*index].0).sign(&message, SUITE, &[]));
    }
    let all: Vec<_> = all.iter().collect();
    let sum = AggregateSignature::aggregate(&all, false);
    let signature = sum.map_or([0; 96], |sum| sum.to_signature().compress());
    SignedLedgerInfo { info, bits, signature, earlier: None }
}

pub(crate) fn evidence(hash: Hash, signed: &SignedLedgerInfo) -> ConsensusEvidence {
    ConsensusEvidence {
        kind: FinalityKind::LedgerInfo,
        number: BlockNumber(77),
        hash,
        body: signed.encode(),
    }
}

pub(crate) fn leaf(version: u64) -> Hash {
    sha3_256_joined(&[&version.to_le_bytes()])
}

/// Node of an accumulator with `count` leaves by the recursive definition: a place without leaves is the placeholder.
pub(crate) fn node(count: u64, height: u32, index: u64) -> Hash {
    if index << height >= count {
        return PLACEHOLDER;
    }
    if height == 0 {
        return leaf(index);
    }
    let seed = sha3_256_joined(&[b"APTOS::TransactionAccumulator"]);
    let below = [2 * index, 2 * index + 1].map(|index| node(count, height - 1, index));
    sha3_256_joined(&[&seed.0, &below[0].0, &below[1].0])
}

const fn depth(count: u64) -> u32 {
    count.next_power_of_two().trailing_zeros()
}

pub(crate) fn root(count: u64) -> Hash {
    node(count, depth(count), 0)
}

/// Siblings of a leaf among `count` leaves, as a node gives them.
pub(crate) fn siblings(count: u64, version: u64) -> Vec<Hash> {
    (0..depth(count)).map(|height| node(count, height, (version >> height) ^ 1)).collect()
}

pub(crate) fn earlier(count: u64, version: u64) -> EarlierRoot {
    EarlierRoot::of_leaf(version, &leaf(version), &siblings(count, version)).unwrap()
}
