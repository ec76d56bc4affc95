//! Blob base fee of the next block (EIP-4844, 7691, 7892, 7918).

use alloy_eips::eip7840::BlobParams;

use crate::{Figure, NoFigure};

/// Largest ratio of excess to update fraction: a fee of e^40 times the lowest. No chain comes near, and every
/// intermediate product fits in 128 bits.
const EXPONENT_MAX: u128 = 40;
/// The lowest fee's bound, in wei: a thousand gwei.
const LEAST_MAX: u128 = 1_000_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlobRule {
    /// Unix seconds.
    pub from_time: u64,
    pub params: BlobParams,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlobParent {
    pub blob_gas_used: u64,
    /// Blob gas above target.
    pub excess_blob_gas: u64,
    /// Wei per gas.
    pub base_fee: u64,
}

/// Excess blob gas of the next block, at `time`.
pub fn next_excess(rules: &[BlobRule], parent: &BlobParent, time: u64) -> Figure<u64> {
    let params = in_force(rules, time)?;
    check(&params, parent.excess_blob_gas)?;
    // a block takes some megabytes of blobs: this only keeps numbers that were made up within 64 bits
    if parent.blob_gas_used > u64::from(u32::MAX) {
        return Err(OUT_OF_RANGE);
    }
    let BlobParent { excess_blob_gas, blob_gas_used, base_fee } = *parent;
    Ok(params.next_block_excess_blob_gas_osaka(excess_blob_gas, blob_gas_used, base_fee))
}

/// Blob base fee of a block at `time` with this excess, in wei per blob gas.
pub fn blob_base_fee(rules: &[BlobRule], excess: u64, time: u64) -> Figure<u128> {
    let params = in_force(rules, time)?;
    check(&params, excess)?;
    Ok(params.calc_blob_fee(excess))
}

const OUT_OF_RANGE: NoFigure = NoFigure::of("its header has numbers out of range");

fn in_force(rules: &[BlobRule], time: u64) -> Figure<BlobParams> {
    let rule = rules.iter().rev().find(|rule| rule.from_time <= time);
    rule.map(|rule| rule.params).ok_or(NoFigure::of("the chain takes no blobs yet"))
}

fn check(params: &BlobParams, excess: u64) -> Figure<()> {
    let exponent = u128::from(excess).checked_div(params.update_fraction);
    let is_in_range = exponent.is_some_and(|exponent| exponent < EXPONENT_MAX)
        && params.min_blob_fee <= LEAST_MAX
        && params.max_blob_count >= params.target_blob_count
        && params.max_blob_count > 0;
    if is_in_range { Ok(()) } else { Err(OUT_OF_RANGE) }
}
