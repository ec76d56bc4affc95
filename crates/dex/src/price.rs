//! Exact prices.

use alloy_primitives::{I256, U256, U512};

use crate::Spot;

/// Price of one token in another, in their smallest units: a reduced fraction with positive parts.
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

    /// Price of token 0 in token 1 from constant-product reserves (Uniswap v2); `None` if a reserve is zero.
    #[must_use]
    pub fn of_reserves([reserve0, reserve1]: [U256; 2]) -> Option<Self> {
        Self::of(U512::from(reserve1), U512::from(reserve0))
    }

    /// Price of token 0 in token 1 from the reserves of a stable pool (Solidly): the slope of `x³y + xy³`, with `x` and
    /// `y` in whole tokens. `decimals` are those of both tokens. `None` if a reserve is zero, or the result exceeds 512
    /// bits.
    #[must_use]
    pub fn of_stable_reserves([reserve0, reserve1]: [U256; 2], decimals: [u8; 2]) -> Option<Self> {
        let ten_to = |digits: u8| U512::from(10).checked_pow(U512::from(digits));
        let [unit0, unit1] = [ten_to(decimals[0])?, ten_to(decimals[1])?];
        // whole tokens, both times the same
        let x = U512::from(reserve0).checked_mul(unit1)?;
        let y = U512::from(reserve1).checked_mul(unit0)?;
        let ratio = Self::of(y, x)?;
        let (y, x) = ratio.parts();
        let side = |a: U512, b: U512| {
            let squares =
                a.checked_mul(a)?.checked_add(b.checked_mul(b)?.checked_mul(U512::from(3))?)?;
            squares.checked_mul(a)
        };
        let slope = Self::of(side(y, x)?, side(x, y)?)?;
        let units = Self::of(unit1, unit0)?;
        Self::of(
            slope.numerator.checked_mul(units.numerator)?,
            slope.denominator.checked_mul(units.denominator)?,
        )
    }

    /// Price of token 0 in token 1 from the current square root (Uniswap v3); `None` if zero.
    #[must_use]
    pub fn of_spot(spot: &Spot) -> Option<Self> {
        let root = U512::from(spot.sqrt_price_x96);
        Self::of(root.checked_mul(root)?, U512::ONE << 192)
    }

    /// Amount received per amount given in a swap of one token for the other; `None` for other swaps.
    #[must_use]
    pub fn of_swap([gained0, gained1]: [I256; 2]) -> Option<Self> {
        let (came, went) = match (gained0.is_negative(), gained1.is_negative()) {
            (false, true) => (gained0, gained1),
            (true, false) => (gained1, gained0),
            _ => return None,
        };
        Self::of(U512::from(went.unsigned_abs()), U512::from(came.unsigned_abs()))
    }

    #[must_use]
    pub const fn inverse(self) -> Self {
        Self { numerator: self.denominator, denominator: self.numerator }
    }

    #[must_use]
    pub const fn parts(&self) -> (U512, U512) {
        (self.numerator, self.denominator)
    }
}
