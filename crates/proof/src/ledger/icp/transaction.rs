//! Block transaction: an operation with the sender's memo and time.

use alloc::vec::Vec;

use super::account::IcpAccount;
use super::protobuf::{ProtobufValue, fields, message, wrapped_bytes, wrapped_number};
use crate::ledger::LedgerError;

/// Default transfer fee, in e8s (1 ICP is 100,000,000).
pub const DEFAULT_FEE_E8S: u64 = 10_000;

/// Longest ICRC-1 memo, in bytes.
const ICRC1_MEMO_BYTES_MAX: usize = 32;

/// Transaction operation. Amounts are in e8s: 1 ICP is 100,000,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Destroys tokens.
    Burn {
        /// Owner.
        from: IcpAccount,
        /// Amount.
        amount_e8s: u64,
        /// Spender acting for the owner (ICRC-2).
        spender: Option<IcpAccount>,
    },
    /// Creates tokens.
    Mint {
        /// Recipient.
        to: IcpAccount,
        /// Amount.
        amount_e8s: u64,
    },
    /// Moves tokens.
    Transfer {
        /// Sender.
        from: IcpAccount,
        /// Recipient.
        to: IcpAccount,
        /// Amount without the fee.
        amount_e8s: u64,
        /// Additional fee.
        fee_e8s: u64,
        /// Spender acting for the owner (ICRC-2).
        spender: Option<IcpAccount>,
    },
    /// Approves a spender (ICRC-2).
    Approve {
        /// Owner.
        from: IcpAccount,
        /// Approved spender.
        spender: IcpAccount,
        /// Greatest spendable amount.
        allowance_e8s: u64,
        /// Required previous allowance, if requested.
        expected_allowance_e8s: Option<u64>,
        /// Expiry, in nanoseconds since 1970.
        expires_at_nanos: Option<u64>,
        /// Fee.
        fee_e8s: u64,
    },
}

/// Transaction from a block's `transaction` field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// Operation.
    pub operation: Operation,
    /// Sender's number.
    pub memo: u64,
    /// Sender's creation time, in nanoseconds since 1970.
    pub created_at_nanos: Option<u64>,
    /// Sender's bytes, at most 32 (ICRC-1).
    pub icrc1_memo: Option<Vec<u8>>,
}

impl Transaction {
    /// Reads the message.
    ///
    /// # Errors
    /// [`LedgerError::Field`] naming a missing, non-canonical or out-of-range field.
    pub fn decode(bytes: &[u8]) -> Result<Self, LedgerError> {
        // 5 is an index from before there was a time, which the ledger reads no more
        let [burn, mint, send, memo, created_at, created_at_time, icrc1_memo] =
            fields("transaction", bytes)?;
        optional("created_at", created_at, wrapped_number)?;
        let operation = match (burn, mint, send) {
            (Some(_), None, None) => read_burn(required("burn", burn)?)?,
            (None, Some(_), None) => read_mint(required("mint", mint)?)?,
            (None, None, Some(_)) => read_send(required("send", send)?)?,
            _ => return Err(LedgerError::Field { field: "operation" }),
        };
        let icrc1_memo = optional("icrc1_memo", icrc1_memo, wrapped_bytes)?;
        if icrc1_memo.is_some_and(|memo| memo.len() > ICRC1_MEMO_BYTES_MAX) {
            return Err(LedgerError::Field { field: "icrc1_memo" });
        }
        Ok(Self {
            operation,
            memo: optional("memo", memo, wrapped_number)?.unwrap_or(0),
            created_at_nanos: optional("created_at_time", created_at_time, wrapped_number)?,
            icrc1_memo: icrc1_memo.map(<[u8]>::to_vec),
        })
    }
}

fn read_burn(bytes: &[u8]) -> Result<Operation, LedgerError> {
    let [from, none, amount, spender] = fields("burn", bytes)?;
    absent("burn", none)?;
    let from = account("from", from)?;
    let amount_e8s = tokens("amount", amount)?;
    Ok(Operation::Burn { from, amount_e8s, spender: optional_account("spender", spender)? })
}

fn read_mint(bytes: &[u8]) -> Result<Operation, LedgerError> {
    let [none, to, amount] = fields("mint", bytes)?;
    absent("mint", none)?;
    Ok(Operation::Mint { to: account("to", to)?, amount_e8s: tokens("amount", amount)? })
}

/// Transfer, transfer by a spender, or an approval marked by its extension.
fn read_send(bytes: &[u8]) -> Result<Operation, LedgerError> {
    let [from, to, amount, max_fee, approve, transfer_from] = fields("send", bytes)?;
    let from = account("from", from)?;
    let to = account("to", to)?;
    let amount_e8s = tokens("amount", amount)?;
    let fee_e8s = optional("max_fee", max_fee, wrapped_number)?.unwrap_or(DEFAULT_FEE_E8S);
    let spender = match (message("approve", approve)?, message("transfer_from", transfer_from)?) {
        (None, None) => None,
        (None, Some(bytes)) => {
            let [spender] = fields("transfer_from", bytes)?;
            Some(account("spender", spender)?)
        }
        (Some(bytes), None) => {
            if amount_e8s > 0 {
                return Err(LedgerError::Field { field: "amount of an approval" });
            }
            let [allowance, expires_at, expected] = fields("approve", bytes)?;
            return Ok(Operation::Approve {
                from,
                spender: to,
                allowance_e8s: tokens("allowance", allowance)?,
                expected_allowance_e8s: optional("expected_allowance", expected, wrapped_number)?,
                expires_at_nanos: optional("expires_at", expires_at, wrapped_number)?,
                fee_e8s,
            });
        }
        (Some(_), Some(_)) => return Err(LedgerError::Field { field: "extension" }),
    };
    Ok(Operation::Transfer { from, to, amount_e8s, fee_e8s, spender })
}

pub(super) fn required<'a>(
    field: &'static str,
    value: Option<ProtobufValue<'a>>,
) -> Result<&'a [u8], LedgerError> {
    message(field, value)?.ok_or(LedgerError::Field { field })
}

pub(super) fn optional<'a, T>(
    field: &'static str,
    value: Option<ProtobufValue<'a>>,
    read: impl Fn(&'static str, &'a [u8]) -> Result<T, LedgerError>,
) -> Result<Option<T>, LedgerError> {
    message(field, value)?.map(|bytes| read(field, bytes)).transpose()
}

fn absent(field: &'static str, value: Option<ProtobufValue<'_>>) -> Result<(), LedgerError> {
    if value.is_none() { Ok(()) } else { Err(LedgerError::Field { field }) }
}

fn tokens(field: &'static str, value: Option<ProtobufValue<'_>>) -> Result<u64, LedgerError> {
    wrapped_number(field, required(field, value)?)
}

fn account(
    field: &'static str,
    value: Option<ProtobufValue<'_>>,
) -> Result<IcpAccount, LedgerError> {
    optional_account(field, value)?.ok_or(LedgerError::Field { field })
}

fn optional_account(
    field: &'static str,
    value: Option<ProtobufValue<'_>>,
) -> Result<Option<IcpAccount>, LedgerError> {
    let read = |field, bytes| {
        IcpAccount::from_slice(wrapped_bytes(field, bytes)?).ok_or(LedgerError::Field { field })
    };
    optional(field, value, read)
}
