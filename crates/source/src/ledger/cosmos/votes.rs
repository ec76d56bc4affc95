//! Validators of a simulated chain, with public keys, and their votes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signer, SigningKey};
use superroot_chain::ledger::cosmos::{
    RawCommitSignature, RawCosmosCommit, RawCosmosHeader, RawParts, RawPublicKey, RawValidator,
};
use superroot_proof::hash::sha256_joined;
use superroot_proof::ledger::cosmos::{
    CosmosBlockId, CosmosValidator, Header, precommit_bytes, validators_hash,
};
use superroot_types::Hash;

/// Powers by rank: the last one of a set leaves with the next set.
const POWERS: [u64; 4] = [40, 30, 20, 15];
/// Ranks that sign: 90 of 105, and 60 that stay signers in the next set.
const VOTERS: usize = 3;
const VOTE_SECONDS: u64 = 1;

/// Validators at a height.
#[derive(Debug)]
pub(super) struct SimulatedSigners {
    keys: Vec<(SigningKey, u64)>,
}

impl SimulatedSigners {
    /// Changed by one validator in each set.
    pub(super) fn at(height: u64, set_blocks: u64) -> Self {
        let set = height.checked_div(set_blocks).unwrap_or(0);
        let key = |(rank, power): (u64, u64)| {
            let index = set.saturating_add(rank);
            let seed = format!("superroot simulated, not secret: validator {index}");
            (SigningKey::from_bytes(&sha256_joined(&[seed.as_bytes()]).0), power)
        };
        Self { keys: (0..).zip(POWERS).map(key).collect() }
    }

    fn validators(&self) -> Vec<CosmosValidator> {
        let one = |(key, power): &(SigningKey, u64)| CosmosValidator {
            key: key.verifying_key().to_bytes(),
            power: *power,
        };
        self.keys.iter().map(one).collect()
    }

    pub(super) fn hash(&self) -> Hash {
        validators_hash(&self.validators())
    }

    /// Commit of round 0.
    pub(super) fn commit(&self, header: &Header) -> RawCosmosCommit {
        let parts_hash = sha256_joined(&[b"parts", &header.hash().0]);
        let id = CosmosBlockId { hash: header.hash(), part_count: 1, parts_hash };
        let seconds = header.seconds.saturating_add(VOTE_SECONDS);
        let later = RawCosmosHeader::from(&Header { seconds, nanos: 0, ..header.clone() });
        let absent = "0001-01-01T00:00:00Z";
        let vote = |(rank, (key, _)): (usize, &(SigningKey, u64))| {
            let time = seconds.saturating_mul(1_000_000_000);
            let vote = precommit_bytes(&header.chain_id, (header.height, 0), &id, time);
            let signature = STANDARD.encode(key.sign(&vote).to_bytes());
            let is_voter = rank < VOTERS;
            RawCommitSignature {
                block_id_flag: if is_voter { 2 } else { 1 },
                timestamp: if is_voter { later.time.clone() } else { absent.to_owned() },
                signature: is_voter.then_some(signature),
            }
        };
        let validator = |one: CosmosValidator| RawValidator {
            pub_key: RawPublicKey {
                name: "tendermint/PubKeyEd25519".to_owned(),
                value: STANDARD.encode(one.key),
            },
            voting_power: one.power.to_string(),
        };
        RawCosmosCommit {
            round: 0,
            parts: RawParts { total: id.part_count, hash: const_hex::encode_upper(parts_hash.0) },
            signatures: self.keys.iter().enumerate().map(vote).collect(),
            validators: self.validators().into_iter().map(validator).collect(),
        }
    }
}
