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

    /// Token 0 in token 1 by what a pool for tokens of one worth holds (Solidly): the slope of `x³y + xy³`, where `x` and
    /// `y` are whole tokens. `decimals` are those of both tokens. `None` where it holds nothing of one, or more than
    /// numbers of 512 bits can say.
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
