//! JSON-RPC of Bitcoin Core and its kin.

use std::sync::Arc;

use serde_json::json;
use superroot_chain::bitcoin::RawBitcoinBlock;
use superroot_chain::{ChainRow, UntrustedBlock};
use superroot_types::{BlockNumber, Hash};

use super::{Finality, NodeTip, is_replay};
use crate::error::SourceError;
use crate::live::fault::Fault;
use crate::live::node::{Call, Node};
use crate::rpc::bitcoin::{
    BLOCK, BLOCK_HASH, BLOCK_HEADER, CHAIN_INFO, ChainInfo, NETWORK_INFO, NOT_FOUND, NetworkInfo,
    OUT_OF_RANGE, parse_bytes, parse_shown, shown,
};
use crate::{BlockAt, BlockId, Parts};

/// Most hex digits of a first block's hash that a CAIP-2 name has.
const NAME_DIGITS: usize = 32;

/// How nodes of one chain are asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bitcoin {
    /// How the hash of the first block begins, as nodes write it: the CAIP-2 name of the chain.
    first: [u8; NAME_DIGITS],
    finality: Finality,
}

impl Bitcoin {
    /// `None` where the row's CAIP-2 name does not name a first block.
    pub(super) fn new(row: &ChainRow, finality: Finality) -> Option<Self> {
        let first = row.caip2.strip_prefix("bip122:")?.as_bytes().try_into().ok()?;
        Some(Self { first, finality })
    }

    pub(super) async fn greet(&self, node: &Arc<Node>) -> Result<String, SourceError> {
        let client = match node.ask(Call::new(NETWORK_INFO, json!([]))).await {
            // some gateways tell nobody what they run
            Err(Fault::Refused { .. } | Fault::Limited(_)) => String::new(),
            outcome => node.read::<NetworkInfo>(NETWORK_INFO, outcome).await?.subversion,
        };
        // recordings rarely hold the first block
        if is_replay(&client) {
            return Ok(client);
        }
        let first: String = node.call(BLOCK_HASH, json!([0])).await?;
        if first.as_bytes().get(..NAME_DIGITS) != Some(self.first.as_slice()) {
            let expected = format!("{}..", String::from_utf8_lossy(&self.first));
            return Err(node.mismatch(BLOCK_HASH, "chain id", &first, expected));
        }
        Ok(client)
    }

    pub(super) async fn tip(&self, node: &Arc<Node>) -> Result<NodeTip, SourceError> {
        let info: ChainInfo = node.call(CHAIN_INFO, json!([])).await?;
        let hash = parse_shown(&info.bestblockhash);
        let wrong =
            || node.mismatch(CHAIN_INFO, "bestblockhash", &info.bestblockhash, "64 hex digits");
        let head = BlockId { number: BlockNumber(info.blocks), hash: hash.ok_or_else(wrong)? };
        let finalized = match self.finality {
            Finality::Tag | Finality::Latest => Some(head.number),
            // the newest block has one confirmation, itself
            Finality::Confirmations(count) => {
                head.number.0.checked_sub(count.saturating_sub(1)).map(BlockNumber)
            }
        };
        Ok(NodeTip { head, safe: None, finalized, finalized_hash: None })
    }

    pub(super) async fn hash_at(
        &self,
        node: &Arc<Node>,
        number: BlockNumber,
    ) -> Result<Option<Hash>, SourceError> {
        let outcome = node.ask(Call::new(BLOCK_HASH, json!([number]))).await;
        if matches!(outcome, Err(Fault::Refused { code: OUT_OF_RANGE, .. })) {
            return Ok(None);
        }
        let text: String = node.read(BLOCK_HASH, outcome).await?;
        let wrong = || node.mismatch(BLOCK_HASH, "hash", &text, "64 hex digits");
        parse_shown(&text).map(Some).ok_or_else(wrong)
    }

    pub(super) async fn block(
        &self,
        node: &Arc<Node>,
        at: BlockAt,
        parts: Parts,
    ) -> Result<Option<UntrustedBlock>, SourceError> {
        let hash = match at {
            BlockAt::Id(id) => id.hash,
            BlockAt::Number(number) => match self.hash_at(node, number).await? {
                Some(hash) => hash,
                None => return Ok(None),
            },
        };
        let (method, params) = match parts {
            Parts::Header => (BLOCK_HEADER, json!([shown(&hash), false])),
            Parts::Whole => (BLOCK, json!([shown(&hash), 0])),
        };
        let outcome = node.ask(Call::new(method, params)).await;
        if matches!(outcome, Err(Fault::Refused { code: NOT_FOUND, .. })) {
            return Ok(None);
        }
        let text: String = node.read(method, outcome).await?;
        let wrong = || node.mismatch(method, "block", "another text", "hex digits");
        let bytes = parse_bytes(&text).ok_or_else(wrong)?;
        let raw = RawBitcoinBlock { number: at.number(), hash, bytes };
        Ok(Some(UntrustedBlock::Bitcoin(Box::new(raw))))
    }
}
