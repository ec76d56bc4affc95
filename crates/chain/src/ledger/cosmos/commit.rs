//! A node's commit as evidence.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use superroot_proof::finality::commit::{BlockCommit, CommitSignature, VALIDATORS_MAX};
use superroot_proof::finality::{ConsensusEvidence, FinalityKind};
use superroot_proof::ledger::cosmos::{CosmosValidator, Header};
use superroot_types::{BlockNumber, Hash};

use super::params::CosmosParams;
use super::raw::{RawCommitSignature, RawCosmosCommit, RawValidator};
use crate::block::SignedBlock;

/// `BLOCK_ID_FLAG_COMMIT`: a vote for the block.
const FOR_BLOCK: u8 = 2;
const ED25519: &str = "tendermint/PubKeyEd25519";

/// Evidence with the fewest valid votes; `None` for a commit that does not show the block.
pub(super) fn signed(
    params: &CosmosParams,
    header: &Header,
    commit: &RawCosmosCommit,
) -> Option<SignedBlock> {
    let RawCosmosCommit { round, parts, signatures, validators } = commit;
    if validators.len() > VALIDATORS_MAX || signatures.len() != validators.len() {
        return None;
    }
    let votes = signatures.iter().enumerate().filter(|(_, vote)| vote.block_id_flag == FOR_BLOCK);
    let commit = BlockCommit {
        header: header.encode(),
        round: *round,
        part_count: parts.total,
        parts_hash: Hash(const_hex::decode_to_array(&parts.hash).ok()?),
        validators: validators.iter().map(validator).collect::<Option<_>>()?,
        signatures: votes.filter_map(|(index, vote)| signature(index, vote)).collect(),
    };
    let commit = commit.with_fewest(&header.chain_id)?;
    let evidence = ConsensusEvidence {
        kind: FinalityKind::Commit,
        number: BlockNumber(header.height),
        hash: header.hash(),
        body: commit.encode(),
    };
    let is_set = header.height.is_multiple_of(params.set_blocks);
    let set = header.height.checked_div(params.set_blocks).filter(|_| is_set);
    let ends_set = set.and_then(|set| set.checked_sub(1));
    Some(SignedBlock { evidence, ends_set, step: None })
}

fn validator(raw: &RawValidator) -> Option<CosmosValidator> {
    let key = STANDARD.decode(&raw.pub_key.value).ok().filter(|_| raw.pub_key.name == ED25519)?;
    Some(CosmosValidator { key: key.try_into().ok()?, power: raw.voting_power.parse().ok()? })
}

/// A vote; `None` for a malformed one.
fn signature(index: usize, raw: &RawCommitSignature) -> Option<CommitSignature> {
    let (seconds, nanos) = super::header::time(&raw.timestamp).ok()?;
    let time = seconds.checked_mul(1_000_000_000)?.checked_add(nanos.into())?;
    let signature = STANDARD.decode(raw.signature.as_ref()?).ok()?.try_into().ok()?;
    Some(CommitSignature { index, time, signature })
}
