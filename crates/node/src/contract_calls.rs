//! Contract wallet checks through the service's nodes.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use superroot_account::wallet::{CallResult, CallUnavailable, ContractCaller, WalletCall};
use superroot_source::BlockSource;
use superroot_types::{ChainId, ChainKey, Family, Network};
use tokio::runtime::Handle;

/// Executes calls on nodes of followed chains. Calls block, so they run off the runtime's threads, with a time limit.
/// Recordings and simulated chains execute nothing: without a live chain no node is asked.
pub(crate) struct ContractCalls {
    runtime: Handle,
    sources: HashMap<ChainKey, Arc<dyn BlockSource>>,
    longest: Duration,
}

impl ContractCalls {
    /// Uses the live sources, on their runtime.
    pub(crate) fn new(
        runtime: Handle,
        sources: impl IntoIterator<Item = Arc<dyn BlockSource>>,
        longest: Duration,
    ) -> Self {
        let is_asked = |source: &Arc<dyn BlockSource>| {
            source.network() == Network::Live && source.chain().family == Family::Evm
        };
        let sources = sources.into_iter().filter(is_asked);
        let sources = sources.map(|source| (source.chain(), source)).collect();
        Self { runtime, sources, longest }
    }

    fn source(&self, chain: ChainId) -> Option<&Arc<dyn BlockSource>> {
        self.sources.get(&ChainKey { family: Family::Evm, id: chain })
    }
}

impl ContractCaller for ContractCalls {
    fn asks(&self, chain: ChainId) -> bool {
        self.source(chain).is_some()
    }

    fn call(&self, chain: ChainId, call: &WalletCall) -> Result<CallResult, CallUnavailable> {
        let unavailable = |why: String| CallUnavailable { why };
        let source = self.source(chain);
        let nodes = source.and_then(|source| source.nodes());
        let nodes = nodes.ok_or_else(|| unavailable(format!("chain {chain} is not followed")))?;
        let WalletCall { from, to, data, gas, code } = call.clone();
        let call = superroot_source::ContractCall { from, to, data, gas, code };
        let called = self.runtime.block_on(async {
            tokio::time::timeout(self.longest, nodes.call_contract(&call)).await
        });
        let called = called.map_err(|_| {
            unavailable(format!("no agreed answer within {} ms", self.longest.as_millis()))
        })?;
        let called = called.map_err(|error| unavailable(error.to_string()))?;
        Ok(CallResult { returned: called.returned, block: called.block, nodes: called.sources })
    }
}
