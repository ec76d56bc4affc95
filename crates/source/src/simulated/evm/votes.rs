//! Validators of a simulated BNB Smart Chain, with public keys, and votes in headers.

use alloy_rlp::{Encodable, Header};
use blst::min_pk::{AggregateSignature, SecretKey};
use superroot_proof::finality::vote::{BlockVote, SUITE, VoteParams};
use superroot_proof::hash::keccak256;
use superroot_types::{BlockNumber, Hash};

use super::contract::low_20;

/// Chain id of BNB Smart Chain.
const CHAIN_ID: u64 = 56;
const COUNT: u64 = 4;
/// Voters: a quorum.
const VOTERS: usize = 3;
/// Blocks that a validator makes in a row.
const TURN: u8 = 1;
const VANITY: [u8; 32] = *b"superroot simulated, not secret.";
const SEAL: [u8; 65] = [0; 65];

/// Validators, different in each epoch.
#[derive(Debug)]
pub(super) struct SimulatedValidators {
    params: VoteParams,
}

impl SimulatedValidators {
    /// `None` for chains without votes in headers.
    pub(super) fn of_chain(chain_id: u64) -> Option<Self> {
        (chain_id == CHAIN_ID).then_some(Self { params: VoteParams::SIMULATED })
    }

    /// Address and key of each validator, by address.
    fn of_epoch(epoch: u64) -> Vec<([u8; 20], SecretKey)> {
        let validator = |index: u64| {
            let seed =
                format!("superroot simulated, not secret: validator {index} of epoch {epoch}");
            let key = SecretKey::key_gen(seed.as_bytes(), &[]).ok()?;
            Some((low_20(&keccak256(seed.as_bytes())).0, key))
        };
        let mut validators: Vec<_> = (0..COUNT).filter_map(validator).collect();
        validators.sort_unstable_by_key(|(address, _)| *address);
        validators
    }

    /// Voters' epoch for a target.
    fn epoch_of(&self, target: u64) -> u64 {
        let behind = (COUNT / 2 + 1) * u64::from(TURN);
        target.saturating_sub(behind) / self.params.epoch_blocks
    }

    /// Extra data of a header, with a vote from grandparent to parent, by these hashes.
    pub(super) fn extra_data(&self, number: u64, voted: Option<(Hash, Hash)>) -> Vec<u8> {
        let mut out = VANITY.to_vec();
        if number.is_multiple_of(self.params.epoch_blocks) {
            let validators = Self::of_epoch(number / self.params.epoch_blocks);
            out.extend(u8::try_from(validators.len()));
            for (address, key) in &validators {
                out.extend_from_slice(address);
                out.extend_from_slice(&key.sk_to_pk().compress());
            }
            out.push(TURN);
        }
        if let Some((source, target)) = voted.filter(|_| number >= 2) {
            let source = (BlockNumber(number - 2), source);
            let target = (BlockNumber(number - 1), target);
            let vote = BlockVote { source, target, bits: 0, signature: [0; 96] };
            write(&self.signed(vote), &mut out);
        }
        out.extend_from_slice(&SEAL);
        out
    }

    fn signed(&self, vote: BlockVote) -> BlockVote {
        let validators = Self::of_epoch(self.epoch_of(vote.target.0.0));
        let message = vote.message();
        let voters = validators.iter().take(VOTERS);
        let signatures: Vec<_> = voters.map(|(_, key)| key.sign(&message.0, SUITE, &[])).collect();
        let all: Vec<_> = signatures.iter().collect();
        let sum = AggregateSignature::aggregate(&all, false);
        let signature = sum.map_or([0; 96], |sum| sum.to_signature().compress());
        BlockVote { bits: (1 << VOTERS) - 1, signature, ..vote }
    }
}

/// RLP list of bits, signature, data and free bytes.
fn write(vote: &BlockVote, out: &mut Vec<u8>) {
    let mut data = Vec::new();
    for (number, hash) in [&vote.source, &vote.target] {
        number.0.encode(&mut data);
        hash.0.encode(&mut data);
    }
    let mut items = Vec::new();
    vote.bits.encode(&mut items);
    vote.signature.encode(&mut items);
    Header { list: true, payload_length: data.len() }.encode(&mut items);
    items.extend_from_slice(&data);
    [0_u8; 0].encode(&mut items);
    Header { list: true, payload_length: items.len() }.encode(out);
    out.extend_from_slice(&items);
}
