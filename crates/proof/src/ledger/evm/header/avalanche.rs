//! Avalanche C-Chain header additions. Source: `coreth`, `header_ext.go`.

use alloc::boxed::Box;

use superroot_types::Hash;

use super::{Header, RlpFields};
use crate::ledger::LedgerError;

/// Rule 0005 header fields absent in Ethereum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Avalanche {
    /// Atomic transactions hash (outside every trie); zero before Apricot Phase 1.
    pub ext_data_hash: Option<Hash>,
    /// Gas used by the atomic transactions (Apricot Phase 4).
    pub ext_data_gas_used: Option<u64>,
    /// Gas paid by the block for coming early (Apricot Phase 4).
    pub block_gas_cost: Option<u64>,
    /// Unix milliseconds (Granite).
    pub timestamp_milliseconds: Option<u64>,
    /// Least block delay, as an exponent (Granite).
    pub min_delay_excess: Option<u64>,
    /// Gas target, as an exponent (Helicon).
    pub target_exponent: Option<u64>,
    /// Least gas price, as an exponent (Helicon).
    pub min_price_exponent: Option<u64>,
    /// Last settled block, with execution running behind (Helicon).
    pub settled: Option<Settled>,
}

/// Settlement point: from then on the header's receipts root and gas used belong to the settled blocks, not to its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    /// Last settled block number.
    pub height: u64,
    /// Gas clock Unix seconds.
    pub gas_unix: u64,
    /// Gas clock fraction within a second.
    pub gas_numerator: u64,
    /// Gas above target.
    pub excess: u64,
}

impl Avalanche {
    pub(super) const fn check_count(got: usize) -> Result<(), LedgerError> {
        if matches!(got, 16 | 17 | 19 | 22 | 24 | 26 | 30) {
            return Ok(());
        }
        Err(LedgerError::FieldCount { got, expected: "16, 17, 19, 22, 24, 26 or 30" })
    }
}

impl Header {
    /// Whether receipts root, logs bloom and gas used belong to settled blocks: then nothing in the receipt trie is
    /// from this block.
    #[must_use]
    pub fn settles_other_blocks(&self) -> bool {
        self.avalanche.as_ref().is_some_and(|more| more.settled.is_some())
    }

    pub(super) fn read_avalanche(
        &mut self,
        fields: &mut RlpFields<'_>,
        got: usize,
    ) -> Result<(), LedgerError> {
        let ext_data_hash = Some(fields.hash("extDataHash")?);
        let mut more = Avalanche { ext_data_hash, ..Avalanche::default() };
        if got >= 17 {
            self.base_fee_per_gas = Some(fields.u64("baseFeePerGas")?);
        }
        if got >= 19 {
            more.ext_data_gas_used = Some(fields.u64("extDataGasUsed")?);
            more.block_gas_cost = Some(fields.u64("blockGasCost")?);
        }
        if got >= 22 {
            self.read_cancun(fields)?;
        }
        if got >= 24 {
            more.timestamp_milliseconds = Some(fields.u64("timestampMilliseconds")?);
            more.min_delay_excess = Some(fields.u64("minDelayExcess")?);
        }
        if got >= 26 {
            more.target_exponent = Some(fields.u64("targetExponent")?);
            more.min_price_exponent = Some(fields.u64("minPriceExponent")?);
        }
        if got >= 30 {
            more.settled = Some(Settled {
                height: fields.u64("settledHeight")?,
                gas_unix: fields.u64("settledGasUnix")?,
                gas_numerator: fields.u64("settledGasNumerator")?,
                excess: fields.u64("settledExcess")?,
            });
        }
        self.avalanche = Some(Box::new(more));
        Ok(())
    }
}
