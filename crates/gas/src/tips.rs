//! Tips above the base fee, from proven bytes, by gas percentile.
//!
//! Percentiles follow `eth_feeHistory`: entries sorted by tip, and the tip of the first entry to reach the gas
//! percentage. Only gas of paying entries counts: deposits and other free entries show no price, and counting their gas
//! would raise every percentile.

use superroot_proof::ledger::LedgerError;
use superroot_proof::ledger::evm::{RlpFields, leaf_type};

use crate::{Figure, NoFigure};

/// Tip of a transaction and gas used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PaidTip {
    /// Wei per gas.
    pub tip: u128,
    pub gas: u64,
}

/// Published percentiles.
pub const PERCENTILES: [u32; 3] = [10, 50, 90];

/// Tips by gas percentile (10th, 50th, 90th), in wei per gas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tips {
    pub slow: u128,
    pub standard: u128,
    pub fast: u128,
    pub block_count: usize,
    pub tx_count: usize,
}

/// Gas price offer of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// Tip and base fee together.
    Price(u128),
    /// Tip with a cap on the total.
    Capped {
        /// Highest tip above the base fee.
        tip: u128,
        /// Highest total.
        cap: u128,
    },
}

impl Offer {
    /// Reads the offer of a leaf of type 0 to 4; `None` for other types, with other kinds of fees.
    ///
    /// # Errors
    /// [`LedgerError`] naming the field.
    pub fn read(leaf: &[u8]) -> Result<Option<Self>, LedgerError> {
        let tx_type = leaf_type(leaf);
        let payload = if tx_type == 0 { leaf } else { leaf.get(1..).unwrap_or_default() };
        if tx_type > 4 {
            return Ok(None);
        }
        let mut fields = RlpFields::of_list(payload, "transaction")?;
        if tx_type > 0 {
            fields.string("chainId")?;
        }
        fields.string("nonce")?;
        Ok(Some(match tx_type {
            0 | 1 => Self::Price(wide(fields.string("gasPrice")?)),
            _ => Self::Capped {
                tip: wide(fields.string("maxPriorityFeePerGas")?),
                cap: wide(fields.string("maxFeePerGas")?),
            },
        }))
    }

    /// Tip paid above the base fee.
    #[must_use]
    pub fn tip(self, base_fee: u64) -> u128 {
        match self {
            Self::Price(price) => price.saturating_sub(base_fee.into()),
            Self::Capped { tip, cap } => tip.min(cap.saturating_sub(base_fee.into())),
        }
    }

    /// Total price paid.
    #[must_use]
    pub fn price(self, base_fee: u64) -> u128 {
        self.tip(base_fee).saturating_add(base_fee.into())
    }
}

/// Big-endian integer; values above 128 bits, beyond any payment, become the maximum.
fn wide(bytes: &[u8]) -> u128 {
    let bytes = bytes.iter().copied().skip_while(|byte| *byte == 0);
    bytes
        .clone()
        .try_fold(0_u128, |value, byte| value.checked_mul(256)?.checked_add(byte.into()))
        .unwrap_or(u128::MAX)
}

/// A receipt leaf's cumulative gas.
///
/// # Errors
/// [`LedgerError`] naming the field.
pub fn cumulative_gas(leaf: &[u8]) -> Result<u64, LedgerError> {
    let payload = if leaf_type(leaf) == 0 { leaf } else { leaf.get(1..).unwrap_or_default() };
    let mut fields = RlpFields::of_list(payload, "receipt")?;
    fields.string("status")?;
    fields.u64("cumulativeGasUsed")
}

/// Tips by gas percentile, in ascending `percents`; `None` without payments.
#[must_use]
pub fn percentiles<const N: usize>(paid: &mut [PaidTip], percents: [u32; N]) -> Option<[u128; N]> {
    paid.sort_unstable();
    let gas_used: u128 = paid.iter().map(|one| u128::from(one.gas)).sum();
    let mut entries = paid.iter();
    let mut last = entries.next()?;
    let mut reached = u128::from(last.gas);
    Some(percents.map(|percent| {
        while reached < gas_used * u128::from(percent) / 100 {
            let Some(next) = entries.next() else { break };
            reached += u128::from(next.gas);
            last = next;
        }
        last.tip
    }))
}

/// Tips of several blocks.
pub fn tips<'a>(blocks: impl Iterator<Item = &'a [PaidTip]>) -> Figure<Tips> {
    let mut all = Vec::new();
    let mut block_count = 0_usize;
    for paid in blocks {
        all.extend_from_slice(paid);
        block_count += 1;
    }
    if block_count == 0 {
        return Err(NoFigure::of(
            "of none of the newest blocks every transaction and receipt is held",
        ));
    }
    let tx_count = all.len();
    let [slow, standard, fast] = percentiles(&mut all, PERCENTILES)
        .ok_or(NoFigure::of("the newest blocks have no transaction that pays for its place"))?;
    Ok(Tips { slow, standard, fast, block_count, tx_count })
}
