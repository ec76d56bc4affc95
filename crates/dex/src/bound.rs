//! Pools that are of known factories, and those of the pairs that were asked for.

use std::fmt;
use std::sync::Arc;

use alloy_primitives::Address;
use quick_cache::sync::Cache;

use crate::PoolId;

/// A pool that is one of a known factory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The pool.
    pub pool: PoolId,
    /// The contract whose events say that it was made.
    pub factory: Address,
    /// Its exchange.
    pub dex: String,
    /// Its fee, in millionths.
    pub fee: u32,
    /// Whether the exchange may change its fee, so that the one here is a guess (Solidly, Slipstream, Algebra).
    pub fee_may_change: bool,
    /// Steps between ticks that may be used; 1 where there are none.
    pub tick_spacing: i32,
    /// Whether its curve is for tokens of one worth.
    pub is_stable: bool,
}

impl Bound {
    /// Whether it is one of many within a contract (Uniswap v4).
    #[must_use]
    pub const fn is_within(&self) -> bool {
        matches!(self.pool, PoolId::Within(..))
    }
}

/// Pairs of tokens whose pools are remembered: each pool's address takes two hashes.
const PAIRS_MAX: usize = 1_024;

/// A chain's name in `factories.toml`, and two tokens.
type ChainPair = (String, Address, Address);

/// Pools of the pairs that were asked for, by chain.
#[derive(Clone)]
pub(crate) struct PairPools(Arc<Cache<ChainPair, Arc<[Bound]>>>);

impl PairPools {
    /// The pools of a pair: those that are remembered, or that `find` gives, which are remembered then.
    pub(crate) fn get_or_find(
        &self,
        chain: &str,
        [token0, token1]: [Address; 2],
        find: impl FnOnce() -> Arc<[Bound]>,
    ) -> Arc<[Bound]> {
        let key = (chain.to_owned(), token0, token1);
        if let Some(known) = self.0.get(&key) {
            return known;
        }
        let pools = find();
        self.0.insert(key, Arc::clone(&pools));
        pools
    }
}

impl Default for PairPools {
    fn default() -> Self {
        Self(Arc::new(Cache::new(PAIRS_MAX)))
    }
}

impl fmt::Debug for PairPools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PairPools").field(&self.0.len()).finish()
    }
}
