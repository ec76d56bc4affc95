//! Means over time. The price in force between two blocks is that of the last event before: what happens within
//! one block weighs nothing until the next begins.

use alloy_primitives::U256;

/// What was in force, and for how many seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InForce<T> {
    /// A tick, or reserves.
    pub what: T,
    /// Seconds.
    pub seconds: u64,
}

/// Ticks times seconds, and the mean tick, rounded down: what `observe` of Uniswap v3 shows for the window
/// (v3-periphery, `OracleLibrary`). `None` over no time.
#[must_use]
pub fn mean_tick(points: &[InForce<i32>]) -> Option<(i128, i32)> {
    let seconds: u128 = points.iter().map(|point| u128::from(point.seconds)).sum();
    let sum: i128 =
        points.iter().map(|point| i128::from(point.what) * i128::from(point.seconds)).sum();
    let seconds = i128::try_from(seconds).ok().filter(|seconds| *seconds > 0)?;
    Some((sum, i32::try_from(sum.div_euclid(seconds)).ok()?))
}

/// Price of token 0 in token 1 times seconds, in 1 / 2^112, and its mean: what the cumulative price of Uniswap
/// v2 grew by (v2-core, `_update`). `None` over no time, and where a reserve is zero or above 2^112.
#[must_use]
pub fn cumulative_price(points: &[InForce<[U256; 2]>]) -> Option<(U256, U256)> {
    let (mut sum, mut seconds) = (U256::ZERO, 0_u64);
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
