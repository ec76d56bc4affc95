//! Uniswap v3 ticks and prices, computed like the contracts (v3-core, `TickMath`; white paper, section 6.1).

use alloy_primitives::{U256, U512};

pub const TICK_MIN: i32 = -TICK_MAX;
pub const TICK_MAX: i32 = 887_272;

/// `2^128 / sqrt(1.0001)^(2^i)`, in the contracts' rounding, for each bit `i` of a tick.
const FACTORS: [u128; 20] = [
    0xfffc_b933_bd6f_ad37_aa2d_162d_1a59_4001,
    0xfff9_7272_373d_4132_59a4_6990_580e_213a,
    0xfff2_e50f_5f65_6932_ef12_357c_f3c7_fdcc,
    0xffe5_caca_7e10_e4e6_1c36_24ea_a094_1cd0,
    0xffcb_9843_d60f_6159_c9db_5883_5c92_6644,
    0xff97_3b41_fa98_c081_472e_6896_dfb2_54c0,
    0xff2e_a164_66c9_6a38_43ec_78b3_26b5_2861,
    0xfe5d_ee04_6a99_a2a8_11c4_61f1_969c_3053,
    0xfcbe_86c7_900a_88ae_dcff_c83b_479a_a3a4,
    0xf987_a725_3ac4_1317_6f2b_074c_f781_5e54,
    0xf339_2b08_22b7_0005_940c_7a39_8e4b_70f3,
    0xe715_9475_a2c2_9b74_43b2_9c7f_a6e8_89d9,
    0xd097_f3bd_fd20_22b8_845a_d8f7_92aa_5825,
    0xa9f7_4646_2d87_0fdf_8a65_dc1f_90e0_61e5,
    0x70d8_69a1_56d2_a1b8_90bb_3df6_2baf_32f7,
    0x31be_135f_97d0_8fd9_8123_1505_542f_cfa6,
    0x09aa_508b_5b7a_84e1_c677_de54_f3e9_9bc9,
    0x005d_6af8_dedb_8119_6699_c329_225e_e604,
    0x0000_2216_e584_f5fa_1ea9_2604_1bed_fe98,
    0x0000_0000_048a_1703_91f7_dc42_444e_8fa2,
];

/// Square root of the price at a tick, in 1 / 2^96; `None` for an invalid tick.
#[must_use]
pub fn sqrt_price_at(tick: i32) -> Option<U256> {
    if !(TICK_MIN..=TICK_MAX).contains(&tick) {
        return None;
    }
    let mut ratio = U256::ONE << 128;
    for (bit, factor) in FACTORS.iter().enumerate() {
        if tick.unsigned_abs() & (1 << bit) != 0 {
            ratio = (ratio * U256::from(*factor)) >> 128; // below 2^129 times below 2^128
        }
    }
    if tick > 0 {
        ratio = U256::MAX / ratio;
    }
    let (whole, rest): (U256, U256) = (ratio >> 32, ratio & U256::from(u32::MAX));
    Some(if rest.is_zero() { whole } else { whole + U256::ONE })
}

/// Highest tick with a price not above this square root; `None` if all ticks or no ticks qualify.
#[must_use]
pub fn tick_at(sqrt_price_x96: U256) -> Option<i32> {
    let is_below = |tick| sqrt_price_at(tick).is_some_and(|at| at <= sqrt_price_x96);
    if !is_below(TICK_MIN) || is_below(TICK_MAX) {
        return None;
    }
    // a guess by floating point, put right by the exact comparison: it is one off at most
    let mut tick = guess(sqrt_price_x96).clamp(TICK_MIN, TICK_MAX - 1);
    while !is_below(tick) {
        tick -= 1;
    }
    while is_below(tick + 1) {
        tick += 1;
    }
    Some(tick)
}

/// Approximates `2 x log_1.0001(sqrt / 2^96)`.
fn guess(sqrt_price_x96: U256) -> i32 {
    let shift = sqrt_price_x96.bit_len().saturating_sub(64);
    let top: U256 = sqrt_price_x96 >> shift; // 64 bits at most
    let log2 = (top.as_limbs()[0] as f64).log2() + shift as f64 - 96.0;
    let tick = 2.0 * log2 * std::f64::consts::LN_2 / 0.000_099_995_000_333_308_35;
    tick.floor() as i32 // within its range: the root has 256 bits
}

/// Tick of constant-product reserves (Uniswap v2): that of the square root of reserve 1 over reserve 0, rounded down.
/// `None` if a reserve is zero, or the price has no tick.
#[must_use]
pub fn tick_of_reserves([reserve0, reserve1]: [U256; 2]) -> Option<i32> {
    if reserve0.is_zero() || reserve1.is_zero() {
        return None;
    }
    let ratio: U512 = (U512::from(reserve1) << 192) / U512::from(reserve0);
    let root = ratio.root(2);
    (root.bit_len() <= 256).then(|| tick_at(root.to()))?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_tick_of_a_price_is_the_highest_that_is_not_above_it(tick in TICK_MIN..TICK_MAX, more: u64) {
            let at = sqrt_price_at(tick).unwrap();
            prop_assert_eq!(tick_at(at), Some(tick));
            prop_assert_eq!(tick_at(sqrt_price_at(tick + 1).unwrap() - U256::ONE), Some(tick));
            let between = at + U256::from(more);
            if let Some(found) = tick_at(between) {
                prop_assert!(sqrt_price_at(found).unwrap() <= between);
                prop_assert!(sqrt_price_at(found + 1).unwrap() > between);
            }
        }

        #[test]
        fn what_a_pool_holds_has_the_tick_of_its_price(a in 1..=u128::MAX >> 16, b in 1..=u128::MAX >> 16) {
            let tick = tick_of_reserves([U256::from(a), U256::from(b)]).unwrap();
            // root(tick)^2 x a <= b x 2^192 < root(tick + 1)^2 x a, but for what the root is rounded by
            let square = |tick| U512::from(sqrt_price_at(tick).unwrap()).pow(U512::from(2));
            let right = U512::from(b) << 192;
            prop_assert!(square(tick) * U512::from(a) <= right);
            prop_assert!(square(tick + 1) * U512::from(a) > right);
        }
    }
}
