//! Accounts: registration, wallets, keys, usage, plans, invoices, sub-accounts.

mod availability;
mod checkpoints;
mod invoices;
mod keys;
pub(crate) mod pass;
mod plans;
mod register;
mod shapes;
mod sub_accounts;
mod table;
mod usage;
mod verifying;
mod wallet;

pub(crate) use table::routes;
pub(crate) use verifying::VerifyingAuthorizations;

use serde::Serialize;

use crate::answer::ApiAnswer;

fn answer(body: &impl Serialize) -> ApiAnswer {
    ApiAnswer::of(body).private()
}
