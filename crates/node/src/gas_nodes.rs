//! Gas prices from the service's nodes, where no header decides the price.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use superroot_gas::{Asking, PriceNodes, QuotedGasPrice};
use superroot_source::BlockSource;
use superroot_types::{ChainKey, Network};

const LONGEST: Duration = Duration::from_secs(2);

/// Nodes of live chains. Recordings and simulated chains are not asked, because their nodes know no market.
pub(crate) struct GasNodes(HashMap<ChainKey, Arc<dyn BlockSource>>);

impl GasNodes {
    pub(crate) fn new(sources: impl IntoIterator<Item = Arc<dyn BlockSource>>) -> Self {
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
            let median = said.median;
            let lowest = said.lowest;
            let highest = said.highest;
            Ok(QuotedGasPrice { median, lowest, highest, nodes: said.sources })
        })
    }
}
