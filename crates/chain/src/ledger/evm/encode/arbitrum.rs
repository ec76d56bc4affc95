//! Arbitrum transaction types. Source: `OffchainLabs/go-ethereum` `core/types/arb_types.go`.

use alloy_primitives::U256;

use super::items::Items;
use super::needed;
use crate::error::ChainError;
use crate::ledger::evm::raw::RawEvmTransaction;

const DEPOSIT: u8 = 0x64;
const UNSIGNED: u8 = 0x65;
const CONTRACT: u8 = 0x66;
const RETRY: u8 = 0x68;
const SUBMIT_RETRYABLE: u8 = 0x69;

/// Leaf of a transaction of type `0x64` to `0x6a`.
pub(super) fn transaction(raw: &RawEvmTransaction, tx_type: u8) -> Result<Vec<u8>, ChainError> {
    let items = Items::default().number(needed("chainId", raw.chain_id)?);
    let items = match tx_type {
        DEPOSIT => from(request(items, raw)?, raw)?.receiver(raw.to.as_ref()).word(raw.value),
        UNSIGNED => call(nonce(from(items, raw)?, raw)?, raw)?,
        CONTRACT => call(from(request(items, raw)?, raw)?, raw)?,
        RETRY => call(from(nonce(items, raw)?, raw)?, raw)?
            .bytes(&needed("ticketId", raw.ticket_id)?.0)
            .bytes(&needed("refundTo", raw.refund_to)?.0)
            .word(needed("maxRefund", raw.max_refund)?)
            .word(needed("submissionFeeRefund", raw.submission_fee_refund)?),
        SUBMIT_RETRYABLE => from(request(items, raw)?, raw)?
            .word(needed("l1BaseFee", raw.l1_base_fee)?)
            .word(needed("depositValue", raw.deposit_value)?)
            .word(gas_fee_cap(raw)?)
            .number(raw.gas.unwrap_or(0))
            .receiver(raw.retry_to.as_ref())
            .word(needed("retryValue", raw.retry_value)?)
            .bytes(&needed("beneficiary", raw.beneficiary)?.0)
            .word(needed("maxSubmissionFee", raw.max_submission_fee)?)
            .bytes(&needed("refundTo", raw.refund_to)?.0)
            .bytes(needed("retryData", raw.retry_data.as_ref())?),
        // the protocol's own: nothing but its data
        _ => items.bytes(&raw.input),
    };
    Ok(items.finish(tx_type))
}

fn request(items: Items, raw: &RawEvmTransaction) -> Result<Items, ChainError> {
    Ok(items.bytes(&needed("requestId", raw.request_id)?.0))
}

fn from(items: Items, raw: &RawEvmTransaction) -> Result<Items, ChainError> {
    Ok(items.bytes(&needed("from", raw.from)?.0))
}

fn nonce(items: Items, raw: &RawEvmTransaction) -> Result<Items, ChainError> {
    Ok(items.number(needed("nonce", raw.nonce)?))
}

/// Highest cost and contents of the call.
fn call(items: Items, raw: &RawEvmTransaction) -> Result<Items, ChainError> {
    Ok(items
        .word(gas_fee_cap(raw)?)
        .number(raw.gas.unwrap_or(0))
        .receiver(raw.to.as_ref())
        .word(raw.value)
        .bytes(&raw.input))
}

fn gas_fee_cap(raw: &RawEvmTransaction) -> Result<U256, ChainError> {
    needed("gasPrice", raw.max_fee_per_gas.or(raw.gas_price))
}
