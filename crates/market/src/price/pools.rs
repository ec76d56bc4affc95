//! Pools of a token with a base.

use alloy_primitives::Address;
use superroot_dex::{FactoryPool, Pair, PoolId, TokenSide};
use superroot_store::StoreError;

use super::request::Market;
use crate::read;
use crate::rows::{EventPosition, Observation};

pub(super) struct CandidatePool {
    pub(super) pair: Pair,
    pub(super) side: TokenSide,
    pub(super) bound: FactoryPool,
    pub(super) creation: Option<EventPosition>,
}

impl Market<'_> {
    /// Last event of a pool within the complete events.
    pub(super) fn last(&self, pool: &PoolId) -> Result<Option<Observation>, StoreError> {
        let last = read::latest(self.store, self.chain, pool, self.at.0)?;
        Ok(last.filter(|last| last.place.number >= self.floor))
    }

    /// Known factories' pools for two tokens. In Uniswap v4 pools the native coin itself (token address zero) may
    /// replace the wrapped coin.
    pub(super) fn bound(
        &self,
        token: Address,
        base: Address,
    ) -> Result<Vec<CandidatePool>, StoreError> {
        let native = self.bases.native.map(|native| native.address);
        let unwrapped = |one: Address| if native == Some(one) { Address::ZERO } else { one };
        let mut found = self.bound_as(pair_of(token, base))?;
        let coin = (unwrapped(token), unwrapped(base));
        if coin != (token, base) {
            let of_coin = self.bound_as(pair_of(coin.0, coin.1))?;
            found.extend(of_coin.into_iter().filter(|one| one.bound.is_within()));
        }
        Ok(found)
    }

    fn bound_as(&self, (pair, side): (Pair, TokenSide)) -> Result<Vec<CandidatePool>, StoreError> {
        let known = |bound, creation| CandidatePool { pair, side, bound, creation };
        let usual = self.factories.pools_of(self.slug, &pair);
        let mut found: Vec<CandidatePool> =
            usual.iter().map(|bound| known(bound.clone(), None)).collect();
        for factory in self.factories.telling(self.slug) {
            let of = (&pair, side.other(), factory);
            for creation in read::made(self.store, self.chain, of, self.at.0)? {
                let made = &creation.made;
                if found.iter().all(|known| known.bound.pool != made.pool) {
                    let bound = self.factories.made_by(self.slug, factory, made);
                    found.extend(bound.map(|bound| known(bound, Some(creation.place))));
                }
            }
        }
        Ok(found)
    }

    /// Whether a token has a pool with a base, and an event in the pool.
    pub fn has_pool(&self, token: Address) -> Result<bool, StoreError> {
        let bases = self.bases.stables.iter().chain(&self.bases.native);
        for base in bases.filter(|base| base.address != token) {
            for known in self.bound(token, base.address)? {
                if self.last(&known.bound.pool)?.is_some() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// Both tokens in pool order, and the side of the first argument.
#[must_use]
pub fn pair_of(token: Address, other: Address) -> (Pair, TokenSide) {
    if token < other {
        (Pair { token0: token, token1: other }, TokenSide::Token0)
    } else {
        (Pair { token0: other, token1: token }, TokenSide::Token1)
    }
}
