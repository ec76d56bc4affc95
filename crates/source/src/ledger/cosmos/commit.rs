//! Commits and validators of nodes.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;
use superroot_chain::ledger::cosmos::{
    RawBlockId, RawCommitSignature, RawCosmosCommit, RawValidator,
};
use superroot_types::BlockNumber;

use crate::error::SourceError;
use crate::live::node::LiveNode;
use crate::live::node::json_rpc::Call;

/// `(height) -> header and votes`
pub(crate) const COMMIT: &str = "commit";
/// `(height, page, per_page) -> validators`, at most 100
pub(crate) const VALIDATORS: &str = "validators";

pub(crate) const PAGE_VALIDATORS: usize = 100;
/// Most validators asked for.
pub(crate) const PAGES_MAX: usize = 5;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CommitAnswer {
    pub(crate) signed_header: ShownSignedHeader,
}

/// Signed header, without the header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShownSignedHeader {
    pub(crate) commit: ShownCommit,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShownCommit {
    pub(crate) round: u32,
    pub(crate) block_id: RawBlockId,
    pub(crate) signatures: Vec<RawCommitSignature>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ValidatorsAnswer {
    pub(crate) validators: Vec<RawValidator>,
    /// All validators, decimal.
    pub(crate) total: String,
}

/// Commit of a height with the validators, unchecked.
pub(super) async fn commit_at(
    node: &Arc<LiveNode>,
    number: BlockNumber,
) -> Result<RawCosmosCommit, SourceError> {
    let height = number.to_string();
    let outcome = node.ask(Call::large(COMMIT, json!([height]))).await;
    let CommitAnswer { signed_header: ShownSignedHeader { commit } } =
        node.read(COMMIT, outcome).await?;
    let mut validators = Vec::new();
    for page in 1..=PAGES_MAX {
        let params = json!([height, page.to_string(), PAGE_VALIDATORS.to_string()]);
        let outcome = node.ask(Call::large(VALIDATORS, params)).await;
        let answer: ValidatorsAnswer = node.read(VALIDATORS, outcome).await?;
        let is_last = answer.validators.len() < PAGE_VALIDATORS;
        validators.extend(answer.validators);
        if is_last || validators.len().to_string() == answer.total {
            break;
        }
    }
    let ShownCommit { round, block_id, signatures } = commit;
    Ok(RawCosmosCommit { round, parts: block_id.parts, signatures, validators })
}
