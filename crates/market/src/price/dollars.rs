//! Prices of the base tokens, and the check of stablecoins by the native coin's prices.

use alloy_primitives::Address;
use superroot_dex::Decimal;
use superroot_dex::median::{WeightedPrice, weighted_median};
use superroot_dex::quote::{BasePrice, LeftOutReason, PricingRules};

use super::quotes::{BaseQuote, Quote};

/// The base tokens' prices.
#[derive(Clone, Debug)]
pub struct PricedBases {
    /// Stablecoins at one dollar, and stablecoins off the peg with a price by the others.
    pub(super) stables: Vec<BaseQuote>,
    /// The chain's native coin, if any.
    pub native: Option<Quote>,
    /// Stablecoins with the same native coin price as another stablecoin, in pools with enough depth.
    pub(super) agreeing: Vec<Address>,
}

impl PricedBases {
    /// Stablecoins behind a base's dollar price, and whether each agrees with another stablecoin on its chain.
    #[must_use]
    pub fn dollars(&self, base: Address) -> Vec<(Address, bool)> {
        let alone = |stable: Address| (stable, self.agreeing.contains(&stable));
        let is_base = |one: &&BaseQuote| one.token.address == base;
        let by = match self.native.as_ref().filter(|native| native.token.address == base) {
            Some(native) => &native.bases,
            None => match self.stables.iter().find(is_base).and_then(|one| one.by.as_ref()) {
                Some(by) => &by.bases,
                None => return vec![alone(base)],
            },
        };
        by.iter().filter(|one| one.by.is_none()).map(|one| alone(one.token.address)).collect()
    }
}

pub(super) fn base_price(quote: &Quote) -> Option<BasePrice> {
    let priced = quote.price.as_ref().ok()?;
    Some(BasePrice { usd: priced.usd, mean_usd: priced.mean.map(|(mean, _)| mean) })
}

/// Dollar check by the native coin's prices.
#[derive(Default)]
pub(super) struct Dollars {
    /// Stablecoins with a native coin price further from the others than pools may be apart.
    pub(super) strays: Vec<Address>,
    /// Stablecoins with the same native coin price as another.
    pub(super) agreeing: Vec<Address>,
}

/// Chooses the dollar: among two disagreeing stablecoins the one with more depth, among more the median.
pub(super) fn dollars(native: &Quote, rules: &PricingRules) -> Dollars {
    let mut costs: Vec<(Decimal, Decimal, Address)> = Vec::new();
    for base in &native.bases {
        let pools = native.pools.iter().filter(|pool| pool.base == base.token);
        let said = pools.filter_map(|pool| pool.said.as_ref());
        let said = said.filter(|said| said.left.is_none_or(|left| left == LeftOutReason::Outlier));
        let voices: Vec<WeightedPrice> =
            said.map(|said| WeightedPrice { price: said.in_base, depth: said.depth_usd }).collect();
        let depth = voices.iter().fold(Decimal::ZERO, |sum, voice| sum.plus(voice.depth));
        if let Some(cost) =
            weighted_median(&voices).filter(|_| depth >= Decimal::of_u64(rules.depth_usd_min))
        {
            costs.push((cost, depth, base.token.address));
        }
    }
    costs.sort();
    let middle = match costs.as_slice() {
        [] | [_] => return Dollars::default(),
        [one, other] => {
            if one.1 > other.1 {
                one.0
            } else {
                other.0
            }
        }
        several => several.get(several.len() / 2).map_or(Decimal::ONE, |(cost, ..)| *cost),
    };
    let apart_max = Decimal::of_u64(rules.outlier_percent_max).over(Decimal::of_u64(100));
    let is_far = |(cost, ..): &(Decimal, Decimal, Address)| cost.apart(middle) > apart_max;
    let (far, near): (Vec<_>, Vec<_>) = costs.into_iter().partition(is_far);
    let addresses = |costs: Vec<(Decimal, Decimal, Address)>| -> Vec<Address> {
        costs.into_iter().map(|(.., stable)| stable).collect()
    };
    // one that nothing confirms agrees with nobody
    let agreeing = if near.len() > 1 { addresses(near) } else { Vec::new() };
    Dollars { strays: addresses(far), agreeing }
}
