//! Time-weighted means. Between two blocks, the price from the last earlier event counts: trades within one block have
//! no weight until the next block begins.

use alloy_primitives::U256;

/// Value and the seconds in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InForce<T> {
    pub what: T,
    pub seconds: u64,
}

/// Sum over ticks times seconds, and the mean tick, rounded down: same as `observe` of Uniswap v3 over the window
/// (v3-periphery, `OracleLibrary`). `None` over no time.
#[must_use]
pub fn mean_tick(points: &[InForce<i32>]) -> Option<(i128, i32)> {
    let seconds: u128 = points.iter().map(|point| u128::from(point.seconds)).sum();
    let sum: i128 =
        points.iter().map(|point| i128::from(point.what) * i128::from(point.seconds)).sum();
    let seconds = i128::try_from(seconds).ok().filter(|seconds| *seconds > 0)?;
    Some((sum, i32::try_from(sum.div_euclid(seconds)).ok()?))
}

/// Price of token 0 in token 1 times seconds, in 1 / 2^112, and its mean: same as the growth of Uniswap v2's cumulative
/// price (v2-core, `_update`). `None` over no time, or for a reserve that is zero or above 2^112.
#[must_use]
pub fn cumulative_price(points: &[InForce<[U256; 2]>]) -> Option<(U256, U256)> {
    let mut sum = U256::ZERO;
    let mut seconds = 0_u64;
    for point in points {
        let [reserve0, reserve1] = point.what;
        let is_held = |reserve: U256| !reserve.is_zero() && reserve.bit_len() <= 112;
        if !is_held(reserve0) || !is_held(reserve1) {
            return None;
        }
        let price: U256 = (reserve1 << 112) / reserve0; // below 2^224
        sum = sum.checked_add(price.checked_mul(U256::from(point.seconds))?)?;
        seconds = seconds.checked_add(point.seconds)?;
    }
    (seconds > 0).then(|| (sum, sum / U256::from(seconds)))
}
