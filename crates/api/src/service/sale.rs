//! Sale of passes, and facilitators of x402 (version 2, section 7 of its specification).

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value;
use superroot_store::{Store, read};
use superroot_types::{Address, ChainKey, UnixSeconds};
use superroot_wire::account::Settlement;

/// Terms on which passes are sold.
pub struct PassSale {
    /// The token's chain.
    pub chain: ChainKey,
    /// Token contract, with EIP-3009: USDC.
    pub asset: Address,
    /// Payee: this service's alone.
    pub pay_to: Address,
    /// Name in the token's EIP-712 domain.
    pub name: String,
    /// Version in that domain.
    pub version: String,
    /// Who verifies and sends transfers.
    pub facilitator: Arc<dyn Facilitator>,
    /// The chains' store.
    pub store: Arc<dyn Store>,
}

impl PassSale {
    pub(crate) fn network(&self) -> String {
        format!("eip155:{}", self.chain.id)
    }

    /// Time of the newest final block whose events are known.
    pub(crate) fn final_time(&self) -> Option<UnixSeconds> {
        let state = read::load_chain_state(&*self.store, self.chain).ok()??;
        let block = read::load_block(&*self.store, self.chain, state.indexed?.number).ok()??;
        Some(block.timestamp)
    }
}

/// What a facilitator says, or why it says nothing.
pub type Facilitated<'a, T> = Pin<Box<dyn Future<Output = Result<T, String>> + Send + 'a>>;

/// Facilitator: its words count for nothing but the answer to a buyer.
pub trait Facilitator: Send + Sync {
    /// Whether a payment could be sent under these terms; the reason if not.
    fn verify<'a>(&'a self, payment: &'a Value, terms: &'a Value) -> Facilitated<'a, ()>;

    /// Sends a payment's transfer.
    fn settle<'a>(&'a self, payment: &'a Value, terms: &'a Value) -> Facilitated<'a, Settlement>;
}
