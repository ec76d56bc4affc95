//! What a block of Bitcoin was paid for its room.
//!
//! A block commits to its transactions without their witnesses, so the bytes held are less than its virtual size,
//! which is at most a million bytes. The fees of all its transactions are what its coinbase pays out above what the
//! block may make. So a block shows its mean rate from both sides:
//!
//! ```text
//! fees / 1,000,000 vB   ≤   mean rate   ≤   fees / bytes without witnesses
//! ```

use superroot_proof::ledger::bitcoin::{Transaction, TransactionTree};

use crate::{Figure, Why};

/// Virtual bytes of a block, at most (BIP 141: 4,000,000 of weight).
pub const VIRTUAL_BYTES_MAX: u64 = 1_000_000;
/// Bytes of a block beside its transactions: the header and the shortest count.
const FRAME_BYTES: u64 = 81;
/// Blocks after which what a block may make is halved.
const HALVING_BLOCKS: u64 = 210_000;
/// What the first blocks could make, in satoshi.
const FIRST_SUBSIDY_SATS: u64 = 50 * 100_000_000;

/// What a block was paid for a virtual byte, in satoshi.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockRate {
    /// At least.
    pub at_least: f64,
    /// At most.
    pub at_most: f64,
}

/// What a block of that number may make, in satoshi.
#[must_use]
pub const fn subsidy_sats(number: u64) -> u64 {
    match number / HALVING_BLOCKS {
        halvings @ 0..64 => FIRST_SUBSIDY_SATS >> halvings,
        _ => 0,
    }
}

/// The mean rate of a block.
///
/// # Errors
/// Why there is none.
pub fn block_rate(number: u64, tree: &TransactionTree) -> Figure<BlockRate> {
    let [coinbase, others @ ..] = tree.leaves() else {
        return Err(Why::of("its transactions are not held"));
    };
    if others.is_empty() {
        return Err(Why::of("the block has no transaction that pays for its place"));
    }
    let coinbase = Transaction::decode(coinbase).ok().filter(Transaction::is_coinbase);
    let coinbase = coinbase.ok_or(Why::of("its first transaction is no coinbase"))?;
    let paid: u64 =
        coinbase.outputs.iter().fold(0, |sum, output| sum.saturating_add(output.value_sats));
    let fees = paid
        .checked_sub(subsidy_sats(number))
        .ok_or(Why::of("its miner took less than it could: what was paid in fees does not show"))?;
    let bytes: u64 = tree.leaves().iter().map(|leaf| leaf.len() as u64).sum();
    let bytes = bytes.saturating_add(FRAME_BYTES).min(VIRTUAL_BYTES_MAX);
    let rate = |bytes: u64| fees as f64 / bytes as f64;
    Ok(BlockRate { at_least: rate(VIRTUAL_BYTES_MAX), at_most: rate(bytes) })
}
