//! A node's commit as evidence.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use superroot_proof::finality::commit::{BlockCommit, CommitSignature, VALIDATORS_MAX};
use superroot_proof::finality::{ConsensusEvidence, FinalityKind};
use superroot_proof::ledger::cosmos::{CosmosValidator, Header, VALIDATOR_KEY_BYTES, ValidatorKey};
use superroot_types::{BlockNumber, Hash};

use super::params::CosmosParams;
use super::raw::{RawCommitSignature, RawCosmosCommit, RawValidator};
use crate::block::SignedBlock;

/// `BLOCK_ID_FLAG_COMMIT`: a vote for the block.
const FOR_BLOCK: u8 = 2;

/// Key and signature forms in node answers.
pub(crate) struct VoteForm {
    /// Key type name; `None` for any.
    pub(crate) key_type: Option<&'static str>,
    /// Signature length: the vote's, and a recovery byte on Heimdall.
    pub(crate) signature_bytes: usize,
}

const ED25519: VoteForm =
    VoteForm { key_type: Some("tendermint/PubKeyEd25519"), signature_bytes: 64 };

/// Commit with all readable votes for the block; `None` for unreadable validators or parts.
pub(crate) fn block_commit<K: ValidatorKey>(
    form: &VoteForm,
    header: &Header,
    commit: &RawCosmosCommit,
) -> Option<BlockCommit<K>> {
    let RawCosmosCommit { round, parts, signatures, validators } = commit;
    if validators.len() > VALIDATORS_MAX || signatures.len() != validators.len() {
        return None;
    }
    let votes = signatures.iter().enumerate().filter(|(_, vote)| vote.block_id_flag == FOR_BLOCK);
    Some(BlockCommit {
        header: header.encode(),
        round: *round,
        part_count: parts.total,
        parts_hash: Hash(const_hex::decode_to_array(&parts.hash).ok()?),
        validators: validators.iter().map(|raw| validator(form, raw)).collect::<Option<_>>()?,
        signatures: votes.filter_map(|(index, vote)| signature(form, index, vote)).collect(),
    })
}

/// Evidence with the fewest valid votes; `None` for a commit that does not show the block.
pub(super) fn signed(
    params: &CosmosParams,
    header: &Header,
    commit: &RawCosmosCommit,
) -> Option<SignedBlock> {
    let commit: BlockCommit<[u8; VALIDATOR_KEY_BYTES]> = block_commit(&ED25519, header, commit)?;
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

fn validator<K: ValidatorKey>(form: &VoteForm, raw: &RawValidator) -> Option<CosmosValidator<K>> {
    let is_known = form.key_type.is_none_or(|name| name == raw.pub_key.name);
    let key = STANDARD.decode(&raw.pub_key.value).ok().filter(|_| is_known)?;
    Some(CosmosValidator { key: K::read(&key)?, power: raw.voting_power.parse().ok()? })
}

/// A vote; `None` for a malformed one.
fn signature(form: &VoteForm, index: usize, raw: &RawCommitSignature) -> Option<CommitSignature> {
    let (seconds, nanos) = super::header::time(&raw.timestamp).ok()?;
    let time = seconds.checked_mul(1_000_000_000)?.checked_add(nanos.into())?;
    let bytes = STANDARD.decode(raw.signature.as_ref()?).ok()?;
    let signature = *bytes.first_chunk().filter(|_| bytes.len() == form.signature_bytes)?;
    Some(CommitSignature { index, time, signature })
}
