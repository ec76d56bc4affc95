//! Bitcoin JSON-RPC of `bitcoind` and gateways.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use superroot_chain::ledger::bitcoin::{BLOCK_BYTES_MAX, RawBitcoinBlock};
use superroot_chain::{ChainSpec, FinalityRule, UntrustedBlock};
use superroot_types::{BlockNumber, Hash};

use super::{
    BLOCK, BLOCK_HASH, BLOCK_HEADER, CHAIN_INFO, ChainInfo, NETWORK_INFO, NOT_FOUND, NetworkInfo,
    OUT_OF_RANGE, parse_bytes, parse_shown, shown,
};
use crate::error::{CallFault, SourceError};
use crate::ledger::{NodeTip, words_of};
use crate::live::node::LiveNode;
use crate::live::node::json_rpc::{Call, Outcome};
use crate::replay::methods::is_replay;
use crate::{BlockAt, BlockParts, ClaimedBlock};

const MAIN: u64 = 21_000_000;
/// Mainnet genesis hash, in display order.
const MAIN_GENESIS: &str = "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f";

#[derive(Clone, Copy, Debug)]
pub(crate) struct Bitcoin {
    genesis: &'static str,
    confirmations: u64,
}

impl Bitcoin {
    /// Dialect for a chain with a known genesis block and a confirmation-based finality rule.
    pub(crate) fn with_finality(
        row: &ChainSpec,
        finality: FinalityRule,
    ) -> Result<Self, SourceError> {
        let FinalityRule::Confirmations(confirmations) = finality else {
            let why = format!(
                "is {:?}, expected a number of confirmations: nodes of the {} family have no tags",
                words_of(finality),
                row.family()
            );
            return Err(SourceError::setup("finality", why));
        };
        if row.id.0 != MAIN {
            return Err(SourceError::NoDialect(row.key()));
        }
        Ok(Self { genesis: MAIN_GENESIS, confirmations })
    }

    /// Compares the genesis block, because networks differ from the first block on; recordings rarely contain that
    /// block. Returns the client name, if stated.
    pub(crate) async fn greet(&self, node: &Arc<LiveNode>) -> Result<String, SourceError> {
        let client = match node.ask(Call::new(NETWORK_INFO, json!([]))).await {
            // some gateways tell nobody what they run
            Err(CallFault::Refused { .. } | CallFault::Limited(_)) => String::new(),
            outcome => node.read::<NetworkInfo>(NETWORK_INFO, outcome).await?.subversion,
        };
        if is_replay(&client) {
            return Ok(client);
        }
        let genesis: String = node.call(BLOCK_HASH, json!([0])).await?;
        if genesis == self.genesis {
            return Ok(client);
        }
        Err(node.mismatch(BLOCK_HASH, "chain id", &genesis, format!("genesis {}", self.genesis)))
    }

    pub(crate) async fn tip(&self, node: &Arc<LiveNode>) -> Result<NodeTip, SourceError> {
        let info: ChainInfo = node.call(CHAIN_INFO, json!([])).await?;
        let hash = hash_of(node, CHAIN_INFO, &info.bestblockhash)?;
        let number = info.blocks.saturating_sub(self.confirmations);
        Ok(NodeTip {
            head: ClaimedBlock { number: BlockNumber(info.blocks), hash },
            safe: None,
            finalized: Some(BlockNumber(number)),
            finalized_hash: (number == info.blocks).then_some(hash),
            refused: None,
        })
    }

    pub(crate) async fn hash_at(
        &self,
        node: &Arc<LiveNode>,
        number: BlockNumber,
    ) -> Result<Option<Hash>, SourceError> {
        let outcome = node.ask(Call::new(BLOCK_HASH, json!([number.0]))).await;
        if outcome.as_ref().is_err_and(is_absent) {
            return Ok(None);
        }
        let text: String = node.read(BLOCK_HASH, outcome).await?;
        hash_of(node, BLOCK_HASH, &text).map(Some)
    }

    pub(crate) async fn block(
        &self,
        node: &Arc<LiveNode>,
        at: BlockAt,
        parts: BlockParts,
    ) -> Result<Option<UntrustedBlock>, SourceError> {
        let hash = match at {
            BlockAt::Id(id) => id.hash,
            BlockAt::Number(number) => match self.hash_at(node, number).await? {
                Some(hash) => hash,
                None => return Ok(None),
            },
        };
        let shown = shown(&hash);
        let call = match parts {
            BlockParts::Header => Call::new(BLOCK_HEADER, json!([shown, false])),
            BlockParts::Whole => Call::large(BLOCK, json!([shown, 0])),
        };
        let method = call.method;
        #[derive(Deserialize)]
        struct BlockHashAnswer {
            height: u64,
        }
        let bytes = node.ask(call);
        // the header names no number, so the node is asked for it
        let named = node.ask(Call::new(BLOCK_HEADER, json!([shown, true])));
        // each is read as it comes: nobody keeps one answer in hand while waiting for another
        let bytes = async { read_there::<String>(node, method, bytes.await).await };
        let named = async { read_there::<BlockHashAnswer>(node, BLOCK_HEADER, named.await).await };
        let (text, named) = match tokio::join!(bytes, named) {
            (Ok(None), _) | (_, Ok(None)) => return Ok(None),
            (text, named) => (text?, named?),
        };
        let (Some(text), Some(BlockHashAnswer { height })) = (text, named) else { return Ok(None) };
        let number = at.number();
        if height != number.0 {
            node.wrong(&format!("it has block {shown} at {height}, asked for was {number}"));
            let got = height.to_string();
            return Err(node.mismatch(BLOCK_HEADER, "height", &got, number.to_string()));
        }
        let wrong = |why: &str| {
            let fault = CallFault::Shape(why.to_owned());
            fault.into_error(node.name(), method)
        };
        if text.len() > 2 * BLOCK_BYTES_MAX {
            return Err(wrong("a block of more bytes than there may be"));
        }
        let bytes = parse_bytes(&text).ok_or_else(|| wrong("a block that is no hex"))?;
        Ok(Some(UntrustedBlock::Bitcoin(Box::new(RawBitcoinBlock { number, hash, bytes }))))
    }
}

/// Reads a result; `None` if the node has no such block.
async fn read_there<T: DeserializeOwned + Send + 'static>(
    node: &Arc<LiveNode>,
    method: &'static str,
    outcome: Outcome,
) -> Result<Option<T>, SourceError> {
    if outcome.as_ref().is_err_and(is_absent) {
        return Ok(None);
    }
    node.read(method, outcome).await.map(Some)
}

fn is_absent(fault: &CallFault) -> bool {
    matches!(fault, CallFault::Refused { code: NOT_FOUND | OUT_OF_RANGE, .. })
}

fn hash_of(node: &Arc<LiveNode>, method: &'static str, text: &str) -> Result<Hash, SourceError> {
    let wrong = || node.mismatch(method, "hash", text, "64 hex digits");
    parse_shown(text).ok_or_else(wrong)
}
