//! Exact prices.

use alloy_primitives::{I256, U256, U512};

use crate::Spot;

/// How many of one token another is worth, in their smallest units: a reduced fraction. Both parts are above
/// zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    numerator: U512,
    denominator: U512,
}

impl Price {
    fn of(numerator: U512, denominator: U512) -> Option<Self> {
        if numerator.is_zero() || denominator.is_zero() {
            return None;
        }
        let common = numerator.gcd(denominator);
        Some(Self { numerator: numerator / common, denominator: denominator / common })
    }

    /// Token 0 in token 1 by what a pool of equal worths holds (Uniswap v2); `None` where it holds nothing of
    /// one.
    #[must_use]
    pub fn of_reserves([reserve0, reserve1]: [U256; 2]) -> Option<Self> {
        Self::of(U512::from(reserve1), U512::from(reserve0))
    }

    /// Token 0 in token 1 by the square root in force (Uniswap v3); `None` where that is zero.
    #[must_use]
    pub fn of_spot(spot: &Spot) -> Option<Self> {
        let root = U512::from(spot.sqrt_price_x96);
        Self::of(root.checked_mul(root)?, U512::ONE << 192)
    }

    /// What was got for each that was given, of a swap that gave one token for the other; `None` of any other.
    #[must_use]
    pub fn of_swap([gained0, gained1]: [I256; 2]) -> Option<Self> {
        let (came, went) = match (gained0.is_negative(), gained1.is_negative()) {
            (false, true) => (gained0, gained1),
            (true, false) => (gained1, gained0),
            _ => return None,
        };
        Self::of(U512::from(went.unsigned_abs()), U512::from(came.unsigned_abs()))
    }

    /// The same, from the other token's side.
    #[must_use]
    pub const fn inverse(self) -> Self {
        Self { numerator: self.denominator, denominator: self.numerator }
    }

    /// Numerator and denominator.
    #[must_use]
    pub const fn parts(&self) -> (U512, U512) {
        (self.numerator, self.denominator)
    }
}
