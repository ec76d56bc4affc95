//! Bitcoin fee rates of a block.
//!
//! A block commits to transactions without witnesses, so the stored bytes are fewer than the virtual size, at most a
//! million bytes. Total fees are the coinbase outputs minus the subsidy. A block therefore bounds the mean rate on both
//! sides:
//!
//! ```text
//! fees / 1,000,000 vB   ≤   mean rate   ≤   fees / bytes without witnesses
//! ```

use superroot_proof::ledger::Body;
use superroot_proof::ledger::bitcoin::{BitcoinTransactionTree, Transaction};

use crate::fee::{FeeBlock, FeeRates, NOT_STORED};

/// Most virtual bytes in a block (BIP 141: 4,000,000 of weight).
pub const VIRTUAL_BYTES_MAX: u64 = 1_000_000;
/// Block bytes besides transactions: the header and the shortest count.
const FRAME_BYTES: u64 = 81;
const HALVING_BLOCKS: u64 = 210_000;
const FIRST_SUBSIDY_SATS: u64 = 50 * 100_000_000;

/// Mean fee rate of a block, in satoshi per virtual byte.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockRate {
    pub at_least: f64,
    pub at_most: f64,
}

pub(super) fn read(block: &FeeBlock<'_>) -> Result<FeeRates, &'static str> {
    let Some(Body::Bitcoin(tree)) = block.body else { return Err(NOT_STORED) };
    let rate = block_rate(block.number.0, tree)?;
    Ok(FeeRates { paid: vec![rate.at_least], at_most: Some(rate.at_most) })
}

/// Block subsidy at a height, in satoshi.
#[must_use]
pub const fn subsidy_sats(number: u64) -> u64 {
    match number / HALVING_BLOCKS {
        halvings @ 0..64 => match FIRST_SUBSIDY_SATS.checked_shr(halvings as u32) {
            Some(sats) => sats,
            None => 0,
        },
        _ => 0,
    }
}

/// A block's mean rate.
///
/// # Errors
/// The reason why the block shows no rate, in words.
pub fn block_rate(number: u64, tree: &BitcoinTransactionTree) -> Result<BlockRate, &'static str> {
    let [coinbase, others @ ..] = tree.leaves() else {
        return Err("its transactions are not held");
    };
    if others.is_empty() {
        return Err("the block has no transaction that pays for its place");
    }
    let coinbase = Transaction::decode(coinbase).ok().filter(Transaction::is_coinbase);
    let coinbase = coinbase.ok_or("its first transaction is no coinbase")?;
    let paid: u64 =
        coinbase.outputs.iter().fold(0, |sum, output| sum.saturating_add(output.value_sats));
    let fees = paid
        .checked_sub(subsidy_sats(number))
        .ok_or("its miner took less than it could: what was paid in fees does not show")?;
    let bytes: u64 = tree.leaves().iter().map(|leaf| leaf.len() as u64).sum();
    let bytes = bytes.saturating_add(FRAME_BYTES).min(VIRTUAL_BYTES_MAX);
    let rate = |bytes: u64| fees as f64 / bytes as f64;
    Ok(BlockRate { at_least: rate(VIRTUAL_BYTES_MAX), at_most: rate(bytes) })
}
