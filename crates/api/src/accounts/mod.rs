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

pub(crate) use table::routes;

use serde::Serialize;

use crate::answer::Answer;

/// An answer of one account.
fn answer(body: &impl Serialize) -> Answer {
    Answer::of(body).private()
}
