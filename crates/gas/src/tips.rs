//! What transactions paid above the base fee: read from proven bytes, and cut at percentiles of gas.
//!
//! A percentile is that of `eth_feeHistory`: entries in the order of their tips, and the tip of the first one with
//! which so many percent of the gas are reached. The gas is that of the entries that pay for their place: deposits and
//! what else is free say nothing of a price, and a part of the gas that they used would move every percentile up.

use superroot_proof::ledger::LedgerError;
use superroot_proof::ledger::evm::{Fields, leaf_type};

use crate::{Figure, Why};

/// What a transaction paid above the base fee, and for how much gas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Paid {
    /// Wei per gas.
    pub tip: u128,
    /// Gas used.
    pub gas: u64,
}

/// The percentiles that are shown.
pub const PERCENTILES: [u32; 3] = [10, 50, 90];

/// Tips by percentile of gas, in wei per gas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tips {
    /// One tenth of the gas paid at most this.
    pub slow: u128,
    /// Half of it.
    pub standard: u128,
    /// Nine tenths.
    pub fast: u128,
    /// Blocks that they are of.
    pub block_count: usize,
    /// Transactions of those.
    pub tx_count: usize,
}

/// What a transaction offers for gas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// So much, tip and base fee together.
    Price(u128),
    /// So much as tip, and so much at most together.
    Capped {
        /// Most above the base fee.
        tip: u128,
        /// Most at all.
        cap: u128,
    },
}

impl Offer {
    /// Reads the offer of a leaf of type 0 to 4; `None` for another type, whose fees are of another kind.
    ///
    /// # Errors
    /// [`LedgerError`] naming the field.
    pub fn read(leaf: &[u8]) -> Result<Option<Self>, LedgerError> {
        let tx_type = leaf_type(leaf);
        let payload = if tx_type == 0 { leaf } else { leaf.get(1..).unwrap_or_default() };
        if tx_type > 4 {
            return Ok(None);
        }
        let mut fields = Fields::of_list(payload, "transaction")?;
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

    /// What is paid above the base fee.
    #[must_use]
    pub fn tip(self, base_fee: u64) -> u128 {
        match self {
            Self::Price(price) => price.saturating_sub(base_fee.into()),
            Self::Capped { tip, cap } => tip.min(cap.saturating_sub(base_fee.into())),
        }
    }

    /// What is paid at all.
    #[must_use]
    pub fn price(self, base_fee: u64) -> u128 {
        self.tip(base_fee).saturating_add(base_fee.into())
    }
}

/// A big-endian integer; what passes 128 bits, which nobody can pay, counts as the most there is.
fn wide(bytes: &[u8]) -> u128 {
    let bytes = bytes.iter().copied().skip_while(|byte| *byte == 0);
    bytes
        .clone()
        .try_fold(0_u128, |value, byte| value.checked_mul(256)?.checked_add(byte.into()))
        .unwrap_or(u128::MAX)
}

/// Cumulative gas of a receipt's leaf.
///
/// # Errors
/// [`LedgerError`] naming the field.
pub fn cumulative_gas(leaf: &[u8]) -> Result<u64, LedgerError> {
    let payload = if leaf_type(leaf) == 0 { leaf } else { leaf.get(1..).unwrap_or_default() };
    let mut fields = Fields::of_list(payload, "receipt")?;
    fields.string("status")?;
    fields.u64("cumulativeGasUsed")
}

/// Tips of one block or several by percentile of their gas, in the order asked for, which rises; `None` where nothing was
/// paid for.
#[must_use]
pub fn percentiles<const N: usize>(paid: &mut [Paid], percents: [u32; N]) -> Option<[u128; N]> {
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
///
/// # Errors
/// Why there are none.
pub fn tips<'a>(blocks: impl Iterator<Item = &'a [Paid]>) -> Figure<Tips> {
    let (mut all, mut block_count) = (Vec::new(), 0_usize);
    for paid in blocks {
        all.extend_from_slice(paid);
        block_count += 1;
    }
    if block_count == 0 {
        return Err(Why::of("of none of the newest blocks every transaction and receipt is held"));
    }
    let tx_count = all.len();
    let [slow, standard, fast] = percentiles(&mut all, PERCENTILES)
        .ok_or(Why::of("the newest blocks have no transaction that pays for its place"))?;
    Ok(Tips { slow, standard, fast, block_count, tx_count })
}
