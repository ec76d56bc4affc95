//! Which pools two tokens can have at factories that are known.

use crate::{Factories, Pair, PoolId};

/// A pool that is one of a known factory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The pool.
    pub pool: PoolId,
    /// Its exchange.
    pub dex: String,
    /// Its fee, in millionths.
    pub fee: u32,
    /// Steps between ticks that may be used; 1 where there are none.
    pub tick_spacing: i32,
    /// Whether its curve is for tokens of one worth.
    pub is_stable: bool,
}

/// Steps between ticks for a fee, as factories of Uniswap v3 and what was copied from them have it.
pub(crate) const fn spacing_of(fee: u32) -> i32 {
    match fee {
        500 => 10,
        2_500 => 50,
        3_000 => 60,
        10_000 => 200,
        _ => 1,
    }
}

impl Factories {
    /// Every pool that two tokens can have on a chain: those that are a contract follow from factory, tokens and fee
    /// (CREATE2), those of Uniswap v4 from their keys, of which those without hooks and of the usual fees are meant.
    /// Whether they were ever made, their events say.
    #[must_use]
    pub fn pools_of(&self, chain: &str, pair: &Pair) -> Vec<Bound> {
        let of = |factory: &crate::Factory| factory.pools_of(pair);
        self.on(chain).flat_map(of).collect()
    }
}
