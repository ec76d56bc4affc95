//! Fees of ledgers without gas over the newest blocks.

use std::sync::Arc;

use crate::ledgers::{Rates, Unit};
use crate::trend::{Trend, rounded, trend};
use crate::{Figure, Sample, Why};

/// Fees of a ledger that is not of the EVM family.
#[derive(Clone, Debug, PartialEq)]
pub struct Rate {
    /// Their unit.
    pub unit: Unit,
    /// One tenth paid at most this.
    pub slow: f64,
    /// Half.
    pub standard: f64,
    /// Nine tenths.
    pub fast: f64,
    /// The same as bounds from above, where the figures are such from below.
    pub at_most: Option<[f64; 3]>,
    /// Blocks that they are of.
    pub block_count: usize,
    /// Figures that they are of: transactions, or blocks where blocks have one each.
    pub count: usize,
}

/// The rates of the newest blocks together, newest first, and how they moved.
pub(crate) fn rate(samples: &[Arc<Sample>]) -> (Figure<Rate>, Figure<Trend>) {
    let told: Vec<&Rates> =
        samples.iter().filter_map(|sample| sample.rates.as_ref().ok()).collect();
    let Some(first) = told.first() else {
        let why = samples.first().and_then(|sample| sample.rates.as_ref().err().cloned());
        let why = why.unwrap_or(Why::of("no block of it is held"));
        return (Err(why.clone()), Err(why));
    };
    let paid: Vec<f64> = told.iter().flat_map(|rates| rates.paid.iter().copied()).collect();
    let Some([slow, standard, fast]) = cut(paid.clone()) else {
        let why = Why::of("the newest blocks have no transaction that pays for its place");
        return (Err(why.clone()), Err(why));
    };
    let at_most: Option<Vec<f64>> = told.iter().map(|rates| rates.at_most).collect();
    let means: Vec<f64> = told
        .iter()
        .filter(|rates| !rates.paid.is_empty())
        .map(|rates| rates.paid.iter().sum::<f64>() / rates.paid.len() as f64)
        .collect();
    let (unit, block_count, count) = (first.unit, told.len(), paid.len());
    let at_most = at_most.and_then(cut);
    let rate = Rate { unit, slow, standard, fast, at_most, block_count, count };
    (Ok(rate), trend(&means))
}

/// The tenth, fiftieth and ninetieth percentile, each the least that so many percent do not pass.
fn cut(mut all: Vec<f64>) -> Option<[f64; 3]> {
    all.sort_unstable_by(f64::total_cmp);
    let last = all.len().checked_sub(1)?;
    Some(crate::tips::PERCENTILES.map(|percent| {
        let rank = (all.len() * percent as usize).div_ceil(100);
        let value = all.get(rank.saturating_sub(1).min(last)).copied().unwrap_or_default();
        rounded(value, 3)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_the_least_that_so_many_do_not_pass() {
        let ten: Vec<f64> = (1..=10).rev().map(f64::from).collect();
        assert_eq!(cut(ten), Some([1.0, 5.0, 9.0]));
        assert_eq!(cut(vec![4.0]), Some([4.0; 3]));
        assert_eq!(cut(Vec::new()), None);
    }
}
