//! Gas prices from several nodes, for chains without a price in the header.
//!
//! Nodes suggest tips differently, so no agreement is required: the median counts, with a single answer per operator.
//! Liars fewer than half the heard operators can move the median no further than to an honest answer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::LiveSource;
use super::agreement::{NodeReport, Wait};
use super::node::LiveNode;
use crate::GasPrices;
use crate::error::{AgreeOn, CallFault, SourceError};

impl LiveSource {
    /// Gas prices, within the tip time limit.
    pub(super) async fn heard_gas_prices(&self) -> Result<GasPrices, SourceError> {
        let timeout_ms = self.config.tip_timeout_ms;
        let heard = timeout(Duration::from_millis(timeout_ms), self.ask_gas_prices()).await;
        heard.unwrap_or_else(|_| {
            Err(CallFault::Timeout(timeout_ms).into_error(&self.name, "the price of gas"))
        })
    }

    async fn ask_gas_prices(&self) -> Result<GasPrices, SourceError> {
        // in one batch: what a node says counts when it is of our chain
        let ask = async |node: Arc<LiveNode>| {
            let (greeted, price) =
                tokio::join!(self.greet(&node), self.dialect.evm()?.gas_price(&node));
            greeted.and(price)
        };
        let said = self.gather(self.usable(), ask, Wait::Healthy).await?;
        let prices = median_of(said);
        let agree = prices.as_ref().map_or(0, |prices| prices.sources.len());
        match prices {
            Some(prices) if agree >= self.quorum() => Ok(prices),
            _ => Err(self.too_few(AgreeOn::GasPrice, agree)),
        }
    }
}

/// Median with the first answer per operator; of two middle values, the lower.
fn median_of(said: Vec<NodeReport<u64>>) -> Option<GasPrices> {
    let mut of_each = BTreeMap::new();
    for (node, price) in said {
        of_each.entry(node.operator()).or_insert((price, node.name().to_string()));
    }
    let mut heard: Vec<(u64, String)> = of_each.into_values().collect();
    heard.sort_unstable();
    let prices: Vec<u64> = heard.iter().map(|(price, _)| *price).collect();
    let median = *prices.get(prices.len().saturating_sub(1) / 2)?;
    let lowest = *prices.first()?;
    let highest = *prices.last()?;
    let sources = heard.into_iter().map(|(_, name)| name).collect();
    Some(GasPrices { median, lowest, highest, sources })
}
