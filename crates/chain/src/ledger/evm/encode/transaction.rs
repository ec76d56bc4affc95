//! Ethereum transaction types, and parts shared with other chains.

use super::items::Items;
use super::{needed, small};
use crate::error::ChainError;
use crate::ledger::evm::Encoding;
use crate::ledger::evm::raw::{RawAccess, RawAuthorization, RawEvmTransaction};

/// Ethereum transaction type: stated, or inferred from the fields. Errors as [`transaction_type_of`].
pub fn transaction_type(raw: &RawEvmTransaction) -> Result<u8, ChainError> {
    transaction_type_of(Encoding::Ethereum, raw)
}

/// Transaction type: stated, or inferred from the fields for Ethereum types.
///
/// # Errors
/// [`ChainError::Mismatch`] for a type unknown to the encoding.
pub fn transaction_type_of(encoding: Encoding, raw: &RawEvmTransaction) -> Result<u8, ChainError> {
    match raw.tx_type {
        Some(stated) => known_type(encoding, stated),
        None if raw.authorization_list.is_some() => known_type(encoding, 4),
        None if raw.blob_versioned_hashes.is_some() => known_type(encoding, 3),
        None if raw.max_fee_per_gas.is_some() => known_type(encoding, 2),
        None if raw.access_list.is_some() => known_type(encoding, 1),
        None => Ok(0),
    }
}

/// Checks that the encoding has the type.
pub(super) fn known_type(encoding: Encoding, stated: u64) -> Result<u8, ChainError> {
    let known = encoding.tx_types();
    let found = known.iter().copied().find(|known| u64::from(*known) == stated);
    found.ok_or_else(|| {
        let known: Vec<String> = known.iter().map(|known| format!("{known:#04x}")).collect();
        let expected = format!("one of {encoding}: {}", known.join(", "));
        ChainError::mismatch("type", format!("{stated:#04x}"), expected)
    })
}

/// Ethereum transaction leaf, types 0 to 4; the Keccak-256 is the transaction hash. Errors as
/// [`super::transaction_of`].
pub fn transaction(raw: &RawEvmTransaction) -> Result<Vec<u8>, ChainError> {
    of_ethereum(raw, transaction_type(raw)?)
}

pub(super) fn of_ethereum(raw: &RawEvmTransaction, tx_type: u8) -> Result<Vec<u8>, ChainError> {
    let items = match tx_type {
        0 => legacy(raw)?,
        1 => prelude(raw)?.word(needed("gasPrice", raw.gas_price)?),
        _ => fees(prelude(raw)?, raw)?,
    };
    let items = items.number(needed("gas", raw.gas)?);
    let items = match tx_type {
        3 | 4 if raw.to.is_none() => return Err(ChainError::missing("to")),
        _ => items.receiver(raw.to.as_ref()).word(raw.value).bytes(&raw.input),
    };
    let items = match tx_type {
        0 => items.word(needed("v", raw.v)?),
        1 | 2 => accesses(items, raw).number(parity(raw)?),
        3 => accesses(items, raw)
            .word(needed("maxFeePerBlobGas", raw.max_fee_per_blob_gas)?)
            .hashes(needed("blobVersionedHashes", raw.blob_versioned_hashes.as_deref())?)
            .number(parity(raw)?),
        _ => {
            let list = needed("authorizationList", raw.authorization_list.as_deref())?;
            for (index, entry) in list.iter().enumerate() {
                small("yParity", entry.y_parity, u8::MAX)
                    .map_err(|error| error.within(format_args!("authorizationList[{index}]")))?;
            }
            accesses(items, raw).list(list, authorization).number(parity(raw)?)
        }
    };
    Ok(signature(items, raw)?.finish(tx_type))
}

/// Approximate leaf size in bytes, without lists.
fn room_for(raw: &RawEvmTransaction) -> usize {
    const FIXED_FIELDS: usize = 180;
    raw.input.len().saturating_add(FIXED_FIELDS)
}

/// First fields of type 0.
fn legacy(raw: &RawEvmTransaction) -> Result<Items, ChainError> {
    Ok(Items::with_capacity(room_for(raw))
        .number(needed("nonce", raw.nonce)?)
        .word(needed("gasPrice", raw.gas_price)?))
}

/// First fields of types 1 to 4.
pub(super) fn prelude(raw: &RawEvmTransaction) -> Result<Items, ChainError> {
    Ok(Items::with_capacity(room_for(raw))
        .number(needed("chainId", raw.chain_id)?)
        .number(needed("nonce", raw.nonce)?))
}

/// Tip and highest wei per gas, for types 2 to 4.
pub(super) fn fees(items: Items, raw: &RawEvmTransaction) -> Result<Items, ChainError> {
    Ok(items
        .word(needed("maxPriorityFeePerGas", raw.max_priority_fee_per_gas)?)
        .word(needed("maxFeePerGas", raw.max_fee_per_gas)?))
}

pub(super) fn accesses(items: Items, raw: &RawEvmTransaction) -> Items {
    items.list(raw.access_list.as_deref().unwrap_or_default(), |items, access: &RawAccess| {
        items.bytes(&access.address.0).hashes(&access.storage_keys)
    })
}

fn authorization(items: Items, entry: &RawAuthorization) -> Items {
    items
        .word(entry.chain_id)
        .bytes(&entry.address.0)
        .number(entry.nonce)
        .number(entry.y_parity)
        .word(entry.r)
        .word(entry.s)
}

/// Signature without the parity.
pub(super) fn signature(items: Items, raw: &RawEvmTransaction) -> Result<Items, ChainError> {
    Ok(items.word(needed("r", raw.r)?).word(needed("s", raw.s)?))
}

/// Signature parity: `yParity`, otherwise `v`, the parity or 27 above.
pub(super) fn parity(raw: &RawEvmTransaction) -> Result<u64, ChainError> {
    const OFFSET: u64 = 27;
    if let Some(parity) = raw.y_parity {
        return small("yParity", parity, 1).map(u64::from);
    }
    let v = needed("yParity", raw.v)?;
    let stated = u64::try_from(v).unwrap_or(u64::MAX);
    small("v", stated.checked_sub(OFFSET).unwrap_or(stated), 1).map(u64::from)
}
