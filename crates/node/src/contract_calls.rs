//! Contract wallets are asked through the service's own nodes.

use std::collections::HashMap;
use std::sync::Arc;

use superroot_account::wallet::{CallUnavailable, Called, ContractCall, ContractCaller};
use superroot_source::Source;
use superroot_types::{ChainId, ChainKey, Family};
use tokio::runtime::Handle;

/// Has the nodes of followed chains execute calls. A call blocks, so it is made off the runtime's
/// own threads.
pub(crate) struct ContractCalls {
    runtime: Handle,
    sources: HashMap<ChainKey, Arc<dyn Source>>,
}

impl ContractCalls {
    /// Over these sources, on the runtime that they are asked on.
    pub(crate) fn new(runtime: Handle, sources: impl IntoIterator<Item = Arc<dyn Source>>) -> Self {
        let sources = sources.into_iter().map(|source| (source.chain(), source)).collect();
        Self { runtime, sources }
    }
}

impl ContractCaller for ContractCalls {
    fn call(&self, chain: ChainId, call: &ContractCall) -> Result<Called, CallUnavailable> {
        let unavailable = |why: String| CallUnavailable { why };
        let key = ChainKey { family: Family::Evm, id: chain };
        let source = self.sources.get(&key);
        let source = source.ok_or_else(|| unavailable(format!("{key} is not followed")))?;
        let ContractCall { from, to, data, gas } = call.clone();
        let call = superroot_source::ContractCall { from, to, data, gas };
        let called = self.runtime.block_on(source.call_contract(&call));
        let called = called.map_err(|error| unavailable(error.to_string()))?;
        Ok(Called { returned: called.returned, block: called.block, nodes: called.sources })
    }
}
