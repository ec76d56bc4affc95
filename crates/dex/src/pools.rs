//! Which pools two tokens can have at factories that are known.

use alloy_primitives::Address;

use crate::factory::{Factory, Form, id_within};
use crate::{Created, Factories, Pair, PoolId};

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

impl Bound {
    /// Whether it is one of many within a contract (Uniswap v4).
    #[must_use]
    pub const fn is_within(&self) -> bool {
        matches!(self.pool, PoolId::Within(..))
    }
}

/// Steps between ticks for a fee, as factories of Uniswap v3 and what was copied from them have it.
const fn spacing_of(fee: u32) -> i32 {
    match fee {
        500 => 10,
        2_500 => 50,
        3_000 => 60,
        10_000 => 200,
        _ => 1,
    }
}

/// Fees that pools of Uniswap v4 usually have, with their steps between ticks.
const USUAL_V4: [(u32, i32); 4] = [(100, 1), (500, 10), (3_000, 60), (10_000, 200)];

impl Factory {
    /// The pools that two tokens can have there.
    fn pools_of(&self, pair: &Pair) -> Vec<Bound> {
        let bound = |pool, fee, tick_spacing| Bound {
            pool,
            dex: self.dex.clone(),
            fee,
            tick_spacing,
            is_stable: false,
        };
        match self.form {
            Form::V4 => USUAL_V4
                .iter()
                .map(|(fee, spacing)| {
                    let id = id_within(pair, *fee, *spacing, Address::ZERO);
                    bound(PoolId::Within(self.address, id), *fee, *spacing)
                })
                .collect(),
            Form::V2 | Form::V3 => self
                .fees
                .iter()
                .filter_map(|fee| {
                    let pool = PoolId::Contract(self.pool_of(pair, *fee)?);
                    let spacing = if self.form == Form::V2 { 1 } else { spacing_of(*fee) };
                    Some(bound(pool, *fee, spacing))
                })
                .collect(),
        }
    }
}

impl Factories {
    /// Every pool that two tokens can have on a chain: those that are a contract follow from factory, tokens and fee
    /// (CREATE2), those of Uniswap v4 from their keys, of which those without hooks and of the usual fees are meant.
    /// Whether they were ever made, their events say.
    #[must_use]
    pub fn pools_of(&self, chain: &str, pair: &Pair) -> Vec<Bound> {
        let of = |factory: &Factory| factory.pools_of(pair);
        self.on(chain).flat_map(of).collect()
    }

    /// The pool of two tokens with that fee and spacing, if it follows from these that it is one of a known factory: of an
    /// unusual fee too, which [`Factories::pools_of`] does not list.
    #[must_use]
    pub fn bind(
        &self,
        chain: &str,
        pool: PoolId,
        pair: &Pair,
        (fee, tick_spacing): (u32, i32),
    ) -> Option<Bound> {
        let usual = self.pools_of(chain, pair).into_iter().find(|bound| bound.pool == pool);
        let follows = |factory: &&Factory| match (factory.form, pool) {
            (Form::V3, PoolId::Contract(at)) => factory.pool_of(pair, fee) == Some(at),
            (Form::V4, PoolId::Within(at, id)) => {
                at == factory.address && id == id_within(pair, fee, tick_spacing, Address::ZERO)
            }
            _ => false,
        };
        usual.or_else(|| {
            let factory = self.on(chain).find(follows).filter(|_| fee < 1_000_000)?;
            let (dex, is_stable) = (factory.dex.clone(), false);
            Some(Bound { pool, dex, fee, tick_spacing, is_stable })
        })
    }

    /// The pool that a creation says was made, where the contract that says so is a known factory. One of Uniswap v4 has
    /// to be without hooks: what those do to a price, nobody knows.
    #[must_use]
    pub fn made_by(&self, chain: &str, by: Address, made: &Created) -> Option<Bound> {
        let factory = self.at(chain, by)?;
        let fee =
            made.fee.or_else(|| factory.fees.first().copied()).filter(|fee| *fee < 1_000_000)?;
        (made.hooks == Address::ZERO).then(|| Bound {
            pool: made.pool,
            dex: factory.dex.clone(),
            fee,
            tick_spacing: made.tick_spacing.unwrap_or_else(|| spacing_of(fee)),
            is_stable: made.is_stable,
        })
    }
}
