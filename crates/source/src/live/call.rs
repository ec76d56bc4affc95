//! What a contract returns, as several nodes execute it.
//!
//! All execute after one block: that of the k-th highest head, k being the quorum, less a few that
//! nodes may be apart by. k must return the same bytes; where one of them returns others, more than k
//! against fewer than k. A node that differs is not blamed: what a contract may look at beside the
//! chain (who mines, what gas costs) is each node's own, and a stranger may have written it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use superroot_types::BlockNumber;
use tokio::time::timeout;

use super::LiveSource;
use super::agreement::{Said, Wait};
use super::dialect::{Dialect, Evm};
use crate::error::SourceError;
use crate::{CallAgreement, ContractCall};

/// Blocks that heads of good nodes may be apart.
const HEADS_APART: u64 = 2;

impl LiveSource {
    /// What a call returns, within twice the time that tips have.
    pub(super) async fn agreed_call(
        &self,
        call: &ContractCall,
    ) -> Result<CallAgreement, SourceError> {
        let Dialect::Evm(evm) = self.dialect else {
            return Err(SourceError::NoCalls { chain: self.chain });
        };
        let timeout_ms = self.config.tip_timeout_ms.saturating_mul(2);
        let called = timeout(Duration::from_millis(timeout_ms), self.called(evm, call)).await;
        called.unwrap_or_else(|_| {
            let (source_name, method) = (self.name.clone(), "a contract call");
            Err(SourceError::Timeout { source_name, method, timeout_ms })
        })
    }

    async fn called(&self, evm: Evm, call: &ContractCall) -> Result<CallAgreement, SourceError> {
        let tips = self.tips(Wait::ForHealthy).await?;
        let mut heads: Vec<BlockNumber> = tips.iter().map(|(_, tip)| tip.head.number).collect();
        heads.sort_unstable_by_key(|head| std::cmp::Reverse(*head));
        let Some(head) = heads.get(self.quorum() - 1) else {
            return Err(self.no_agreed_call(heads.len()));
        };
        let block = BlockNumber(head.0.saturating_sub(HEADS_APART));
        let there = tips.iter().filter(|(_, tip)| tip.head.number >= block);
        let asks = there.map(|(node, _)| {
            let node = Arc::clone(node);
            async move {
                let returned = evm.call(&node, call, block).await;
                (node, returned)
            }
        });
        let said = self.gather(asks, Wait::ForHealthy).await?;
        let (returned, sources) = self.agreed_bytes(&said)?;
        Ok(CallAgreement { returned, block, sources })
    }

    /// The bytes that enough nodes returned, and their names.
    fn agreed_bytes(&self, said: &[Said<Vec<u8>>]) -> Result<(Vec<u8>, Vec<String>), SourceError> {
        let mut groups: BTreeMap<&[u8], Vec<String>> = BTreeMap::new();
        for (node, returned) in said {
            groups.entry(returned).or_default().push(node.name().to_string());
        }
        let most = groups.into_iter().max_by_key(|(_, names)| names.len());
        let Some((returned, names)) = most else { return Err(self.no_agreed_call(0)) };
        let (agree, against) = (names.len(), said.len().saturating_sub(names.len()));
        let quorum = self.quorum();
        let is_enough = agree >= quorum && (against == 0 || (agree > quorum && against < quorum));
        if !is_enough {
            return Err(self.no_agreed_call(agree));
        }
        Ok((returned.to_vec(), names))
    }

    fn no_agreed_call(&self, got: usize) -> SourceError {
        let (chain, expected, of) = (self.chain, self.quorum(), self.nodes.len());
        SourceError::NoAgreedCall { chain, got, expected, of }
    }
}
