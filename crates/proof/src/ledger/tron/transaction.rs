//! Transactions, whole: the leaves of a block's tree.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::fields::{Fields, Value};
use crate::hash::sha256_joined;
use crate::ledger::LedgerError;

/// Longest transaction: a block's, which nodes refuse above 2,000,000 bytes and 1,000 more (java-tron
/// `BlockMsgHandler`).
pub const TRANSACTION_BYTES_MAX: usize = 2_001_000;

/// Length of two hashes: a transaction of it could be an inner node of the tree. None has it: each is
/// signed, in 65 bytes or more, or names its contract's type in 40 or more beside its parameters.
const NODE_BYTES: usize = 64;

/// Names of `contractRet` by its number: java-tron `Tron.proto`.
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

/// A transaction as its leaf has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction<'a> {
    /// What was signed: the message `Transaction.raw`.
    pub raw_data: &'a [u8],
    /// What came of it, as the block's producer says: `contractRet` of the first `ret`. 0 where it is
    /// not said; [`CONTRACT_RESULTS`] names it. `None` without a `ret`.
    pub contract_ret: Option<u64>,
}

impl<'a> Transaction<'a> {
    /// Reads a leaf, whole. Fields that it has besides are not read.
    ///
    /// # Errors
    /// [`LedgerError::NodeSized`]; [`LedgerError::Field`] for one that is too long, no message, has no
    /// `raw_data` or two of them, or a `ret` that is none.
    pub fn decode(leaf: &'a [u8]) -> Result<Self, LedgerError> {
        check_leaf(leaf)?;
        let (mut raw_data, mut ret) = (None, None);
        for field in Fields::of(leaf) {
            match field.ok_or(LedgerError::Field { field: "transaction" })? {
                (1, Value::Bytes(bytes)) if raw_data.is_none() => raw_data = Some(bytes),
                (1, _) => return Err(LedgerError::Field { field: "raw_data" }),
                (5, Value::Bytes(bytes)) => ret = ret.or(Some(bytes)),
                (5, _) => return Err(LedgerError::Field { field: "ret" }),
                _ => {}
            }
        }
        Ok(Self {
            raw_data: raw_data.ok_or(LedgerError::Field { field: "raw_data" })?,
            contract_ret: ret.map(contract_ret).transpose()?,
        })
    }

    /// Transaction hash (txid): of what was signed, so neither of signatures nor of what came of it.
    #[must_use]
    pub fn hash(&self) -> Hash {
        sha256_joined(&[self.raw_data])
    }
}

/// `contractRet` of a `Transaction.Result`.
fn contract_ret(ret: &[u8]) -> Result<u64, LedgerError> {
    let mut found = None;
    for field in Fields::of(ret) {
        match field {
            Some((3, Value::Varint(value))) if found.is_none() => found = Some(value),
            Some((3, _)) | None => return Err(LedgerError::Field { field: "ret.contractRet" }),
            Some(_) => {}
        }
    }
    Ok(found.unwrap_or(0))
}

/// Whether a leaf has a length that a transaction may have and an inner node has not.
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

/// Hash of a leaf in its block's tree: of all of the transaction. It is not the transaction's hash.
#[must_use]
pub fn leaf_hash(leaf: &[u8]) -> Hash {
    sha256_joined(&[leaf])
}

/// A contract that a transaction calls: who pays, and what for. Its parameter is read by those who
/// know the type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract<'a> {
    /// Number of the type, as java-tron's `Tron.proto` has it: 1 transfer, 31 call of a contract.
    pub kind: u64,
    /// The fields of its parameter, by number, where they are bytes or integers.
    pub parameter: Vec<(u32, Value<'a>)>,
}

impl<'a> Contract<'a> {
    /// Reads the contract out of what was signed; `None` where there is not one of a form known here.
    #[must_use]
    pub fn read(raw_data: &'a [u8]) -> Option<Self> {
        let contract = only(raw_data, 11)?;
        let any = only(contract, 2)?;
        let parameter = only(any, 2)?;
        let mut kind = 0;
        for field in Fields::of(contract) {
            if let (1, Value::Varint(value)) = field? {
                kind = value;
            }
        }
        let parameter = Fields::of(parameter).collect::<Option<Vec<_>>>()?;
        Some(Self { kind, parameter })
    }

    /// Bytes of a field of the parameter; `None` where it is not there once.
    #[must_use]
    pub fn bytes(&self, number: u32) -> Option<&'a [u8]> {
        let mut found = self.parameter.iter().filter(|(other, _)| *other == number);
        match (found.next()?, found.next()) {
            ((_, Value::Bytes(bytes)), None) => Some(bytes),
            _ => None,
        }
    }

    /// A number of the parameter; 0 where it is not there.
    #[must_use]
    pub fn number(&self, number: u32) -> Option<u64> {
        let mut found = self.parameter.iter().filter(|(other, _)| *other == number);
        match (found.next(), found.next()) {
            (None, _) => Some(0),
            (Some((_, Value::Varint(value))), None) => Some(*value),
            _ => None,
        }
    }
}

/// Bytes of a field that a message has once.
fn only(message: &[u8], number: u32) -> Option<&[u8]> {
    let mut found = None;
    for field in Fields::of(message) {
        match field? {
            (other, Value::Bytes(bytes)) if other == number && found.is_none() => {
                found = Some(bytes);
            }
            (other, _) if other == number => return None,
            _ => {}
        }
    }
    found
}
