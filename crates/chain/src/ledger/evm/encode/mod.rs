//! Converts untrusted node data to consensus bytes: header, transaction, receipt and withdrawal. Later, `verify`
//! compares the hashes.
//!
//! ```text
//! header       rlp([..]), its fields by the rule in force
//! transaction  rlp([.., v, r, s])                 or   type ‖ rlp([..]), its fields by the encoding
//! receipt      rlp([status | root, gas, bloom, logs])  or   type ‖ the same, and what two types add
//! ```
//!
//! Sources: Yellow Paper 4.3 and 4.4, EIP-155, 1559, 2718, 2930, 4788, 4844, 4895, 7685, 7702;
//! `docs/protocol/evm.md#headers-and-leaves-of-the-evm-family` for other chains.

mod arbitrum;
mod by_chain;
mod celo;
mod header;
mod items;
mod op_stack;
mod receipt;
mod scroll;
mod transaction;

pub use by_chain::transaction_of;
pub use header::{header, header_of_hash};
pub use receipt::{receipt, receipt_of, receipt_of_type};
pub use transaction::{transaction, transaction_type, transaction_type_of};

use items::Items;

use super::raw::RawWithdrawal;
use crate::error::ChainError;

#[must_use]
pub fn withdrawal(raw: &RawWithdrawal) -> Vec<u8> {
    Items::default()
        .number(raw.index)
        .number(raw.validator_index)
        .bytes(&raw.address.0)
        .number(raw.amount)
        .finish(0)
}

fn needed<T>(field: &str, value: Option<T>) -> Result<T, ChainError> {
    value.ok_or_else(|| ChainError::missing(field))
}

fn small(field: &str, value: u64, max: u8) -> Result<u8, ChainError> {
    u8::try_from(value).ok().filter(|value| *value <= max).ok_or_else(|| ChainError::OutOfRange {
        field: field.into(),
        got: value.to_string(),
        expected: max.into(),
    })
}
