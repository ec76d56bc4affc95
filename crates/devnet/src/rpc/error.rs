//! Errors and parameters.

use alloy_primitives::{B256, Bytes};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::DevnetError;

/// Error of a method (EIP-1474).
#[derive(Debug)]
pub(crate) struct RpcError {
    pub(super) code: i64,
    pub(super) message: String,
    pub(super) data: Option<Bytes>,
}

impl RpcError {
    pub(super) fn params(message: impl Into<String>) -> Self {
        Self { code: -32_602, message: message.into(), data: None }
    }
}

impl From<DevnetError> for RpcError {
    fn from(error: DevnetError) -> Self {
        match error {
            DevnetError::Reverted(data) => {
                Self { code: 3, message: "execution reverted".to_owned(), data: Some(data) }
            }
            error => Self { code: -32_000, message: error.to_string(), data: None },
        }
    }
}

/// Parameters, with nulls for missing ones.
pub(super) fn params<T: DeserializeOwned>(given: Value, count: usize) -> Result<T, RpcError> {
    let Value::Array(mut given) = given else {
        return Err(RpcError::params("params is no list"));
    };
    if given.len() > count {
        return Err(RpcError::params(format!("{} params, expected at most {count}", given.len())));
    }
    given.resize(count, Value::Null);
    serde_json::from_value(Value::Array(given)).map_err(|error| RpcError::params(error.to_string()))
}

pub(super) fn hash_param(given: Value) -> Result<B256, RpcError> {
    let (hash,): (B256,) = params(given, 1)?;
    Ok(hash)
}
