//! What nodes say that gas costs, where no header decides it.

use std::future::Future;
use std::pin::Pin;

use superroot_types::ChainKey;

/// What gas costs on a chain, as its nodes say (`eth_gasPrice`). Nothing proves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodePrice {
    /// Wei per gas: what half of the nodes say at most.
    pub median: u64,
    /// The lowest.
    pub lowest: u64,
    /// The highest.
    pub highest: u64,
    /// Names of the nodes, at least as many as have to agree on a block.
    pub nodes: Vec<String>,
}

/// An answer that is waited for; what went wrong is in words.
pub type Asking<'a> = Pin<Box<dyn Future<Output = Result<NodePrice, String>> + Send + 'a>>;

/// Who asks nodes what gas costs.
pub trait PriceNodes: Send + Sync {
    /// Whether there is a node of that chain to ask.
    fn asks(&self, chain: ChainKey) -> bool;

    /// Asks those of that chain, for a bounded time.
    ///
    /// # Errors
    /// Why nothing is known, in words.
    fn gas_price(&self, chain: ChainKey) -> Asking<'_>;
}

/// No node at all.
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
