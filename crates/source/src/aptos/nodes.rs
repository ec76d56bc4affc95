//! The REST API of Aptos' full nodes, and gateways before them.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use superroot_chain::aptos::{Params, RawAptosBlock};
use superroot_chain::{FinalityRule, UntrustedBlock};
use superroot_types::{BlockNumber, Hash};

use super::{BLOCK, Block, JSON, LEDGER, LedgerInfo, VERSION, Version};
use crate::error::SourceError;
use crate::ledger::NodeTip;
use crate::live::node::Node;
use crate::live::node::json_rpc::Call;
use crate::{BlockAt, BlockId, Parts};

/// How nodes of one chain are asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aptos {
    network: u8,
    finality: FinalityRule,
}

impl Aptos {
    pub(crate) const fn of(params: &Params, finality: FinalityRule) -> Self {
        Self { network: params.network, finality }
    }

    /// What a node says of itself names its chain. Gives the client's name.
    pub(crate) async fn greet(&self, node: &Arc<Node>) -> Result<String, SourceError> {
        self.ledger(node).await.map(|info| info.git_hash)
    }

    /// Nodes show committed blocks alone, so the newest is final.
    pub(crate) async fn tip(&self, node: &Arc<Node>) -> Result<NodeTip, SourceError> {
        let number = BlockNumber(self.ledger(node).await?.block_height);
        let lacks = || {
            node.failed("it has not the newest block that it names");
            node.mismatch(BLOCK, "newest block", "nothing", format!("block {number}"))
        };
        let hash = self.hash_at(node, number).await?.ok_or_else(lacks)?;
        let head = BlockId { number, hash };
        let finalized = match self.finality {
            FinalityRule::Tag | FinalityRule::Latest => number,
            FinalityRule::Confirmations(count) => BlockNumber(number.0.saturating_sub(count)),
        };
        let finalized_hash = (finalized == number).then_some(hash);
        Ok(NodeTip { head, safe: None, finalized: Some(finalized), finalized_hash, refused: None })
    }

    pub(crate) async fn hash_at(
        &self,
        node: &Arc<Node>,
        number: BlockNumber,
    ) -> Result<Option<Hash>, SourceError> {
        match self.named(node, number).await? {
            Some(block) => self.root_after(node, block.last_version).await.map(Some),
            None => Ok(None),
        }
    }

    pub(crate) async fn block(
        &self,
        node: &Arc<Node>,
        at: BlockAt,
        _: Parts,
    ) -> Result<Option<UntrustedBlock>, SourceError> {
        let number = at.number();
        let Some(block) = self.named(node, number).await? else { return Ok(None) };
        let after = self.root_after(node, block.last_version);
        let before = async {
            match block.first_version.checked_sub(1) {
                Some(last) => self.root_after(node, last).await,
                None => Ok(Hash::ZERO),
            }
        };
        let (hash, parent_hash) = tokio::try_join!(after, before)?;
        if let BlockAt::Id(id) = at
            && id.hash != hash
        {
            // another branch is not kept: the caller hears that it is not there
            return Ok(None);
        }
        let timestamp_us = block.block_timestamp;
        let raw = RawAptosBlock { number, hash, parent_hash, timestamp_us, versions: None };
        Ok(Some(UntrustedBlock::Aptos(Box::new(raw))))
    }

    /// What a node says of itself: each time of the chain, as one address may stand for many machines.
    async fn ledger(&self, node: &Arc<Node>) -> Result<LedgerInfo, SourceError> {
        let call = Call::get(LEDGER, format!("/{LEDGER}"), JSON);
        let info: LedgerInfo = node.read(LEDGER, node.ask(call).await).await?;
        if info.chain_id == self.network {
            return Ok(info);
        }
        let (got, expected) = (info.chain_id.to_string(), self.network.to_string());
        let error = node.mismatch(LEDGER, "chain id", &got, expected);
        // else whoever greets it blames it
        if node.is_greeted() {
            node.wrong(&error.to_string());
        }
        Err(error)
    }

    /// The block of that height; `None` where the node has none.
    async fn named(
        &self,
        node: &Arc<Node>,
        number: BlockNumber,
    ) -> Result<Option<Block>, SourceError> {
        let path = format!("/{BLOCK}/{number}?with_transactions=false");
        let Some(block) = ask::<Block>(node, BLOCK, path).await? else { return Ok(None) };
        let Block { block_height, first_version, last_version, .. } = block;
        if block_height != number.0 {
            let (got, expected) = (block_height.to_string(), number.to_string());
            return Err(node.refute(BLOCK, "block_height", &got, expected));
        }
        if first_version > last_version {
            let (got, expected) = (first_version.to_string(), format!("at most {last_version}"));
            return Err(node.refute(BLOCK, "first_version", &got, expected));
        }
        // version 0 makes block 0
        if first_version == 0 && number.0 > 0 {
            return Err(node.refute(BLOCK, "first_version", "0", "one above 0"));
        }
        Ok(Some(block))
    }

    /// Root of the accumulator after a version that the node has.
    async fn root_after(&self, node: &Arc<Node>, version: u64) -> Result<Hash, SourceError> {
        let found = ask::<Version>(node, VERSION, format!("/{VERSION}/{version}")).await?;
        let expected = version.to_string();
        match found {
            Some(found) if found.version == version => Ok(found.accumulator_root_hash),
            Some(found) => {
                Err(node.refute(VERSION, "version", &found.version.to_string(), expected))
            }
            // behind one address some machines may be behind others
            None => {
                node.failed("it lacks a version of a block that it has");
                Err(node.mismatch(VERSION, "version", "nothing", expected))
            }
        }
    }
}

/// Gets a path; `None` where nothing is there.
async fn ask<T: DeserializeOwned + Send + 'static>(
    node: &Arc<Node>,
    method: &'static str,
    path: String,
) -> Result<Option<T>, SourceError> {
    let outcome = node.ask(Call::get(method, path, JSON)).await;
    if outcome.as_ref().is_err_and(crate::error::Fault::is_not_there) {
        return Ok(None);
    }
    node.read(method, outcome).await.map(Some)
}
