//! Aptos REST API of full nodes and gateways.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use superroot_chain::ledger::aptos::{AptosParams, RawAptosBlock};
use superroot_chain::{FinalityRule, UntrustedBlock};
use superroot_types::{BlockNumber, Hash};

use super::{AptosBlockAnswer, AptosVersion, BLOCK, JSON, LEDGER, LedgerInfo, VERSION};
use crate::error::SourceError;
use crate::ledger::NodeTip;
use crate::live::node::LiveNode;
use crate::live::node::json_rpc::Call;
use crate::{BlockAt, BlockParts, ClaimedBlock};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Aptos {
    network: u8,
    finality: FinalityRule,
}

impl Aptos {
    pub(crate) const fn new(params: &AptosParams, finality: FinalityRule) -> Self {
        Self { network: params.network, finality }
    }

    /// Checks the chain in the node's ledger information. Returns the client name.
    pub(crate) async fn greet(&self, node: &Arc<LiveNode>) -> Result<String, SourceError> {
        self.ledger(node).await.map(|info| info.git_hash)
    }

    /// Nodes show committed blocks only, so the newest block is final.
    pub(crate) async fn tip(&self, node: &Arc<LiveNode>) -> Result<NodeTip, SourceError> {
        let number = BlockNumber(self.ledger(node).await?.block_height);
        let lacks = || {
            node.failed("it has not the newest block that it names");
            node.mismatch(BLOCK, "newest block", "nothing", format!("block {number}"))
        };
        let hash = self.hash_at(node, number).await?.ok_or_else(lacks)?;
        let head = ClaimedBlock { number, hash };
        let finalized = match self.finality {
            FinalityRule::Tag | FinalityRule::Latest => number,
            FinalityRule::Confirmations(count) => BlockNumber(number.0.saturating_sub(count)),
        };
        let finalized_hash = (finalized == number).then_some(hash);
        Ok(NodeTip { head, safe: None, finalized: Some(finalized), finalized_hash, refused: None })
    }

    pub(crate) async fn hash_at(
        &self,
        node: &Arc<LiveNode>,
        number: BlockNumber,
    ) -> Result<Option<Hash>, SourceError> {
        match self.named(node, number).await? {
            Some(block) => self.root_after(node, block.last_version).await.map(Some),
            None => Ok(None),
        }
    }

    pub(crate) async fn block(
        &self,
        node: &Arc<LiveNode>,
        at: BlockAt,
        _: BlockParts,
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
        let raw = RawAptosBlock {
            number,
            hash,
            parent_hash,
            timestamp_us,
            versions: None,
            ledger_info: None,
        };
        Ok(Some(UntrustedBlock::Aptos(Box::new(raw))))
    }

    /// Node and chain tip, with a chain check on every call, because several machines may share the address.
    async fn ledger(&self, node: &Arc<LiveNode>) -> Result<LedgerInfo, SourceError> {
        let call = Call::get(LEDGER, format!("/{LEDGER}"), JSON);
        let info: LedgerInfo = node.read(LEDGER, node.ask(call).await).await?;
        if info.chain_id == self.network {
            return Ok(info);
        }
        let got = info.chain_id.to_string();
        let expected = self.network.to_string();
        let error = node.mismatch(LEDGER, "chain id", &got, expected);
        // else whoever greets it blames it
        if node.is_greeted() {
            node.wrong(&error.to_string());
        }
        Err(error)
    }

    /// Block with this height; `None` if the node has none.
    async fn named(
        &self,
        node: &Arc<LiveNode>,
        number: BlockNumber,
    ) -> Result<Option<AptosBlockAnswer>, SourceError> {
        let path = format!("/{BLOCK}/{number}?with_transactions=false");
        let Some(block) = ask::<AptosBlockAnswer>(node, BLOCK, path).await? else {
            return Ok(None);
        };
        let AptosBlockAnswer { block_height, first_version, last_version, .. } = block;
        if block_height != number.0 {
            let got = block_height.to_string();
            let expected = number.to_string();
            return Err(node.refute(BLOCK, "block_height", &got, expected));
        }
        if first_version > last_version {
            let got = first_version.to_string();
            let expected = format!("at most {last_version}");
            return Err(node.refute(BLOCK, "first_version", &got, expected));
        }
        // version 0 makes block 0
        if first_version == 0 && number.0 > 0 {
            return Err(node.refute(BLOCK, "first_version", "0", "one above 0"));
        }
        Ok(Some(block))
    }

    async fn root_after(&self, node: &Arc<LiveNode>, version: u64) -> Result<Hash, SourceError> {
        let found = ask::<AptosVersion>(node, VERSION, format!("/{VERSION}/{version}")).await?;
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

/// Fetches a path; `None` if not found.
async fn ask<T: DeserializeOwned + Send + 'static>(
    node: &Arc<LiveNode>,
    method: &'static str,
    path: String,
) -> Result<Option<T>, SourceError> {
    let outcome = node.ask(Call::get(method, path, JSON)).await;
    if outcome.as_ref().is_err_and(crate::error::CallFault::is_not_there) {
        return Ok(None);
    }
    node.read(method, outcome).await.map(Some)
}
