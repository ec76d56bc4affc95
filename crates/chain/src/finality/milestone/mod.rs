//! Milestones from Heimdall nodes as evidence. Nodes are not believed: a milestone without a path to the header's root, or
//! without enough valid votes, is no evidence.

mod ics23;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use superroot_proof::finality::commit::BlockCommit;
use superroot_proof::finality::milestone::{
    BorMilestone, HeimdallKey, MilestoneBody, MilestoneParams,
};
use superroot_proof::finality::{ConsensusEvidence, FinalityKind};
use superroot_proof::ledger::cosmos::Header;

pub use self::ics23::{iavl_path, store_path};
use crate::ledger::cosmos::{
    RawCosmosCommit, RawCosmosHeader, VoteForm, block_commit, read_header,
};

/// Key type names differ between releases; the length does not.
const HEIMDALL: VoteForm = VoteForm { key_type: None, signature_bytes: 65 };

/// Proof for a value, from the store's tree or the tree over all stores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawProofOp {
    /// `ics23:iavl`, `ics23:simple`
    #[serde(rename = "type")]
    pub name: String,
    /// Message `CommitmentProof`, base64.
    pub data: String,
}

/// Heimdall height.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawHeimdallHeight {
    pub header: RawCosmosHeader,
    pub commit: RawCosmosCommit,
}

/// Milestone in the state after a height.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawMilestone {
    /// Number.
    pub number: u64,
    /// Message `Milestone`.
    pub value: Vec<u8>,
    /// In the store, then over the stores.
    pub proofs: Vec<RawProofOp>,
}

/// Faulty part in a node's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{part} is malformed or does not show the block")]
pub struct MilestoneFault {
    /// Part.
    pub part: &'static str,
}

fn fault(part: &'static str) -> MilestoneFault {
    MilestoneFault { part }
}

/// Header, and the commit with the fewest valid votes.
fn signed(
    params: &MilestoneParams,
    raw: &RawHeimdallHeight,
) -> Result<(Header, BlockCommit<HeimdallKey>), MilestoneFault> {
    let chain_id = &params.heimdall.chain_id;
    let header = read_header(&raw.header).map_err(|_| fault("header"))?;
    if header.chain_id != *chain_id {
        return Err(fault("chain id of the header"));
    }
    let commit = block_commit(&HEIMDALL, &header, &raw.commit);
    let commit = commit.and_then(|commit| commit.with_fewest(chain_id));
    Ok((header, commit.ok_or(fault("commit"))?))
}

/// Evidence with the fewest valid votes. `raw` is the height behind the state's.
///
/// # Errors
/// [`MilestoneFault`] naming the part.
pub fn milestone_evidence(
    params: &MilestoneParams,
    milestone: &RawMilestone,
    raw: &RawHeimdallHeight,
) -> Result<ConsensusEvidence, MilestoneFault> {
    let block = BorMilestone::decode(&milestone.value).map_err(|_| fault("milestone"))?;
    let [path, stores] = milestone.proofs.as_slice() else { return Err(fault("proofs")) };
    let decoded = |op: &RawProofOp| STANDARD.decode(&op.data).ok();
    let path = decoded(path).and_then(|bytes| iavl_path(&bytes));
    let stores = decoded(stores).and_then(|bytes| store_path(&bytes));
    let (header, commit) = signed(params, raw)?;
    let body = MilestoneBody {
        commit: commit.encode(),
        number: milestone.number,
        milestone: milestone.value.clone(),
        path: path.ok_or(fault("proof in the store"))?,
        stores: stores.ok_or(fault("proof over the stores"))?,
    };
    body.check_state(&header.app_hash).map_err(|_| fault("app hash"))?;
    Ok(ConsensusEvidence {
        kind: FinalityKind::Milestone,
        number: block.end_block,
        hash: block.hash,
        body: body.encode(),
    })
}

/// Step to the set with this number: the commit of its header.
///
/// # Errors
/// [`MilestoneFault`] naming the part.
pub fn heimdall_step(
    params: &MilestoneParams,
    set: u64,
    raw: &RawHeimdallHeight,
) -> Result<Vec<u8>, MilestoneFault> {
    let (header, commit) = signed(params, raw)?;
    let first = set.checked_mul(params.heimdall.set_blocks);
    if first != Some(header.height) {
        return Err(fault("height of the header"));
    }
    Ok(commit.encode())
}
