//! Pools of known factories, with a cache by token pair.

use std::fmt;
use std::sync::Arc;

use alloy_primitives::Address;
use quick_cache::sync::Cache;

use crate::PoolId;

/// A known factory's pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactoryPool {
    pub pool: PoolId,
    /// Contract whose events report the pool's creation.
    pub factory: Address,
    pub dex: String,
    /// Fee, in millionths.
    pub fee: u32,
    /// Whether the exchange may change the fee, so that `fee` is a guess (Solidly, Slipstream, Algebra).
    pub fee_may_change: bool,
    /// Steps between usable ticks; 1 without ticks.
    pub tick_spacing: i32,
    /// Whether the curve is for tokens with equal value.
    pub is_stable: bool,
}

impl FactoryPool {
    /// Whether the pool is one of many within a contract (Uniswap v4).
    #[must_use]
    pub const fn is_within(&self) -> bool {
        matches!(self.pool, PoolId::Within(..))
    }
}

/// Token pairs with cached pools: each pool address takes two hashes.
const PAIRS_MAX: usize = 1_024;

/// Chain name in `factories.toml`, and two tokens.
type ChainPair = (String, Address, Address);

/// Cached pools by chain and token pair.
#[derive(Clone)]
pub(crate) struct PairPools(Arc<Cache<ChainPair, Arc<[FactoryPool]>>>);

impl PairPools {
    /// Cached pools of a pair, or the result of `find`, cached for the next call.
    pub(crate) fn get_or_find(
        &self,
        chain: &str,
        [token0, token1]: [Address; 2],
        find: impl FnOnce() -> Arc<[FactoryPool]>,
    ) -> Arc<[FactoryPool]> {
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
