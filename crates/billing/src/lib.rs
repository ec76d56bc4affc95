//! What it costs: subscriptions, agreements, a journal of money, and an invoice a month.
//!
//! A *payer* is a wallet or an account; a payment gives it thirty days of a tier. An *agreement* holds
//! from its first month until the next one begins. An *entry* is one movement of money of an account; a
//! *book* is their sum: what the account owes. An *invoice* is a month's entries and its usage, closed
//! once.
//!
//! ```text
//! payment, operator's act --> step ---> lift    (read by `account`)
//!                              '------> entries --.
//! agreement ----------------> agreed  (read by `account`)
//!     '--> fee, prices ---------------------------+--> invoice, closed an hour after the month's end
//! usage rollups (of `account`) -------------------'
//! ```
//! What must always hold: a payment counts once, and one that is not exactly the price of a tier not at
//! all; amounts are integers in millionths of a USDC; an invoice adds up to the entries and the usage of
//! its month, to the unit; invoices of all closed months and the entries of the open one add up to the
//! book; a closed month never changes; commits of one account wait for those of no other.
//!
//! ```
//! use std::sync::Arc;
//! use superroot_account::{AccountService, Config};
//! use superroot_billing::Billing;
//! use superroot_store::MemoryStore;
//! use superroot_types::{Address, SystemClock};
//! let accounts = AccountService::open(
//!     Arc::new(MemoryStore::new()),
//!     Arc::new(SystemClock),
//!     &Config::default(),
//! )?;
//! let billing = Billing::new(accounts);
//! let (account, _) = billing.accounts().accounts().register(Address([7; 20]))?;
//! assert_eq!(billing.owes_usdc_e6(account.id)?, 0);
//! # Ok::<(), superroot_billing::BillingError>(())
//! ```

mod agreement;
mod availability;
mod billing;
mod due;
mod entry;
mod error;
mod invoice;
mod journal;
mod keys;
mod money;
mod payment;
mod price_list;
mod subscription;

pub use agreement::{Agreement, Interval, Prices, Terms};
pub use availability::Availability;
pub use billing::{
    Applied, Billing, CLOSING_DELAY_SECONDS, Charge, Charged, Closed, Closing, CreditNote, Receipt,
};
pub use due::{Due, Dues};
pub use entry::{Entry, EntryKind, NewEntry};
pub use error::BillingError;
pub use invoice::{INVOICE_LINES_MAX, Invoice, InvoiceLine};
pub use journal::{Book, ENTRIES_PER_MONTH_MAX};
pub use money::usdc_text;
pub use payment::{Asset, Payment, PaymentId};
pub use price_list::PriceList;
pub use subscription::{Act, PERIODS_GRANTED_MAX, Step, Subscription};
