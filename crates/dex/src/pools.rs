//! Which pools two tokens can have at factories that are known.

use std::sync::Arc;

use alloy_primitives::Address;

use crate::factory::{Factory, Form, Kind, spacing_of};
use crate::{Bound, Created, Factories, Pair, PoolId};

/// Fees that pools of Uniswap v4 usually have, with their steps between ticks. Those of PancakeSwap Infinity have any:
/// they are known by their creations.
const USUAL_V4: [(u32, i32); 4] = [(100, 1), (500, 10), (3_000, 60), (10_000, 200)];

impl Factory {
    fn bound(&self, pool: PoolId, kind: Kind) -> Bound {
        let Kind { fee, tick_spacing, is_stable } = kind;
        let (factory, dex) = (self.address, self.dex.clone());
        let fee_may_change = self.changes_fees();
        Bound { pool, factory, dex, fee, fee_may_change, tick_spacing, is_stable }
    }

    /// The pools that two tokens can have there.
    fn pools_of(&self, pair: &Pair) -> Vec<Bound> {
        if self.form == Form::V4 {
            let within = |&(fee, tick_spacing): &(u32, i32)| {
                let id = self.id_of(pair, fee, tick_spacing)?;
                let kind = Kind { fee, tick_spacing, is_stable: false };
                Some(self.bound(PoolId::Within(self.address, id), kind))
            };
            return USUAL_V4.iter().filter_map(within).collect();
        }
        let of =
            |kind: Kind| Some(self.bound(PoolId::Contract(self.address_of(pair, &kind)?), kind));
        self.kinds().filter_map(of).collect()
    }

    /// What tells the pool that it made apart from others.
    fn kind_of(&self, made: &Created) -> Option<Kind> {
        let is_like = |kind: &Kind| match self.form {
            Form::Solidly => kind.is_stable == made.is_stable,
            Form::Slipstream => Some(kind.tick_spacing) == made.tick_spacing,
            _ => made.fee.is_none_or(|fee| fee == kind.fee),
        };
        let known = self.kinds().find(is_like);
        // where fees may change the one here is a guess, of a spacing that is not in the row too
        let usual = self.kinds().next().filter(|_| self.changes_fees());
        let fee = made.fee.or(known.or(usual).map(|kind| kind.fee));
        // a fee that a hook sets is none of this range
        let fee = fee.filter(|fee| *fee < 1_000_000 || made.hooks != Address::ZERO)?;
        let tick_spacing = made.tick_spacing.or(known.map(|kind| kind.tick_spacing)).unwrap_or(1);
        Some(Kind { fee, tick_spacing, is_stable: made.is_stable })
    }
}

impl Factories {
    /// Every pool that two tokens can have on a chain: those that are a contract follow from factory, tokens and fee
    /// (CREATE2), those of Uniswap v4 from their keys, of which those without hooks and of the usual fees are meant (of
    /// PancakeSwap Infinity none).
    /// Whether they were ever made, their events say.
    #[must_use]
    pub fn pools_of(&self, chain: &str, pair: &Pair) -> Arc<[Bound]> {
        let find = || self.on(chain).flat_map(|one| one.pools_of(pair)).collect();
        self.pools.get_or_find(chain, [pair.token0, pair.token1], find)
    }

    /// The pool of two tokens with that fee and spacing, if it follows from these that it is one of a known factory: of an
    /// unusual fee too, which [`Factories::pools_of`] does not list. The id of a pool within a contract is the hash of both.
    /// An address of form v3 follows from the fee alone: its spacing is the usual one of that fee, 1 where there is none,
    /// whatever is given. What a factory set for an unusual fee, the pool's creation says ([`Factories::made_by`]).
    #[must_use]
    pub fn bind(
        &self,
        chain: &str,
        pool: PoolId,
        pair: &Pair,
        (fee, tick_spacing): (u32, i32),
    ) -> Option<Bound> {
        let pools = self.pools_of(chain, pair);
        let usual = pools.iter().find(|bound| bound.pool == pool).cloned();
        let tick_spacing = match pool {
            PoolId::Contract(_) => spacing_of(fee),
            PoolId::Within(..) => tick_spacing,
        };
        let kind = Kind { fee, tick_spacing, is_stable: false };
        let follows = |factory: &&Factory| match (factory.form, pool) {
            (Form::V3, PoolId::Contract(at)) => factory.address_of(pair, &kind) == Some(at),
            (Form::V4 | Form::Infinity, PoolId::Within(at, id)) => {
                at == factory.address && factory.id_of(pair, fee, tick_spacing) == Some(id)
            }
            _ => false,
        };
        usual.or_else(|| {
            let factory = self.on(chain).find(follows).filter(|_| fee < 1_000_000)?;
            Some(factory.bound(pool, kind))
        })
    }

    /// The pool that a creation says was made, where the contract that says so is a known factory. One within a contract
    /// has to be without hooks: what those do to a price, nobody knows.
    #[must_use]
    pub fn made_by(&self, chain: &str, by: Address, made: &Created) -> Option<Bound> {
        self.made_with_hooks(chain, by, made).filter(|_| made.hooks == Address::ZERO)
    }

    /// The same, of a pool with hooks too: it is there and holds what it holds, and makes no price.
    #[must_use]
    pub fn made_with_hooks(&self, chain: &str, by: Address, made: &Created) -> Option<Bound> {
        let factory = self.at(chain, by)?;
        let kind = factory.kind_of(made)?;
        Some(factory.bound(made.pool, kind))
    }

    /// What the pool of these tokens at that address is, where it is one that a known factory can make.
    #[must_use]
    pub fn of_pool(&self, chain: &str, pool: Address, pair: &Pair) -> Option<Bound> {
        let is_it = |bound: &Bound| bound.pool == PoolId::Contract(pool);
        self.pools_of(chain, pair).iter().find(|bound| is_it(bound)).cloned()
    }
}
