//! Fee rates of ledgers without gas over the newest blocks.

use std::sync::Arc;

use superroot_chain::fee::FeeRates;

use crate::trend::{Trend, rounded, trend};
use crate::{Figure, NoFigure, Sample};

/// Fee rate of a ledger outside the EVM family: 10th, 50th and 90th percentile.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerFeeRate {
    pub slow: f64,
    pub standard: f64,
    pub fast: f64,
    /// Upper bounds of the three rates, if the rates are lower bounds.
    pub at_most: Option<[f64; 3]>,
    pub block_count: usize,
    /// Rates in the sample: transactions, or blocks if each block has one rate.
    pub count: usize,
}

pub(crate) fn rate(samples: &[Arc<Sample>]) -> (Figure<LedgerFeeRate>, Figure<Trend>) {
    let told: Vec<&FeeRates> =
        samples.iter().filter_map(|sample| sample.rates.as_ref().ok()).collect();
    if told.is_empty() {
        let why = samples.first().and_then(|sample| sample.rates.as_ref().err().cloned());
        let why = why.unwrap_or(NoFigure::of("no block of it is held"));
        return (Err(why.clone()), Err(why));
    }
    let paid: Vec<f64> = told.iter().flat_map(|rates| rates.paid.iter().copied()).collect();
    let Some([slow, standard, fast]) = cut(paid.clone()) else {
        let why = NoFigure::of("the newest blocks have no transaction that pays for its place");
        return (Err(why.clone()), Err(why));
    };
    let at_most: Option<Vec<f64>> = told.iter().map(|rates| rates.at_most).collect();
    let means: Vec<f64> = told
        .iter()
        .filter(|rates| !rates.paid.is_empty())
        .map(|rates| rates.paid.iter().sum::<f64>() / rates.paid.len() as f64)
        .collect();
    let block_count = told.len();
    let count = paid.len();
    let at_most = at_most.and_then(cut);
    let rate = LedgerFeeRate { slow, standard, fast, at_most, block_count, count };
    (Ok(rate), trend(&means))
}

/// 10th, 50th and 90th percentile: the lowest value not exceeded by the percentage.
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
