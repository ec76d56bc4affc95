//! JSON-RPC of `CometBFT`: nodes of a chain and gateways before them.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::json;
use superroot_chain::cosmos::{RawCosmosBlock, RawHeader, check_header, names_chain};
use superroot_chain::{ChainRow, FinalityRule, UntrustedBlock};
use superroot_types::{BlockNumber, Hash};

use super::{BLOCK, BLOCKCHAIN, BlockAnswer, Headers, Meta, STATUS, Status, parse_shown};
use crate::error::{Fault, SourceError};
use crate::ledger::{NodeTip, words_of};
use crate::live::node::Node;
use crate::live::node::json_rpc::{Call, Outcome};
use crate::replay::methods::NOT_RECORDED;
use crate::{BlockAt, BlockId, Parts};

/// How nodes of one chain are asked.
#[derive(Clone, Debug)]
pub(crate) struct Cosmos {
    /// CAIP-2 name of the chain.
    caip2: String,
    /// Blocks that follow one from which on it counts as final; none by default.
    confirmations: u64,
}

impl Cosmos {
    /// How nodes of a chain are asked.
    pub(crate) fn of(row: &ChainRow, finality: FinalityRule) -> Result<Self, SourceError> {
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
        Ok(Self { caip2: row.caip2.clone(), confirmations })
    }

    /// Nodes say of which chain they are. Gives the client's name.
    pub(crate) async fn greet(&self, node: &Arc<Node>) -> Result<String, SourceError> {
        let Status { node_info, .. } = node.call(STATUS, json!([])).await?;
        if names_chain(&self.caip2, &node_info.network) {
            return Ok(node_info.version);
        }
        Err(node.mismatch(STATUS, "chain id", &node_info.network, &self.caip2))
    }

    pub(crate) async fn tip(&self, node: &Arc<Node>) -> Result<NodeTip, SourceError> {
        let Status { sync_info, .. } = node.call(STATUS, json!([])).await?;
        let hash = hash_of(node, STATUS, &sync_info.latest_block_hash)?;
        let head = height_of(node, STATUS, &sync_info.latest_block_height)?;
        let number = head.saturating_sub(self.confirmations);
        Ok(NodeTip {
            head: BlockId { number: BlockNumber(head), hash },
            safe: None,
            finalized: Some(BlockNumber(number)),
            finalized_hash: (number == head).then_some(hash),
            refused: None,
        })
    }

    pub(crate) async fn hash_at(
        &self,
        node: &Arc<Node>,
        number: BlockNumber,
    ) -> Result<Option<Hash>, SourceError> {
        let raw = header(node, number).await?;
        Ok(raw.map(|raw| raw.hash))
    }

    /// The block that the node has under that number, whatever its hash: there is one, or somebody lies.
    pub(crate) async fn block(
        &self,
        node: &Arc<Node>,
        at: BlockAt,
        parts: Parts,
    ) -> Result<Option<UntrustedBlock>, SourceError> {
        let raw = match parts {
            Parts::Header => header(node, at.number()).await?,
            Parts::Whole => whole(node, at.number()).await?,
        };
        Ok(raw.map(|raw| UntrustedBlock::Cosmos(Box::new(raw))))
    }
}

/// The header of that number, which bears its hash out: a node that names another is wrong, and it says
/// nothing of what others see.
async fn header(
    node: &Arc<Node>,
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
    Ok(Some(RawCosmosBlock { hash, header, txs: None }))
}

async fn whole(
    node: &Arc<Node>,
    number: BlockNumber,
) -> Result<Option<RawCosmosBlock>, SourceError> {
    let outcome = node.ask(Call::large(BLOCK, json!([number.to_string()]))).await;
    if matches!(outcome, Err(Fault::Refused { code: NOT_RECORDED, .. })) {
        return header(node, number).await; // a replay server has no more of it
    }
    let Some(BlockAnswer { block_id, block }) = read_there(node, BLOCK, outcome).await? else {
        return Ok(None);
    };
    let Some(block) = block else { return Ok(None) };
    check_asked(node, BLOCK, number, &block.header)?;
    let hash = hash_of(node, BLOCK, &block_id.hash)?;
    let txs = Some(block.data.txs.unwrap_or_default());
    Ok(Some(RawCosmosBlock { hash, header: block.header, txs }))
}

/// Refuses another block than the one asked for.
fn check_asked(
    node: &Arc<Node>,
    method: &'static str,
    number: BlockNumber,
    header: &RawHeader,
) -> Result<(), SourceError> {
    let expected = number.to_string();
    if header.height == expected {
        return Ok(());
    }
    let got = node.clean(&header.height);
    node.wrong(&format!("it answered block {got} when asked for {expected}"));
    Err(node.mismatch(method, "height", &got, expected))
}

/// Reads a result; `None` where the node has no such block.
async fn read_there<T: DeserializeOwned + Send + 'static>(
    node: &Arc<Node>,
    method: &'static str,
    outcome: Outcome,
) -> Result<Option<T>, SourceError> {
    if outcome.as_ref().is_err_and(Fault::is_not_there) {
        return Ok(None);
    }
    node.read(method, outcome).await.map(Some)
}

fn hash_of(node: &Arc<Node>, method: &'static str, text: &str) -> Result<Hash, SourceError> {
    let wrong = || node.mismatch(method, "hash", text, "64 hex digits");
    parse_shown(text).ok_or_else(wrong)
}

fn height_of(node: &Arc<Node>, method: &'static str, text: &str) -> Result<u64, SourceError> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let wrong = || node.mismatch(method, "height", text, "decimal digits");
    text.parse().ok().filter(|_| is_plain).ok_or_else(wrong)
}
