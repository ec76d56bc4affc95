//! Transactions by chain encoding: Ethereum types or the chain's own.

use super::transaction::{of_ethereum, transaction_type_of};
use super::{arbitrum, celo, op_stack, scroll};
use crate::error::ChainError;
use crate::ledger::evm::Encoding;
use crate::ledger::evm::raw::RawEvmTransaction;

/// Transaction leaf in a chain encoding; the Keccak-256 is the transaction hash.
///
/// # Errors
/// [`ChainError::Missing`] for a required field, [`ChainError::OutOfRange`] for a parity above 1,
/// [`ChainError::Mismatch`] for a type unknown to the encoding, or for two fields that contradict each other.
pub fn transaction_of(encoding: Encoding, raw: &RawEvmTransaction) -> Result<Vec<u8>, ChainError> {
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
