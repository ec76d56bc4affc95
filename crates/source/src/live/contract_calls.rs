//! Contract calls, executed by several nodes.
//!
//! All nodes execute after the same block: the k-th highest head, with k = quorum, minus a small tolerance. k nodes
//! must return the same bytes; if any node differs, more than k against fewer than k. A differing node is not blamed:
//! inputs outside the chain (miner, gas price) are node-specific, and a stranger may have written the contract.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use superroot_types::BlockNumber;
use tokio::time::timeout;

use super::LiveSource;
use super::agreement::{NodeReport, Wait, highest_of_each};
use super::node::{LiveNode, operator_count};
use crate::error::{AgreeOn, CallFault, SourceError};
use crate::{AccountAgreement, CallAgreement, ContractCall};

/// Tolerated distance between healthy heads, in blocks.
const HEADS_APART: u64 = 2;

impl LiveSource {
    /// Agreed result, within twice the tip time limit.
    pub(super) async fn agreed_call(
        &self,
        call: &ContractCall,
    ) -> Result<CallAgreement, SourceError> {
        let ask =
            async |node: Arc<LiveNode>, block| self.dialect.evm()?.call(&node, call, block).await;
        self.in_time(self.agreed_after_block(ask)).await
    }

    /// Agreed result with the caller's transaction count after the same block, within twice the tip time limit.
    pub(super) async fn agreed_account(
        &self,
        call: &ContractCall,
    ) -> Result<AccountAgreement, SourceError> {
        let ask = async |node: Arc<LiveNode>, block| {
            let returned = self.dialect.evm()?.call(&node, call, block);
            let count = self.dialect.evm()?.transaction_count(&node, &call.from, block);
            let (returned, count) = tokio::join!(returned, count);
            Ok([count?.to_be_bytes().as_slice(), &returned?].concat())
        };
        let CallAgreement { returned, block, sources } =
            self.in_time(self.agreed_after_block(ask)).await?;
        let (count, returned) = returned.split_first_chunk::<8>().unwrap_or((&[0; 8], &[]));
        let transaction_count = u64::from_be_bytes(*count);
        let returned = returned.to_vec();
        Ok(AccountAgreement { transaction_count, returned, block, sources })
    }

    /// Sends a transaction to every usable node, within the tip time limit. Returns the nodes that took it or know it
    /// already.
    ///
    /// # Errors
    /// The last node's error, if none took it.
    pub(super) async fn sent_to_all(&self, raw: &[u8]) -> Result<Vec<String>, SourceError> {
        let ask = async |node: Arc<LiveNode>| {
            let (greeted, sent) =
                tokio::join!(self.greet(&node), self.dialect.evm()?.send_transaction(&node, raw));
            greeted.and(sent)
        };
        let said = self.gather(self.usable(), ask, Wait::All).await?;
        Ok(said.iter().map(|(node, ())| node.name().to_string()).collect())
    }

    async fn in_time<T>(
        &self,
        asked: impl Future<Output = Result<T, SourceError>>,
    ) -> Result<T, SourceError> {
        let timeout_ms = self.config.tip_timeout_ms.saturating_mul(2);
        let called = timeout(Duration::from_millis(timeout_ms), asked).await;
        called.unwrap_or_else(|_| {
            Err(CallFault::Timeout(timeout_ms).into_error(&self.name, "a contract call"))
        })
    }

    /// Bytes on which enough nodes agree, each asked after the same block.
    async fn agreed_after_block<F: Future<Output = Result<Vec<u8>, SourceError>>>(
        &self,
        ask: impl Fn(Arc<LiveNode>, BlockNumber) -> F,
    ) -> Result<CallAgreement, SourceError> {
        let tips = self.tips(Wait::Healthy).await?;
        let heads = tips.iter().map(|(node, tip)| (node.operator(), tip.head.number));
        let mut heads = highest_of_each(heads);
        heads.sort_unstable_by_key(|head| std::cmp::Reverse(*head));
        let Some(head) = heads.get(self.quorum() - 1) else {
            return Err(self.too_few(AgreeOn::ContractCall, heads.len()));
        };
        let block = BlockNumber(head.0.saturating_sub(HEADS_APART));
        let there = tips.iter().filter(|(_, tip)| tip.head.number >= block);
        let asked = there.map(|(node, _)| Arc::clone(node)).collect();
        let ask = |node: Arc<LiveNode>| ask(node, block);
        let said = self.gather(asked, ask, Wait::Healthy).await?;
        let (returned, sources) = self.agreed_bytes(&said)?;
        Ok(CallAgreement { returned, block, sources })
    }

    /// Agreed bytes, and the node names.
    fn agreed_bytes(
        &self,
        said: &[NodeReport<Vec<u8>>],
    ) -> Result<(Vec<u8>, Vec<String>), SourceError> {
        let mut groups: BTreeMap<&[u8], Vec<&Arc<LiveNode>>> = BTreeMap::new();
        for (node, returned) in said {
            groups.entry(returned).or_default().push(node);
        }
        let agreeing = |nodes: &Vec<&Arc<LiveNode>>| operator_count(nodes.iter().copied());
        let Some((returned, nodes)) = groups.iter().max_by_key(|(_, nodes)| agreeing(nodes)) else {
            return Err(self.too_few(AgreeOn::ContractCall, 0));
        };
        let others = said.iter().filter(|(_, other)| other.as_slice() != *returned);
        let against = operator_count(others.map(|(node, _)| node));
        let agree = agreeing(nodes);
        let quorum = self.quorum();
        let is_enough = agree >= quorum && (against == 0 || (agree > quorum && against < quorum));
        if !is_enough {
            return Err(self.too_few(AgreeOn::ContractCall, agree));
        }
        let names = nodes.iter().map(|node| node.name().to_string());
        Ok((returned.to_vec(), names.collect()))
    }
}
