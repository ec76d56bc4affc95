//! Contract wallets are asked through the service's own nodes.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use superroot_account::wallet::{CallUnavailable, Called, ContractCall, ContractCaller};
use superroot_source::Source;
use superroot_types::{ChainId, ChainKey, Family, Network};
use tokio::runtime::Handle;

/// Has the nodes of followed chains execute calls. A call blocks, so it is made off the runtime's
/// own threads, and never for longer than it was given. Recordings and simulated chains execute
/// nothing: without a live chain nobody is asked.
pub(crate) struct ContractCalls {
    runtime: Handle,
    sources: HashMap<ChainKey, Arc<dyn Source>>,
    longest: Duration,
}

impl ContractCalls {
    /// Over the live ones of these sources, on the runtime that they are asked on.
    pub(crate) fn new(
        runtime: Handle,
        sources: impl IntoIterator<Item = Arc<dyn Source>>,
        longest: Duration,
    ) -> Self {
        let is_asked = |source: &Arc<dyn Source>| {
            source.network() == Network::Live && source.chain().family == Family::Evm
        };
        let sources = sources.into_iter().filter(is_asked);
        let sources = sources.map(|source| (source.chain(), source)).collect();
        Self { runtime, sources, longest }
    }

    fn source(&self, chain: ChainId) -> Option<&Arc<dyn Source>> {
        self.sources.get(&ChainKey { family: Family::Evm, id: chain })
    }
}

impl ContractCaller for ContractCalls {
    fn asks(&self, chain: ChainId) -> bool {
        self.source(chain).is_some()
    }

    fn call(&self, chain: ChainId, call: &ContractCall) -> Result<Called, CallUnavailable> {
        let unavailable = |why: String| CallUnavailable { why };
        let source = self.source(chain);
        let nodes = source.and_then(|source| source.nodes());
        let nodes = nodes.ok_or_else(|| unavailable(format!("chain {chain} is not followed")))?;
        let ContractCall { from, to, data, gas, code } = call.clone();
        let call = superroot_source::ContractCall { from, to, data, gas, code };
        let called = self.runtime.block_on(async {
            tokio::time::timeout(self.longest, nodes.call_contract(&call)).await
        });
        let called = called.map_err(|_| {
            unavailable(format!("no agreed answer within {} ms", self.longest.as_millis()))
        })?;
        let called = called.map_err(|error| unavailable(error.to_string()))?;
        Ok(Called { returned: called.returned, block: called.block, nodes: called.sources })
    }
}
