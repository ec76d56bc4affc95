//! Decimal numbers with a fixed precision, so that a price is the same on every machine.

use std::cmp::Ordering;

use alloy_primitives::{U256, U512};

pub const DIGITS: u32 = 30;
const MANTISSA_MIN: u128 = 10_u128.pow(DIGITS - 1);
/// Largest power of ten: beyond all real prices.
const EXPONENT_MAX: i32 = 1_000;

/// `mantissa × 10^exponent`, 30 significant digits, rounded down. Never negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    mantissa: u128,
    exponent: i32,
}

impl Decimal {
    pub const ZERO: Self = Self { mantissa: 0, exponent: 0 };
    pub const ONE: Self = Self { mantissa: MANTISSA_MIN, exponent: 1 - DIGITS as i32 };

    /// `numerator / denominator × 10^shift`; `None` for a zero denominator, or out of bounds.
    #[must_use]
    pub fn of_fraction(numerator: U512, denominator: U512, shift: i32) -> Option<Self> {
        if denominator.is_zero() {
            return None;
        }
        if numerator.is_zero() {
            return Some(Self::ZERO);
        }
        // about so many digits more than the denominator has, so that the quotient has 30 or 31
        let more = digits(denominator) + DIGITS as i32 - digits(numerator);
        let (numerator, denominator) = if more >= 0 {
            (numerator.checked_mul(ten_to(more)?)?, denominator)
        } else {
            (numerator, denominator.checked_mul(ten_to(-more)?)?)
        };
        Self::of_wide(numerator / denominator, shift.checked_sub(more)?)
    }

    /// An integer times `10^shift`: an amount in a token's smallest units, with its negated decimals as `shift`.
    #[must_use]
    pub fn of_units(units: U256, shift: i32) -> Option<Self> {
        Self::of_fraction(U512::from(units), U512::ONE, shift)
    }

    #[must_use]
    pub fn of_u64(number: u64) -> Self {
        Self::of_wide(U512::from(number), 0).unwrap_or(Self::ZERO)
    }

    /// Parses a plain decimal number: digits and at most one point.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
        let digits = [whole, rest].concat();
        if digits.is_empty() || digits.len() > 120 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        Self::of_wide(digits.parse().ok()?, -i32::try_from(rest.len()).ok()?)
    }

    fn of_wide(mut mantissa: U512, mut exponent: i32) -> Option<Self> {
        if mantissa.is_zero() {
            return Some(Self::ZERO);
        }
        let over = digits(mantissa) - DIGITS as i32;
        if over > 0 {
            mantissa /= ten_to(over)?;
        } else {
            mantissa *= ten_to(-over)?; // at most 30 digits then
        }
        exponent = exponent.checked_add(over)?;
        let mantissa = u128::try_from(mantissa).ok()?;
        (exponent.abs() <= EXPONENT_MAX).then_some(Self { mantissa, exponent })
    }

    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.mantissa == 0
    }

    /// Product; `None` out of bounds.
    #[must_use]
    pub fn times(self, other: Self) -> Option<Self> {
        let product = U512::from(self.mantissa) * U512::from(other.mantissa);
        Self::of_wide(product, self.exponent + other.exponent)
    }

    /// Quotient; `None` for a zero divisor, or out of bounds.
    #[must_use]
    pub fn over(self, other: Self) -> Option<Self> {
        let numerator = U512::from(self.mantissa);
        let denominator = U512::from(other.mantissa);
        Self::of_fraction(numerator, denominator, self.exponent - other.exponent)
    }

    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let (high, low) = if self >= other { (self, other) } else { (other, self) };
        let apart = (high.exponent - low.exponent).unsigned_abs();
        if low.is_zero() || apart > DIGITS {
            return high;
        }
        let low = low.mantissa / 10_u128.pow(apart);
        Self::of_wide(U512::from(high.mantissa + low), high.exponent).unwrap_or(high)
    }

    /// Difference; zero if `other` is larger.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        if other >= self {
            return Self::ZERO;
        }
        let apart = (self.exponent - other.exponent).unsigned_abs();
        if other.is_zero() || apart > DIGITS {
            return self;
        }
        let other = other.mantissa / 10_u128.pow(apart);
        Self::of_wide(U512::from(self.mantissa - other), self.exponent).unwrap_or(Self::ZERO)
    }

    /// Distance between two numbers, in parts of the second; `None` if the second is zero.
    #[must_use]
    pub fn apart(self, from: Self) -> Option<Self> {
        if self >= from { self.minus(from) } else { from.minus(self) }.over(from)
    }

    /// Nearest `f64`, for JSON readers.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        format!("{}e{}", self.mantissa, self.exponent).parse().unwrap_or(f64::MAX)
    }

    /// Plain digits, at most `significant` significant ones, rounded down.
    #[must_use]
    pub fn text(self, significant: u32) -> String {
        let digits = self.mantissa.to_string();
        let kept = usize::try_from(significant).unwrap_or(usize::MAX).clamp(1, digits.len());
        let kept = digits[..kept].trim_end_matches('0');
        if kept.is_empty() {
            return "0".to_owned();
        }
        // digits before the point
        let whole = self.exponent + i32::try_from(digits.len()).unwrap_or(0);
        match usize::try_from(whole) {
            Err(_) | Ok(0) => {
                format!("0.{}{kept}", "0".repeat(whole.unsigned_abs() as usize))
            }
            Ok(whole) if whole >= kept.len() => {
                format!("{kept}{}", "0".repeat(whole - kept.len()))
            }
            Ok(whole) => format!("{}.{}", &kept[..whole], &kept[whole..]),
        }
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.is_zero(), other.is_zero()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => (self.exponent, self.mantissa).cmp(&(other.exponent, other.mantissa)),
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn ten_to(power: i32) -> Option<U512> {
    U512::from(10).checked_pow(U512::from(u32::try_from(power).ok()?))
}

fn digits(number: U512) -> i32 {
    // 1233 / 4096 is a little above log10(2), so the guess is right or one too many
    let guess = (number.bit_len() * 1233) >> 12;
    let guess = i32::try_from(guess).unwrap_or(i32::MAX);
    match ten_to(guess) {
        Some(power) if number >= power => guess + 1,
        _ => guess.max(1),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MANTISSA_END: u128 = MANTISSA_MIN * 10;

    fn of(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn numbers_are_written_as_people_write_them() {
        for (text, digits, shown) in [
            ("0", 18, "0"),
            ("1", 18, "1"),
            ("1200", 18, "1200"),
            ("1234.5", 2, "1200"),
            ("0.00012345", 3, "0.000123"),
            ("12.345", 18, "12.345"),
            ("0.1", 18, "0.1"),
            ("99999999999999999999", 18, "99999999999999999900"),
        ] {
            assert_eq!(of(text).text(digits), shown, "{text}");
        }
        assert_eq!(of("1"), Decimal::ONE);
        for text in ["", ".", "1e5", "-1", "1.2.3", "٣"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_third_has_thirty_digits_and_is_rounded_down() {
        let third = Decimal::ONE.over(of("3")).unwrap();
        assert_eq!(third.text(40), format!("0.{}", "3".repeat(30)));
        assert_eq!(third.times(of("3")).unwrap().text(40), format!("0.{}", "9".repeat(30)));
        assert_eq!(Decimal::ONE.over(Decimal::ZERO), None);
        assert_eq!(of("1.02").apart(Decimal::ONE).unwrap().text(18), "0.02");
        assert_eq!(of("0.98").apart(Decimal::ONE).unwrap().text(18), "0.02");
    }

    proptest! {
        /// Against exact fractions: the first thirty digits, and no more.
        #[test]
        fn a_fraction_is_rounded_down_to_thirty_digits(a in 1..=u128::MAX, b in 1..=u128::MAX, shift in -40..40_i32) {
            let (a, b) = (U512::from(a), U512::from(b));
            let made = Decimal::of_fraction(a, b, shift).unwrap();
            prop_assert!((MANTISSA_MIN..MANTISSA_END).contains(&made.mantissa));
            // mantissa x 10^e x b <= a x 10^shift < (mantissa + 1) x 10^e x b
            let apart = shift - made.exponent;
            let side = |mantissa: u128| U512::from(mantissa) * b;
            let (left, more, right) = if apart >= 0 {
                (side(made.mantissa), side(made.mantissa + 1), a.checked_mul(ten_to(apart).unwrap()).unwrap())
            } else {
                let scale = ten_to(-apart).unwrap();
                (side(made.mantissa) * scale, side(made.mantissa + 1) * scale, a)
            };
            prop_assert!(left <= right && right < more);
        }

        #[test]
        fn what_is_written_leads_back(mantissa in MANTISSA_MIN..MANTISSA_END, exponent in -60..40_i32) {
            let number = Decimal { mantissa, exponent };
            prop_assert_eq!(of(&number.text(40)), number);
            let near = number.to_f64() / (mantissa as f64 * 10_f64.powi(exponent));
            prop_assert!((near - 1.0).abs() < 1e-12);
        }

        #[test]
        fn sums_and_differences_agree(a in 1..u64::MAX, b in 1..u64::MAX) {
            let (x, y) = (Decimal::of_u64(a), Decimal::of_u64(b));
            prop_assert_eq!(x.cmp(&y), a.cmp(&b));
            prop_assert_eq!(x.minus(y), Decimal::of_u64(a.saturating_sub(b)));
            prop_assert_eq!(x.plus(y), of(&(u128::from(a) + u128::from(b)).to_string()));
        }
    }
}
