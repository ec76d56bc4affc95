//! Quote of a token: price, pools and bases.

use alloy_primitives::Address;
use superroot_dex::quote::{BasePrice, LeftOutReason, NoPrice, ObservedPool, PoolPrice, Priced};
use superroot_dex::{Pair, PoolId, PoolState};

use super::request::Token;
use crate::rows::{EventPosition, Observation};

/// Pool in a quote.
#[derive(Clone, Debug)]
pub struct PoolQuote {
    /// Observed pool.
    pub seen: ObservedPool,
    pub pair: Pair,
    pub base: Token,
    /// Event that set the current price.
    pub last: Observation,
    /// Later liquidity changes.
    pub later: Vec<EventPosition>,
    /// Creation event; `None` if the address or id follows from a factory alone.
    pub creation: Option<EventPosition>,
    /// Pool price; `None` if out of range.
    pub said: Option<PoolPrice>,
}

#[derive(Clone, Debug)]
pub struct Quote {
    pub token: Token,
    /// Pools with events, heaviest first.
    pub pools: Vec<PoolQuote>,
    /// Price, or the reason why there is none.
    pub price: Result<Priced, NoPrice>,
    /// Base tokens in the pools, with their prices.
    pub bases: Vec<BaseQuote>,
}

#[derive(Clone, Debug)]
pub struct BaseQuote {
    pub token: Token,
    pub price: BasePrice,
    /// Source quote; `None` for a configured price.
    pub by: Option<Box<Quote>>,
    /// Stablecoins that disagree with a configured base. With only one, the greater depth decided which coin is the
    /// dollar.
    pub disputed_by: Vec<Address>,
}

/// Most pools named in an answer.
const NAMED_MAX: usize = 16;

impl Quote {
    /// Pools whose events cover too few seconds, by address or id, heaviest first: at most 16.
    #[must_use]
    pub fn young_pools(&self) -> Vec<String> {
        let is_young = |pool: &&PoolQuote| {
            pool.said.is_some_and(|said| said.left == Some(LeftOutReason::Young))
        };
        let name = |pool: &PoolQuote| match pool.seen.bound.pool {
            PoolId::Contract(address) => format!("{address:#x}"),
            PoolId::Within(_, id) => id.to_string(),
        };
        self.pools.iter().filter(is_young).take(NAMED_MAX).map(name).collect()
    }
}

impl PoolQuote {
    /// Current pool state, if known.
    #[must_use]
    pub const fn state(&self) -> Option<&PoolState> {
        self.seen.state.as_ref()
    }
}
