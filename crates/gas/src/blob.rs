//! The blob base fee of the next block (EIP-4844, 7691, 7892, 7918).

use alloy_eips::eip7840::BlobParams;

use crate::{Figure, Why};

/// Most that the excess may be of the update fraction: a fee of e^40 times the least. No chain comes near, and
/// every product on the way stays within 128 bits.
const EXPONENT_MAX: u128 = 40;
/// Least fees are below this: a thousand gwei.
const LEAST_MAX: u128 = 1_000_000_000_000;

/// What blobs cost from one time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlobRule {
    /// Unix seconds.
    pub from_time: u64,
    /// The parameters.
    pub params: BlobParams,
}

/// What a header says of its blobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlobParent {
    /// Blob gas used.
    pub blob_gas_used: u64,
    /// Blob gas above target.
    pub excess_blob_gas: u64,
    /// Wei per gas.
    pub base_fee: u64,
}

/// Blob gas above target of the block of `time` after that one.
///
/// # Errors
/// Why there is none.
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

/// Blob base fee of a block of `time` with that excess, in wei per blob gas.
///
/// # Errors
/// Why there is none.
pub fn blob_base_fee(rules: &[BlobRule], excess: u64, time: u64) -> Figure<u128> {
    let params = in_force(rules, time)?;
    check(&params, excess)?;
    Ok(params.calc_blob_fee(excess))
}

const OUT_OF_RANGE: Why = Why::of("its header has numbers out of range");

fn in_force(rules: &[BlobRule], time: u64) -> Figure<BlobParams> {
    let rule = rules.iter().rev().find(|rule| rule.from_time <= time);
    rule.map(|rule| rule.params).ok_or(Why::of("the chain takes no blobs yet"))
}

fn check(params: &BlobParams, excess: u64) -> Figure<()> {
    let exponent = u128::from(excess).checked_div(params.update_fraction);
    let is_in_range = exponent.is_some_and(|exponent| exponent < EXPONENT_MAX)
        && params.min_blob_fee <= LEAST_MAX
        && params.max_blob_count >= params.target_blob_count
        && params.max_blob_count > 0;
    if is_in_range { Ok(()) } else { Err(OUT_OF_RANGE) }
}
