//! Possible pools for two tokens at known factories.

use std::sync::Arc;

use alloy_primitives::Address;

use crate::factory::{Factory, PoolKind, SaltForm, spacing_of};
use crate::{Created, Factories, FactoryPool, Pair, PoolId};

/// Usual fees of Uniswap v4 pools, with their tick spacings. PancakeSwap Infinity pools have arbitrary fees and are
/// known by their creations.
const USUAL_V4: [(u32, i32); 4] = [(100, 1), (500, 10), (3_000, 60), (10_000, 200)];

impl Factory {
    fn bound(&self, pool: PoolId, kind: PoolKind) -> FactoryPool {
        let PoolKind { fee, tick_spacing, is_stable } = kind;
        let factory = self.address;
        let dex = self.dex.clone();
        let fee_may_change = self.changes_fees();
        FactoryPool { pool, factory, dex, fee, fee_may_change, tick_spacing, is_stable }
    }

    fn pools_of(&self, pair: &Pair) -> Vec<FactoryPool> {
        if self.form == SaltForm::V4 {
            let within = |&(fee, tick_spacing): &(u32, i32)| {
                let id = self.id_of(pair, fee, tick_spacing)?;
                let kind = PoolKind { fee, tick_spacing, is_stable: false };
                Some(self.bound(PoolId::Within(self.address, id), kind))
            };
            return USUAL_V4.iter().filter_map(within).collect();
        }
        let of = |kind: PoolKind| {
            Some(self.bound(PoolId::Contract(self.address_of(pair, &kind)?), kind))
        };
        self.kinds().filter_map(of).collect()
    }

    /// A created pool's distinguishing features.
    fn kind_of(&self, made: &Created) -> Option<PoolKind> {
        let is_like = |kind: &PoolKind| match self.form {
            SaltForm::Solidly => kind.is_stable == made.is_stable,
            SaltForm::Slipstream => Some(kind.tick_spacing) == made.tick_spacing,
            _ => made.fee.is_none_or(|fee| fee == kind.fee),
        };
        let known = self.kinds().find(is_like);
        // where fees may change the one here is a guess, of a spacing that is not in the row too
        let usual = self.kinds().next().filter(|_| self.changes_fees());
        let fee = made.fee.or(known.or(usual).map(|kind| kind.fee));
        // a fee that a hook sets is none of this range
        let fee = fee.filter(|fee| *fee < 1_000_000 || made.hooks != Address::ZERO)?;
        let tick_spacing = made.tick_spacing.or(known.map(|kind| kind.tick_spacing)).unwrap_or(1);
        Some(PoolKind { fee, tick_spacing, is_stable: made.is_stable })
    }
}

impl Factories {
    /// Every possible pool for two tokens on a chain. Contract pools follow from factory, tokens and fee (CREATE2);
    /// Uniswap v4 pools follow from their keys, without hooks and with the usual fees only; PancakeSwap Infinity pools
    /// are not included. Only events show whether a pool was created.
    #[must_use]
    pub fn pools_of(&self, chain: &str, pair: &Pair) -> Arc<[FactoryPool]> {
        let find = || self.on(chain).flat_map(|one| one.pools_of(pair)).collect();
        self.pools.get_or_find(chain, [pair.token0, pair.token1], find)
    }

    /// Pool of two tokens with this fee and spacing, if these show that it belongs to a known factory: also for unusual
    /// fees, which [`Factories::pools_of`] does not list. A pool id within a contract is a hash over both. A v3 address
    /// follows from the fee alone: the spacing is the usual one for the fee, else 1, whatever is given. For an unusual
    /// fee the creation has the factory's spacing ([`Factories::made_by`]).
    #[must_use]
    pub fn bind(
        &self,
        chain: &str,
        pool: PoolId,
        pair: &Pair,
        (fee, tick_spacing): (u32, i32),
    ) -> Option<FactoryPool> {
        let pools = self.pools_of(chain, pair);
        let usual = pools.iter().find(|bound| bound.pool == pool).cloned();
        let tick_spacing = match pool {
            PoolId::Contract(_) => spacing_of(fee),
            PoolId::Within(..) => tick_spacing,
        };
        let kind = PoolKind { fee, tick_spacing, is_stable: false };
        let follows = |factory: &&Factory| match (factory.form, pool) {
            (SaltForm::V3, PoolId::Contract(at)) => factory.address_of(pair, &kind) == Some(at),
            (SaltForm::V4 | SaltForm::Infinity, PoolId::Within(at, id)) => {
                at == factory.address && factory.id_of(pair, fee, tick_spacing) == Some(id)
            }
            _ => false,
        };
        usual.or_else(|| {
            let factory = self.on(chain).find(follows).filter(|_| fee < 1_000_000)?;
            Some(factory.bound(pool, kind))
        })
    }

    /// Pool in a creation event by a known factory. Pools within a contract must have no hooks: the hooks' effect on a
    /// price is unknown.
    #[must_use]
    pub fn made_by(&self, chain: &str, by: Address, made: &Created) -> Option<FactoryPool> {
        self.made_with_hooks(chain, by, made).filter(|_| made.hooks == Address::ZERO)
    }

    /// [`Factories::made_by`] including pools with hooks: they count for amounts, but not for prices.
    #[must_use]
    pub fn made_with_hooks(&self, chain: &str, by: Address, made: &Created) -> Option<FactoryPool> {
        let factory = self.at(chain, by)?;
        let kind = factory.kind_of(made)?;
        Some(factory.bound(made.pool, kind))
    }

    /// Pool at this address, if a known factory can create a pool of these tokens there.
    #[must_use]
    pub fn of_pool(&self, chain: &str, pool: Address, pair: &Pair) -> Option<FactoryPool> {
        let is_it = |bound: &FactoryPool| bound.pool == PoolId::Contract(pool);
        self.pools_of(chain, pair).iter().find(|bound| is_it(bound)).cloned()
    }
}
