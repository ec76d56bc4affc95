//! Validators of a simulated chain, with public keys, and their ledger infos.

use blst::min_pk::{AggregateSignature, SecretKey};
use superroot_proof::finality::beacon::SUITE;
use superroot_proof::finality::ledger_info::SignedLedgerInfo;
use superroot_proof::hash::sha3_256_joined;
use superroot_proof::ledger::aptos::{AptosEpoch, AptosLedgerInfo, AptosValidator};
use superroot_types::Hash;

/// Blocks of an epoch.
const EPOCH_BLOCKS: u64 = 32;
/// Powers by rank: the last rank leaves with the next epoch.
const POWERS: [u64; 4] = [40, 30, 20, 15];
/// Ranks that sign: 90 of 105.
const VOTERS: usize = 3;
/// Bits of these ranks.
const VOTER_BITS: u8 = 0b1110_0000;

/// Last version of a simulated block.
#[derive(Clone, Copy, Debug)]
pub(super) struct SimulatedVersion {
    pub(super) number: u64,
    pub(super) root: Hash,
    pub(super) version: u64,
    pub(super) timestamp_us: u64,
}

/// `LedgerInfoWithSignatures` about a block in BCS; an epoch's last names the next epoch.
pub(super) fn sign_version(block: SimulatedVersion) -> Vec<u8> {
    let SimulatedVersion { number, root, version, timestamp_us } = block;
    let epoch = number / EPOCH_BLOCKS;
    let after = number.saturating_add(1);
    let info = AptosLedgerInfo {
        epoch,
        round: number % EPOCH_BLOCKS,
        id: sha3_256_joined(&[b"block", &root.0]),
        root,
        version,
        timestamp_us,
        next: after.is_multiple_of(EPOCH_BLOCKS).then(|| validators(after / EPOCH_BLOCKS)),
        consensus_data_hash: Hash::ZERO,
    };
    let message = info.signed_bytes();
    let keys = keys(epoch).take(VOTERS);
    let signatures: Vec<_> = keys.map(|key| key.sign(&message, SUITE, &[])).collect();
    let all: Vec<_> = signatures.iter().collect();
    let sum = AggregateSignature::aggregate(&all, false).ok();
    let signature = sum.map_or([0; 96], |sum| sum.to_signature().compress());
    SignedLedgerInfo { info, bits: vec![VOTER_BITS], signature, earlier: None }.encode_bcs()
}

/// An epoch's keys: each epoch changes one key.
fn keys(epoch: u64) -> impl Iterator<Item = SecretKey> {
    (epoch..).take(POWERS.len()).filter_map(|index| {
        let seed = format!("superroot simulated, not secret: validator of Aptos {index}");
        SecretKey::key_gen(seed.as_bytes(), &[]).ok()
    })
}

fn validators(epoch: u64) -> AptosEpoch {
    let validator = |(key, power): (SecretKey, u64)| {
        let key = key.sk_to_pk().compress();
        AptosValidator { address: sha3_256_joined(&[&key]), key, power }
    };
    AptosEpoch { epoch, validators: keys(epoch).zip(POWERS).map(validator).collect() }
}
