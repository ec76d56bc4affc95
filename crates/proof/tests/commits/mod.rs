//! Made heights of a CometBFT chain: headers, validators with known keys, votes.

use ed25519_dalek::{Signer, SigningKey};
use superroot_proof::finality::commit::*;
use superroot_proof::finality::*;
use superroot_proof::ledger::cosmos::*;
use superroot_types::{BlockNumber, Hash};

/// Time of height 0.
pub(crate) const GENESIS: u64 = 1_794_990_000;
pub(crate) const CHAIN_ID: &str = "made-1";

/// Sets 32 blocks apart.
pub(crate) fn short() -> CommitParams {
    CommitParams { chain_id: CHAIN_ID.to_owned(), set_blocks: 32, trusted_seconds: 14 * 86_400 }
}

pub(crate) fn signing_key(seed: u8) -> SigningKey {
    SigningKey::from_bytes(&[seed ^ 0x5c; 32])
}

/// Validators by seeds of their keys, and powers.
pub(crate) type Members = [(u8, u64)];

pub(crate) fn list(members: &Members) -> Vec<CosmosValidator> {
    let one = |(seed, power): &(u8, u64)| CosmosValidator {
        key: signing_key(*seed).verifying_key().to_bytes(),
        power: *power,
    };
    members.iter().map(one).collect()
}

/// Header of a height, six seconds behind the one before.
pub(crate) fn header(height: u64, own: &Members, next: &Members) -> Header {
    let id = CosmosBlockId { hash: Hash([1; 32]), part_count: 1, parts_hash: Hash([2; 32]) };
    Header {
        version_block: 11,
        version_app: 0,
        chain_id: CHAIN_ID.to_owned(),
        height,
        seconds: GENESIS + 6 * height,
        nanos: 500_000_000,
        last_block_id: Some(id),
        last_commit_hash: Hash([3; 32]),
        data_hash: Hash([4; 32]),
        validators_hash: validators_hash(&list(own)),
        next_validators_hash: validators_hash(&list(next)),
        consensus_hash: Hash([5; 32]),
        app_hash: vec![6; 32],
        last_results_hash: Hash([7; 32]),
        evidence_hash: Hash([8; 32]),
        proposer_address: [9; 20],
    }
}

/// Commit of round 1 by the members at these places; `sign` changes what one of them signs.
pub(crate) fn commit_with(
    header: &Header,
    own: &Members,
    signers: &[usize],
    sign: impl Fn(usize, &CosmosBlockId, u64) -> Vec<u8>,
) -> BlockCommit {
    let id = CosmosBlockId { hash: header.hash(), part_count: 3, parts_hash: Hash([10; 32]) };
    let vote = |index: &usize| {
        let time = header.time_nanos().unwrap() + 1_000_000_007 * (*index as u64 + 1);
        let signature = signing_key(own[*index].0).sign(&sign(*index, &id, time)).to_bytes();
        CommitSignature { index: *index, time, signature }
    };
    BlockCommit {
        header: header.encode(),
        round: 1,
        part_count: id.part_count,
        parts_hash: id.parts_hash,
        validators: list(own),
        signatures: signers.iter().map(vote).collect(),
    }
}

pub(crate) fn commit(header: &Header, own: &Members, signers: &[usize]) -> BlockCommit {
    commit_with(header, own, signers, |_, id, time| {
        precommit_bytes(&header.chain_id, (header.height, 1), id, time)
    })
}

pub(crate) fn evidence_of(header: &Header, commit: &BlockCommit) -> ConsensusEvidence {
    ConsensusEvidence {
        kind: FinalityKind::Commit,
        number: BlockNumber(header.height),
        hash: header.hash(),
        body: commit.encode(),
    }
}

pub(crate) fn commit_set(params: &FinalityParams, header: &Header, own: &Members) -> FinalitySet {
    let bytes = write_commit_set(&header.encode(), &list(own));
    FinalitySet::decode(params, &bytes).unwrap()
}
