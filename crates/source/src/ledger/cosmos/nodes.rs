//! `CometBFT` JSON-RPC of nodes and gateways.

use std::sync::{Arc, Mutex, PoisonError};

use serde::de::DeserializeOwned;
use serde_json::json;
use superroot_chain::finality::finality_params;
use superroot_chain::ledger::cosmos::{
    RawCosmosBlock, RawCosmosCommit, RawCosmosHeader, check_header, names_chain,
};
use superroot_chain::{ChainSpec, FinalityRule, UntrustedBlock};
use superroot_proof::finality::FinalityParams;
use superroot_types::{BlockNumber, Hash, Network};

use super::commit::commit_at;
use super::{BLOCK, BLOCKCHAIN, BlockAnswer, CosmosStatus, Headers, Meta, STATUS, parse_shown};
use crate::error::{CallFault, SourceError};
use crate::ledger::{NodeTip, words_of};
use crate::live::node::LiveNode;
use crate::live::node::json_rpc::{Call, Outcome};
use crate::replay::methods::NOT_RECORDED;
use crate::{BlockAt, BlockParts, ClaimedBlock};

#[derive(Clone, Debug)]
pub(crate) struct Cosmos {
    caip2: String,
    /// Blocks required after a block for finality; default 0.
    confirmations: u64,
    /// Blocks between sets of validators, for chains with evidence.
    set_blocks: Option<u64>,
    /// Last set's block without votes, and failed fetches of the block.
    missed: Arc<Mutex<(u64, u32)>>,
}

/// Blocks from one commit that is asked for to the next.
const COMMIT_BLOCKS: u64 = 20;
/// Fetches of a set's block before the block is taken without votes: a node behind a gateway may lag, and a node
/// without old validators would stop the chain.
const SET_ATTEMPTS: u32 = 6;

impl Cosmos {
    pub(crate) fn with_finality(
        row: &ChainSpec,
        finality: FinalityRule,
    ) -> Result<Self, SourceError> {
        let confirmations = match finality {
            FinalityRule::Latest => 0,
            FinalityRule::Confirmations(count) => count,
            FinalityRule::Tag => {
                let why = format!(
                    "is {:?}, expected latest or a number of confirmations: nodes of the {} family \
                     have no tags",
                    words_of(finality),
                    row.family()
                );
                return Err(SourceError::setup("finality", why));
            }
        };
        let set_blocks = match finality_params(row, Network::Live) {
            Some(FinalityParams::Commit(params)) => Some(params.set_blocks),
            _ => None,
        };
        Ok(Self { caip2: row.caip2.clone(), confirmations, set_blocks, missed: Arc::default() })
    }

    /// Checks the chain id reported by the node. Returns the client name.
    pub(crate) async fn greet(&self, node: &Arc<LiveNode>) -> Result<String, SourceError> {
        let CosmosStatus { node_info, .. } = node.call(STATUS, json!([])).await?;
        if names_chain(&self.caip2, &node_info.network) {
            return Ok(node_info.version);
        }
        Err(node.mismatch(STATUS, "chain id", &node_info.network, &self.caip2))
    }

    pub(crate) async fn tip(&self, node: &Arc<LiveNode>) -> Result<NodeTip, SourceError> {
        let CosmosStatus { sync_info, .. } = node.call(STATUS, json!([])).await?;
        let hash = hash_of(node, STATUS, &sync_info.latest_block_hash)?;
        let head = height_of(node, STATUS, &sync_info.latest_block_height)?;
        let number = head.saturating_sub(self.confirmations);
        Ok(NodeTip {
            head: ClaimedBlock { number: BlockNumber(head), hash },
            safe: None,
            finalized: Some(BlockNumber(number)),
            finalized_hash: (number == head).then_some(hash),
            refused: None,
        })
    }

    pub(crate) async fn hash_at(
        &self,
        node: &Arc<LiveNode>,
        number: BlockNumber,
    ) -> Result<Option<Hash>, SourceError> {
        let raw = header(node, number).await?;
        Ok(raw.map(|raw| raw.hash))
    }

    /// Node's block with this number, regardless of the hash: only a single final block exists, or a node lies.
    pub(crate) async fn block(
        &self,
        node: &Arc<LiveNode>,
        at: BlockAt,
        parts: BlockParts,
    ) -> Result<Option<UntrustedBlock>, SourceError> {
        let mut raw = match parts {
            BlockParts::Header => header(node, at.number()).await?,
            BlockParts::Whole => whole(node, at.number()).await?,
        };
        if let Some(raw) = raw.as_mut().filter(|raw| raw.txs.is_some()) {
            raw.commit = self.commit(node, at.number()).await?;
        }
        Ok(raw.map(|raw| UntrustedBlock::Cosmos(Box::new(raw))))
    }
}

impl Cosmos {
    /// Votes for a block, now and then: a link of headers leads to the blocks between.
    ///
    /// # Errors
    /// For a set's block, if the node gave no answer: without the block there is no step to the set.
    async fn commit(
        &self,
        node: &Arc<LiveNode>,
        number: BlockNumber,
    ) -> Result<Option<RawCosmosCommit>, SourceError> {
        let Some(set_blocks) = self.set_blocks else { return Ok(None) };
        let is_set = number.0.is_multiple_of(set_blocks);
        if !is_set && !number.0.is_multiple_of(COMMIT_BLOCKS) {
            return Ok(None);
        }
        match commit_at(node, number).await {
            Err(error) if is_set && is_passing(&error) && self.is_tried_again(number) => Err(error),
            found => Ok(found.ok()),
        }
    }

    /// Whether a set's block without votes is fetched again.
    fn is_tried_again(&self, number: BlockNumber) -> bool {
        let mut missed = self.missed.lock().unwrap_or_else(PoisonError::into_inner);
        if missed.0 != number.0 {
            *missed = (number.0, 0);
        }
        missed.1 = missed.1.saturating_add(1);
        missed.1 < SET_ATTEMPTS
    }
}

/// Whether another fetch may bring votes: no answer, a gateway's error, or a node behind. Without votes, or with pruned
/// validators, a node refuses otherwise.
fn is_passing(error: &SourceError) -> bool {
    let SourceError::Call { fault, .. } = error else { return false };
    match fault {
        CallFault::Unreachable(_) | CallFault::Timeout(_) | CallFault::Limited(_) => true,
        CallFault::Status { got, .. } => *got >= 500,
        CallFault::NotJsonRpc(_) => true,
        CallFault::Refused { message, .. } => message.contains("current blockchain height"),
        _ => false,
    }
}

/// Header by number, checked against the claimed hash: a mismatch proves a fault in this node and nothing about other
/// nodes.
async fn header(
    node: &Arc<LiveNode>,
    number: BlockNumber,
) -> Result<Option<RawCosmosBlock>, SourceError> {
    let asked = number.to_string();
    let outcome = node.ask(Call::new(BLOCKCHAIN, json!([asked, asked]))).await;
    let Some(Headers { mut block_metas, .. }) = read_there(node, BLOCKCHAIN, outcome).await? else {
        return Ok(None);
    };
    let Some(Meta { block_id, header }) = block_metas.pop() else { return Ok(None) };
    if !block_metas.is_empty() {
        let got = block_metas.len().saturating_add(1).to_string();
        return Err(node.refute(BLOCKCHAIN, "count of headers", &got, "1"));
    }
    check_asked(node, BLOCKCHAIN, number, &header)?;
    let hash = hash_of(node, BLOCKCHAIN, &block_id.hash)?;
    if let Err(error) = check_header(&header, &hash) {
        node.refuted(number, &error);
        let expected = "the hash of its own header";
        return Err(node.mismatch(BLOCKCHAIN, "hash", &hash.to_string(), expected));
    }
    Ok(Some(RawCosmosBlock { hash, header, txs: None, commit: None }))
}

async fn whole(
    node: &Arc<LiveNode>,
    number: BlockNumber,
) -> Result<Option<RawCosmosBlock>, SourceError> {
    let outcome = node.ask(Call::large(BLOCK, json!([number.to_string()]))).await;
    if matches!(outcome, Err(CallFault::Refused { code: NOT_RECORDED, .. })) {
        return header(node, number).await; // a replay server has no more of it
    }
    let Some(BlockAnswer { block_id, block }) = read_there(node, BLOCK, outcome).await? else {
        return Ok(None);
    };
    let Some(block) = block else { return Ok(None) };
    check_asked(node, BLOCK, number, &block.header)?;
    let hash = hash_of(node, BLOCK, &block_id.hash)?;
    let txs = Some(block.data.txs.unwrap_or_default());
    Ok(Some(RawCosmosBlock { hash, header: block.header, txs, commit: None }))
}

/// Rejects a block other than the requested block.
fn check_asked(
    node: &Arc<LiveNode>,
    method: &'static str,
    number: BlockNumber,
    header: &RawCosmosHeader,
) -> Result<(), SourceError> {
    let expected = number.to_string();
    if header.height == expected {
        return Ok(());
    }
    let got = node.clean(&header.height);
    node.wrong(&format!("it answered block {got} when asked for {expected}"));
    Err(node.mismatch(method, "height", &got, expected))
}

/// Reads a result; `None` if the node has no such block.
async fn read_there<T: DeserializeOwned + Send + 'static>(
    node: &Arc<LiveNode>,
    method: &'static str,
    outcome: Outcome,
) -> Result<Option<T>, SourceError> {
    if outcome.as_ref().is_err_and(CallFault::is_not_there) {
        return Ok(None);
    }
    node.read(method, outcome).await.map(Some)
}

fn hash_of(node: &Arc<LiveNode>, method: &'static str, text: &str) -> Result<Hash, SourceError> {
    let wrong = || node.mismatch(method, "hash", text, "64 hex digits");
    parse_shown(text).ok_or_else(wrong)
}

fn height_of(node: &Arc<LiveNode>, method: &'static str, text: &str) -> Result<u64, SourceError> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let wrong = || node.mismatch(method, "height", text, "decimal digits");
    text.parse().ok().filter(|_| is_plain).ok_or_else(wrong)
}
