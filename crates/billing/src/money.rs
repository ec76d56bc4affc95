//! Money as integers: `usdc_e6` is millionths of a USDC. Every rounding names the favoured side, and nothing wraps.

pub(crate) const USDC: u64 = 1_000_000;

/// `value * numerator / denominator`, rounded down; `None` past 64 bits or for a zero denominator.
pub(crate) fn scaled_down(value: u64, numerator: u64, denominator: u64) -> Option<u64> {
    let product = u128::from(value) * u128::from(numerator);
    product.checked_div(u128::from(denominator)).and_then(|quotient| u64::try_from(quotient).ok())
}

/// `value * numerator / denominator`, rounded up; `None` past 64 bits or for a zero denominator.
pub(crate) fn scaled_up(value: u64, numerator: u64, denominator: u64) -> Option<u64> {
    let product = u128::from(value) * u128::from(numerator);
    if denominator == 0 {
        return None;
    }
    u64::try_from(product.div_ceil(u128::from(denominator))).ok()
}

/// Amount in USDC with six digits: `12.500000`. The sign comes first.
#[must_use]
pub fn usdc_text(usdc_e6: i128) -> String {
    let amount = usdc_e6.unsigned_abs();
    let sign = if usdc_e6 < 0 { "-" } else { "" };
    let unit = u128::from(USDC);
    format!("{sign}{}.{:06}", amount / unit, amount % unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_amount_is_written_with_six_digits_and_its_sign() {
        let texts = [0, 1, 12_500_000, -1, -12_000_000].map(usdc_text);
        assert_eq!(texts, ["0.000000", "0.000001", "12.500000", "-0.000001", "-12.000000"]);
        assert_eq!(usdc_text(i128::MIN).len(), 41);
    }

    proptest! {
        #[test]
        fn rounding_is_off_by_less_than_one_and_on_the_side_it_says(
            value: u64, numerator: u64, denominator in 1_u64..,
        ) {
            let exact = u128::from(value) * u128::from(numerator);
            if let Some(down) = scaled_down(value, numerator, denominator) {
                let product = u128::from(down) * u128::from(denominator);
                prop_assert!(product <= exact && exact - product < u128::from(denominator));
            }
            if let Some(up) = scaled_up(value, numerator, denominator) {
                let product = u128::from(up) * u128::from(denominator);
                prop_assert!(product >= exact && product - exact < u128::from(denominator));
            }
        }

        #[test]
        fn nothing_is_divided_by_zero(value: u64, numerator: u64) {
            prop_assert_eq!(scaled_down(value, numerator, 0), None);
            prop_assert_eq!(scaled_up(value, numerator, 0), None);
        }
    }
}
