//! Gas prices quoted by nodes, for fees not determined by headers.

use std::future::Future;
use std::pin::Pin;

use superroot_types::ChainKey;

/// Gas price of a chain as quoted by nodes (`eth_gasPrice`), without proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotedGasPrice {
    /// Median of the node prices, in wei per gas.
    pub median: u64,
    pub lowest: u64,
    pub highest: u64,
    /// Node names, at least as many as must agree on a block.
    pub nodes: Vec<String>,
}

/// Pending quote; errors are in words.
pub type Asking<'a> = Pin<Box<dyn Future<Output = Result<QuotedGasPrice, String>> + Send + 'a>>;

/// Source of node gas prices.
pub trait PriceNodes: Send + Sync {
    /// Whether the chain has a node to ask.
    fn asks(&self, chain: ChainKey) -> bool;

    /// Asks the chain's nodes, for a bounded time. Errors are in words.
    fn gas_price(&self, chain: ChainKey) -> Asking<'_>;
}

#[derive(Clone, Copy, Debug, Default)]
pub struct NoPriceNodes;

impl PriceNodes for NoPriceNodes {
    fn asks(&self, _chain: ChainKey) -> bool {
        false
    }

    fn gas_price(&self, _chain: ChainKey) -> Asking<'_> {
        Box::pin(std::future::ready(Err("this service asks no node of the chain".to_owned())))
    }
}
