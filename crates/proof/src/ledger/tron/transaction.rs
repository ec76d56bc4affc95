//! Whole transactions: the block tree's leaves.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::fields::{TronFieldValue, TronFields};
use crate::hash::sha256_joined;
use crate::ledger::LedgerError;

/// Longest transaction: nodes refuse a block above 2,000,000 bytes and 1,000 more (java-tron `BlockMsgHandler`).
pub const TRANSACTION_BYTES_MAX: usize = 2_001_000;

/// Two-hash length: a transaction with this length could be an inner node. None exists: each is signed, in 65 bytes or
/// more, or names its contract type in 40 or more besides its parameters.
const NODE_BYTES: usize = 64;

/// Names for `contractRet` by number: java-tron `Tron.proto`.
pub const CONTRACT_RESULTS: [&str; 16] = [
    "DEFAULT",
    "SUCCESS",
    "REVERT",
    "BAD_JUMP_DESTINATION",
    "OUT_OF_MEMORY",
    "PRECOMPILED_CONTRACT",
    "STACK_TOO_SMALL",
    "STACK_TOO_LARGE",
    "ILLEGAL_OPERATION",
    "STACK_OVERFLOW",
    "OUT_OF_ENERGY",
    "OUT_OF_TIME",
    "JVM_STACK_OVER_FLOW",
    "UNKNOWN",
    "TRANSFER_FAILED",
    "INVALID_CODE",
];

/// Transaction in its leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction<'a> {
    /// Signed message `Transaction.raw`.
    pub raw_data: &'a [u8],
    /// Outcome claimed by the block producer: `contractRet` in the first `ret`, named by [`CONTRACT_RESULTS`]; 0 if
    /// omitted, `None` without a `ret`.
    pub contract_ret: Option<u64>,
}

impl<'a> Transaction<'a> {
    /// Reads a whole leaf. Additional fields are not read.
    ///
    /// # Errors
    /// [`LedgerError::NodeSized`]; [`LedgerError::Field`] for a too long leaf, a malformed message, a missing or
    /// duplicate `raw_data`, or an invalid `ret`.
    pub fn decode(leaf: &'a [u8]) -> Result<Self, LedgerError> {
        check_leaf(leaf)?;
        let mut raw_data = None;
        let mut ret = None;
        for field in TronFields::of(leaf) {
            match field.ok_or(LedgerError::Field { field: "transaction" })? {
                (1, TronFieldValue::Bytes(bytes)) if raw_data.is_none() => raw_data = Some(bytes),
                (1, _) => return Err(LedgerError::Field { field: "raw_data" }),
                (5, TronFieldValue::Bytes(bytes)) => ret = ret.or(Some(bytes)),
                (5, _) => return Err(LedgerError::Field { field: "ret" }),
                _ => {}
            }
        }
        Ok(Self {
            raw_data: raw_data.ok_or(LedgerError::Field { field: "raw_data" })?,
            contract_ret: ret.map(contract_ret).transpose()?,
        })
    }

    /// Transaction hash (txid) over the signed message, excluding signatures and outcome.
    #[must_use]
    pub fn hash(&self) -> Hash {
        sha256_joined(&[self.raw_data])
    }
}

fn contract_ret(ret: &[u8]) -> Result<u64, LedgerError> {
    let mut found = None;
    for field in TronFields::of(ret) {
        match field {
            Some((3, TronFieldValue::Varint(value))) if found.is_none() => found = Some(value),
            Some((3, _)) | None => return Err(LedgerError::Field { field: "ret.contractRet" }),
            Some(_) => {}
        }
    }
    Ok(found.unwrap_or(0))
}

/// Checks for a length allowed for a transaction and impossible for an inner node.
///
/// # Errors
/// [`LedgerError::NodeSized`] for 64 bytes, [`LedgerError::Field`] past [`TRANSACTION_BYTES_MAX`].
pub fn check_leaf(leaf: &[u8]) -> Result<(), LedgerError> {
    match leaf.len() {
        NODE_BYTES => Err(LedgerError::NodeSized),
        length if length > TRANSACTION_BYTES_MAX => {
            Err(LedgerError::Field { field: "transaction length" })
        }
        _ => Ok(()),
    }
}

/// Leaf hash in the block tree, over the whole transaction; not the transaction hash.
#[must_use]
pub fn leaf_hash(leaf: &[u8]) -> Hash {
    sha256_joined(&[leaf])
}

/// Called contract: payer and purpose. The parameter's meaning depends on the type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract<'a> {
    /// Type number from java-tron's `Tron.proto`: 1 transfer, 31 contract call.
    pub kind: u64,
    /// Parameter fields by number, if bytes or integers.
    pub parameter: Vec<(u32, TronFieldValue<'a>)>,
}

impl<'a> Contract<'a> {
    /// Reads the contract from the signed message; `None` unless there is exactly one, of a known form.
    #[must_use]
    pub fn read(raw_data: &'a [u8]) -> Option<Self> {
        let contract = only(raw_data, 11)?;
        let any = only(contract, 2)?;
        let parameter = only(any, 2)?;
        let mut kind = 0;
        for field in TronFields::of(contract) {
            if let (1, TronFieldValue::Varint(value)) = field? {
                kind = value;
            }
        }
        let parameter = TronFields::of(parameter).collect::<Option<Vec<_>>>()?;
        Some(Self { kind, parameter })
    }

    /// Parameter field bytes; `None` unless present exactly once.
    #[must_use]
    pub fn bytes(&self, number: u32) -> Option<&'a [u8]> {
        let mut found = self.parameter.iter().filter(|(other, _)| *other == number);
        match (found.next()?, found.next()) {
            ((_, TronFieldValue::Bytes(bytes)), None) => Some(bytes),
            _ => None,
        }
    }

    /// Parameter number; 0 if absent.
    #[must_use]
    pub fn number(&self, number: u32) -> Option<u64> {
        let mut found = self.parameter.iter().filter(|(other, _)| *other == number);
        match (found.next(), found.next()) {
            (None, _) => Some(0),
            (Some((_, TronFieldValue::Varint(value))), None) => Some(*value),
            _ => None,
        }
    }
}

fn only(message: &[u8], number: u32) -> Option<&[u8]> {
    let mut found = None;
    for field in TronFields::of(message) {
        match field? {
            (other, TronFieldValue::Bytes(bytes)) if other == number && found.is_none() => {
                found = Some(bytes);
            }
            (other, _) if other == number => return None,
            _ => {}
        }
    }
    found
}
