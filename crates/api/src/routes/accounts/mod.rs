//! Accounts: registering, wallets, keys, usage, plans, invoices, sub-accounts.

mod availability;
mod invoices;
mod keys;
mod plans;
mod register;
mod shapes;
mod sub_accounts;
mod table;
mod usage;
mod wallet;

pub(crate) use plans::access_name;
pub(super) use table::table;

use serde::Serialize;
use serde_json::Value;

use crate::ApiError;
use crate::dress::Answer;

/// An answer of one account.
fn answer<T: Serialize>(body: &T) -> Result<Answer, ApiError> {
    Ok(Answer::new(value(body)?).private())
}

/// The JSON of a shape.
fn value<T: Serialize>(body: &T) -> Result<Value, ApiError> {
    serde_json::to_value(body).map_err(|error| {
        tracing::error!(%error, "an answer cannot be written as JSON");
        ApiError::internal()
    })
}
