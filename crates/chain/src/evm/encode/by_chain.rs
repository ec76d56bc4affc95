//! Transactions in the encoding of their chain: Ethereum's types, or the chain's own.

use super::transaction::{of_ethereum, transaction_type_of};
use super::{arbitrum, celo, op_stack, scroll};
use crate::error::ChainError;
use crate::evm::Encoding;
use crate::evm::raw::RawTransaction;

/// The leaf of a transaction in the encoding of a chain; its Keccak-256 is the transaction hash.
///
/// # Errors
/// [`ChainError::Missing`] for a field its type needs, [`ChainError::OutOfRange`] for a parity past
/// 1, [`ChainError::Mismatch`] for a type that the encoding does not have, or when two fields that
/// say the same differ.
pub fn transaction_of(encoding: Encoding, raw: &RawTransaction) -> Result<Vec<u8>, ChainError> {
    let tx_type = transaction_type_of(encoding, raw)?;
    match (encoding, tx_type) {
        (Encoding::CeloL1, 0) => celo::legacy(raw),
        (Encoding::CeloL1 | Encoding::CeloL2, celo::FEE_CURRENCY | celo::GATEWAY_FEE) => {
            celo::typed(raw, tx_type)
        }
        (Encoding::OpStack | Encoding::CeloL2, op_stack::DEPOSIT) => op_stack::deposit(raw),
        (Encoding::Scroll, scroll::L1_MESSAGE) => scroll::l1_message(raw),
        (Encoding::Arbitrum, 0x64..) => arbitrum::transaction(raw, tx_type),
        (
            Encoding::Ethereum
            | Encoding::PreBedrock
            | Encoding::OpStack
            | Encoding::CeloL1
            | Encoding::CeloL2
            | Encoding::Arbitrum
            | Encoding::Polygon
            | Encoding::Scroll
            | Encoding::HyperEvm
            | Encoding::Sonic,
            _,
        ) => of_ethereum(raw, tx_type),
    }
}
