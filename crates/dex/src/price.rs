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

    /// Price of token 0 in token 1 in a bin, rounded like the contracts (Liquidity Book, `PriceHelper` and
    /// `Uint128x128Math.pow`): `(1 + step / 10,000)^(bin - 2^23)`, in 1 / 2^128; its inverse with a negative step. `None`
    /// with a step of zero, or a price that the contracts refuse.
    #[must_use]
    pub fn of_bin(bin: u32, step: i32) -> Option<Self> {
        let exponent = i64::from(bin) - (1 << 23);
        let parts = U256::from(step.unsigned_abs()) << 128_usize;
        if step == 0 || exponent.unsigned_abs() >= 1 << 20 {
            return None;
        }
        let one = U256::ONE << 128_usize;
        let base: U256 = one.checked_add(parts / U256::from(10_000))?;
        // the powers of the inverse, each below one
        let mut squared = U256::MAX / base;
        let mut power = one;
        for bit in 0..20 {
            if exponent.unsigned_abs() & (1 << bit) != 0 {
                power = power.checked_mul(squared)? >> 128_usize;
            }
            squared = squared.checked_mul(squared)? >> 128_usize;
        }
        let power = match exponent {
            0 => one,
            1.. => U256::MAX.checked_div(power)?,
            _ => power,
        };
        let price = Self::of(U512::from(power), U512::from(one))?;
        Some(if step < 0 { price.inverse() } else { price })
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MIDDLE: u32 = 1 << 23;

    fn f64_of(price: &Price) -> f64 {
        let (numerator, denominator) = price.parts();
        f64::from(numerator) / f64::from(denominator)
    }

    #[test]
    fn the_middle_bin_is_one_and_each_step_a_part_more() {
        let one = Price::of_bin(MIDDLE, 25).unwrap();
        assert_eq!(one.parts(), (U512::ONE, U512::ONE));
        // 1.01 in 1 / 2^128, less than 2^-120 off
        let (numerator, denominator) = Price::of_bin(MIDDLE + 1, 100).unwrap().parts();
        let exact = (U512::from(101) << 128_usize) / U512::from(100);
        let found = numerator * (U512::ONE << 128_usize) / denominator;
        assert!(found.abs_diff(exact) < U512::from(256), "{found} {exact}");
    }

    #[test]
    fn what_the_contracts_refuse_has_no_price() {
        for (bin, step) in [(MIDDLE, 0), (0, 1), (u32::MAX, 1), (MIDDLE + (1 << 20), 1)] {
            assert_eq!(Price::of_bin(bin, step), None, "{bin} {step}");
        }
        assert_eq!(Price::of_bin(MIDDLE + 90_000, 100), None, "above 2^128");
        assert_eq!(Price::of_bin(MIDDLE - 90_000, 100), None, "below 2^-128");
    }

    proptest! {
        #[test]
        fn a_bin_has_the_price_of_its_power(away in -20_000..20_000_i32, step in 1..200_i32) {
            let bin = MIDDLE.checked_add_signed(away).unwrap();
            let expected = (f64::from(step) / 1e4).ln_1p() * f64::from(away);
            // beyond, too few of the 128 bits are left
            prop_assume!(expected.abs() < 50.0);
            let price = Price::of_bin(bin, step).unwrap();
            let found = f64_of(&price).ln();
            prop_assert!((found - expected).abs() < 1e-9, "{found} {expected}");
            let turned = Price::of_bin(bin, -step).unwrap();
            prop_assert_eq!(turned, price.inverse());
        }

        #[test]
        fn no_bin_makes_it_panic(bin: u32, step: i32) {
            let _ = Price::of_bin(bin, step);
        }
    }
}
