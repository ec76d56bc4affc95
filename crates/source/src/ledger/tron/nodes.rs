//! java-tron HTTP API of full nodes and gateways.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use superroot_chain::ledger::tron::{
    BlockHeader, HttpBlock, HttpTransaction, RawTronBlock, TronParams,
};
use superroot_chain::{ChainSpec, FinalityRule, UntrustedBlock};
use superroot_proof::ledger::tron::Header;
use superroot_types::{BlockNumber, Hash};

use super::run_plan::TronRunPlan;
use super::{BLOCK, BLOCK_BY_ID, BLOCK_BY_NUMBER, FINAL_BLOCK, JSON, NODE_INFO, TronNodeInfo};
use crate::error::{CallFault, SourceError};
use crate::ledger::NodeTip;
use crate::live::node::LiveNode;
use crate::live::node::json_rpc::{Call, Outcome, of_error_object};
use crate::replay::methods::is_replay;
use crate::{BlockAt, BlockParts, ClaimedBlock};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Tron {
    genesis: Hash,
    finality: FinalityRule,
    /// For chains with evidence.
    pub(super) plan: Option<TronRunPlan>,
}

#[derive(Deserialize)]
struct TronReply {
    #[serde(rename = "Error")]
    error: Option<String>,
    #[serde(rename = "blockID")]
    block_id: Option<String>,
    block_header: Option<BlockHeader>,
    #[serde(default)]
    transactions: Vec<HttpTransaction>,
}

enum TronNodeBlock {
    Block(Box<RawTronBlock>),
    Nothing,
    Refused(String),
}

impl Tron {
    pub(crate) fn new(row: &ChainSpec, params: &TronParams, finality: FinalityRule) -> Self {
        Self { genesis: params.genesis, finality, plan: TronRunPlan::of(row) }
    }

    /// Compares the first block, because networks differ from that block on; recordings rarely contain that block.
    /// Returns the client name, if stated.
    pub(crate) async fn greet(&self, node: &Arc<LiveNode>) -> Result<String, SourceError> {
        let client = match node.ask(post(NODE_INFO, &json!({}))).await {
            // some gateways tell nobody what they run
            Err(CallFault::Refused { .. } | CallFault::Limited(_) | CallFault::Status { .. }) => {
                String::new()
            }
            outcome => node.read::<TronNodeInfo>(NODE_INFO, outcome).await?.config.code_version,
        };
        if is_replay(&client) {
            return Ok(client);
        }
        let first = self.header(node, BLOCK, Some("0".to_owned())).await?;
        let got = first.map(|first| first.hash);
        if got == Some(self.genesis) {
            return Ok(client);
        }
        let got = got.map_or_else(|| "no block 0".to_owned(), |got| got.to_string());
        Err(node.mismatch(BLOCK, "chain id", &got, format!("first block {}", self.genesis)))
    }

    pub(crate) async fn tip(&self, node: &Arc<LiveNode>) -> Result<NodeTip, SourceError> {
        // the older one first, so that the chain may grow in between
        let finalized = match self.finality {
            FinalityRule::Tag => match self.header(node, FINAL_BLOCK, None).await {
                // a node that does not tell what is final may still have blocks
                Err(SourceError::Call { fault: CallFault::Refused { .. }, .. }) => Err(FINAL_BLOCK),
                found => Ok(found?.map(|block| id_of(&block))),
            },
            FinalityRule::Latest | FinalityRule::Confirmations(_) => Ok(None),
        };
        let head = self.header(node, BLOCK, None).await?;
        let head = head.ok_or_else(|| node.mismatch(BLOCK, "newest block", "{}", "a block"))?;
        let head = id_of(&head);
        let finalized_block = match (self.finality, finalized) {
            (FinalityRule::Tag, Ok(id)) => id.filter(|id| id.number <= head.number),
            (FinalityRule::Latest, _) => Some(head),
            (FinalityRule::Tag | FinalityRule::Confirmations(_), _) => None,
        };
        let number = match self.finality {
            FinalityRule::Confirmations(count) => {
                Some(BlockNumber(head.number.0.saturating_sub(count)))
            }
            FinalityRule::Tag | FinalityRule::Latest => finalized_block.map(|id| id.number),
        };
        Ok(NodeTip {
            head,
            safe: None,
            finalized: number,
            finalized_hash: finalized_block.map(|id| id.hash),
            refused: finalized.err(),
        })
    }

    pub(crate) async fn hash_at(
        &self,
        node: &Arc<LiveNode>,
        number: BlockNumber,
    ) -> Result<Option<Hash>, SourceError> {
        let found = self.header(node, BLOCK, Some(number.to_string())).await?;
        let Some(block) = found else { return Ok(None) };
        check_asked(node, BLOCK, BlockAt::Number(number), &block)?;
        Ok(Some(block.hash))
    }

    pub(crate) async fn block(
        &self,
        node: &Arc<LiveNode>,
        at: BlockAt,
        parts: BlockParts,
    ) -> Result<Option<UntrustedBlock>, SourceError> {
        let plain = |hash: &Hash| const_hex::encode(hash.0);
        let (call, is_whole) = match (parts, at) {
            (BlockParts::Header, BlockAt::Number(number)) => {
                (post(BLOCK, &json!({ "id_or_num": number.to_string(), "detail": false })), false)
            }
            (BlockParts::Header, BlockAt::Id(id)) => {
                (post(BLOCK, &json!({ "id_or_num": plain(&id.hash), "detail": false })), false)
            }
            (BlockParts::Whole, BlockAt::Number(number)) => {
                (post(BLOCK_BY_NUMBER, &json!({ "num": number.0 })).with_large_answer(), true)
            }
            (BlockParts::Whole, BlockAt::Id(id)) => {
                (post(BLOCK_BY_ID, &json!({ "value": plain(&id.hash) })).with_large_answer(), true)
            }
        };
        let method = call.method;
        let found = read(node, method, node.ask(call).await, is_whole).await?;
        let Some(mut block) = found else { return Ok(None) };
        check_asked(node, method, at, &block)?;
        if is_whole {
            block.run = self.run(node, &block).await;
        }
        Ok(Some(UntrustedBlock::Tron(block)))
    }

    /// Header by number.
    pub(super) async fn numbered(
        &self,
        node: &Arc<LiveNode>,
        number: u64,
    ) -> Result<Option<RawTronBlock>, SourceError> {
        self.header(node, BLOCK, Some(number.to_string())).await
    }

    /// Claimed block, checked against the header: a mismatch proves a fault in this node and nothing about other nodes.
    async fn header(
        &self,
        node: &Arc<LiveNode>,
        method: &'static str,
        which: Option<String>,
    ) -> Result<Option<RawTronBlock>, SourceError> {
        let body = match which {
            Some(which) => json!({ "id_or_num": which, "detail": false }),
            None => json!({ "detail": false }),
        };
        let found = read(node, method, node.ask(post(method, &body)).await, false).await?;
        let Some(block) = found else { return Ok(None) };
        let own = Header::decode(&block.header).ok();
        let own = own.map(|header| Header::id(header.number, &block.header));
        if own != Some(block.hash) {
            node.wrong(&format!("its block {} has another block id", block.number));
            let expected = "that of its own header";
            return Err(node.mismatch(method, "blockID", &block.hash.to_string(), expected));
        }
        Ok(Some(*block))
    }
}

fn id_of(block: &RawTronBlock) -> ClaimedBlock {
    ClaimedBlock { number: block.number, hash: block.hash }
}

fn post(method: &'static str, body: &Value) -> Call {
    Call::post(method, format!("/{method}"), JSON, body.to_string().into_bytes())
}

/// Reads a block answer; `None` if the node has no such block.
async fn read(
    node: &Arc<LiveNode>,
    method: &'static str,
    outcome: Outcome,
    is_whole: bool,
) -> Result<Option<Box<RawTronBlock>>, SourceError> {
    let found = outcome.map_err(|fault| fault.into_error(node.name(), method))?;
    match node.read_with(method, found, move |bytes| parse(bytes, is_whole)).await? {
        TronNodeBlock::Block(block) => Ok(Some(block)),
        TronNodeBlock::Nothing => Ok(None),
        TronNodeBlock::Refused(text) => {
            let fault = of_error_object(0, &text, &|text| node.clean(text));
            Err(fault.into_error(node.name(), method))
        }
    }
}

fn parse(bytes: &[u8], is_whole: bool) -> Result<TronNodeBlock, String> {
    let reply: TronReply = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    match reply {
        TronReply { error: Some(text), .. } => Ok(TronNodeBlock::Refused(text)),
        TronReply {
            block_id: Some(block_id),
            block_header: Some(block_header),
            transactions,
            ..
        } => {
            let block = HttpBlock { block_id, block_header, transactions };
            let block = block.into_raw(is_whole).map_err(|error| error.to_string())?;
            Ok(TronNodeBlock::Block(Box::new(block)))
        }
        TronReply { block_id: None, block_header: None, .. } => Ok(TronNodeBlock::Nothing),
        TronReply { .. } => Err("a block without a blockID or a block_header".to_owned()),
    }
}

/// Rejects a block other than the requested block.
fn check_asked(
    node: &Arc<LiveNode>,
    method: &'static str,
    at: BlockAt,
    block: &RawTronBlock,
) -> Result<(), SourceError> {
    let (field, got, expected) = match at {
        BlockAt::Number(number) if block.number != number => {
            ("number", block.number.to_string(), number.to_string())
        }
        BlockAt::Id(id) if block.hash != id.hash => {
            ("blockID", block.hash.to_string(), id.hash.to_string())
        }
        BlockAt::Id(id) if block.number != id.number => {
            ("number", block.number.to_string(), id.number.to_string())
        }
        BlockAt::Number(_) | BlockAt::Id(_) => return Ok(()),
    };
    node.wrong(&format!("it answered block {got} when asked for {expected}"));
    Err(node.mismatch(method, field, &got, expected))
}
