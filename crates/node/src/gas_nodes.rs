//! What gas costs is asked of the service's own nodes, where no header decides it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use superroot_gas::{Asking, NodePrice, PriceNodes};
use superroot_source::Source;
use superroot_types::{ChainKey, Network};

/// Who asks for a price waits no longer than this.
const LONGEST: Duration = Duration::from_secs(2);

/// The nodes of live chains. Recordings and simulated chains are asked nothing: their nodes know no market.
pub(crate) struct GasNodes(HashMap<ChainKey, Arc<dyn Source>>);

impl GasNodes {
    pub(crate) fn new(sources: impl IntoIterator<Item = Arc<dyn Source>>) -> Self {
        let live = sources.into_iter().filter(|source| source.network() == Network::Live);
        Self(live.map(|source| (source.chain(), source)).collect())
    }
}

impl PriceNodes for GasNodes {
    fn asks(&self, chain: ChainKey) -> bool {
        self.0.contains_key(&chain)
    }

    fn gas_price(&self, chain: ChainKey) -> Asking<'_> {
        Box::pin(async move {
            let nodes = self.0.get(&chain).and_then(|source| source.nodes());
            let nodes = nodes.ok_or_else(|| "this service asks no node of the chain".to_owned())?;
            let said = tokio::time::timeout(LONGEST, nodes.gas_prices()).await;
            let said = said.map_err(|_| {
                format!("its nodes did not answer within {} ms", LONGEST.as_millis())
            })?;
            let said = said.map_err(|error| error.to_string())?;
            let (median, lowest, highest) = (said.median, said.lowest, said.highest);
            Ok(NodePrice { median, lowest, highest, nodes: said.sources })
        })
    }
}
