use super::items::Items;
use super::transaction::known_type;
use super::{celo, needed, op_stack, small};
use crate::error::ChainError;
use crate::ledger::evm::Encoding;
use crate::ledger::evm::raw::{RawLog, RawReceipt};

const TOPICS_MAX: u8 = 4;

/// Ethereum receipt leaf. A receipt without a type is of type 0.
///
/// # Errors
/// As [`receipt_of`].
pub fn receipt(raw: &RawReceipt) -> Result<Vec<u8>, ChainError> {
    receipt_of(Encoding::Ethereum, raw)
}

/// Receipt leaf in a chain encoding. A receipt without a type is of type 0.
///
/// # Errors
/// [`ChainError::Missing`] for a required field, [`ChainError::OutOfRange`] for a status above 1 or more than four
/// topics, [`ChainError::Mismatch`] for a type unknown to the encoding.
pub fn receipt_of(encoding: Encoding, raw: &RawReceipt) -> Result<Vec<u8>, ChainError> {
    receipt_of_type(encoding, raw, known_type(encoding, raw.tx_type.unwrap_or(0))?)
}

/// Receipt leaf for a transaction type. Errors as [`receipt_of`].
pub fn receipt_of_type(
    encoding: Encoding,
    raw: &RawReceipt,
    tx_type: u8,
) -> Result<Vec<u8>, ChainError> {
    let items = Items::with_capacity(room_for(raw));
    let items = match (raw.root, raw.status) {
        (Some(root), _) => items.bytes(&root.0),
        (None, Some(status)) => items.number(small("status", status, 1)?.into()),
        (None, None) => return Err(ChainError::missing("status")),
    };
    for (index, log) in raw.logs.iter().enumerate() {
        small("topics", log.topics.len() as u64, TOPICS_MAX)
            .map_err(|error| error.within(format_args!("logs[{index}]")))?;
    }
    let items = items.number(raw.cumulative_gas_used).bytes(raw.logs_bloom.as_slice());
    let items = items.list(&raw.logs, |items, log: &RawLog| {
        items.bytes(&log.address.0).hashes(&log.topics).bytes(&log.data)
    });
    let items = match (encoding, tx_type) {
        (Encoding::OpStack | Encoding::CeloL2, op_stack::DEPOSIT) => deposit(items, raw)?,
        (Encoding::CeloL2, celo::FEE_CURRENCY) => items.word(needed("baseFee", raw.base_fee)?),
        _ => items,
    };
    Ok(items.finish(tx_type))
}

/// Approximate leaf size in bytes, seldom too low.
fn room_for(raw: &RawReceipt) -> usize {
    const BLOOM_AND_NUMBERS: usize = 340;
    const LOG: usize = 36;
    const TOPIC: usize = 33;
    let log = |log: &RawLog| {
        let topics = log.topics.len().saturating_mul(TOPIC);
        log.data.len().saturating_add(topics).saturating_add(LOG)
    };
    raw.logs.iter().map(log).fold(BLOOM_AND_NUMBERS, usize::saturating_add)
}

/// Since Canyon, when nodes show a version, the deposit nonce is hashed too.
fn deposit(items: Items, raw: &RawReceipt) -> Result<Items, ChainError> {
    match raw.deposit_receipt_version {
        Some(version) => {
            let nonce = needed("depositNonce", raw.deposit_nonce)?;
            Ok(items.number(nonce).number(version))
        }
        None => Ok(items),
    }
}
