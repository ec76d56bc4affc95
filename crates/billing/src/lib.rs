//! Billing: subscriptions, agreements, a journal of money, and monthly invoices.
//!
//! A *payer* is a wallet or an account; a payment gives the payer thirty days of a tier. An *agreement* holds from its
//! first month until the next one begins. An *entry* is one movement of an account's money; a *balance* (row `Book`) is
//! their sum: the account's debt. An *invoice* is a month's entries and usage, closed once.
//!
//! ```text
//! payment, operator's act --> step ---> lift    (read by `account`)
//!                              '------> entries --.
//! agreement ----------------> agreed  (read by `account`)
//!     '--> fee, prices ---------------------------+--> invoice, closed an hour after the month's end
//! usage rollups (of `account`) -------------------'
//! ```
//! Invariants: a payment counts once, and only if exactly the price of a tier; amounts are integers in millionths of a
//! USDC; an invoice adds up exactly to the entries and usage of its month; invoices of all closed months and entries of
//! the open month add up to the balance; a closed month never changes; commits of one account never wait for another
//! account.
//!
//! ```
//! use std::sync::Arc;
//! use superroot_account::{AccountService, AccountConfig};
//! use superroot_billing::BillingLedger;
//! use superroot_store::MemoryStore;
//! use superroot_types::{Address, SystemClock};
//! let accounts = AccountService::open(
//!     Arc::new(MemoryStore::new()),
//!     Arc::new(SystemClock),
//!     &AccountConfig::default(),
//! )?;
//! let billing = BillingLedger::new(accounts);
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
mod pass;
mod payment;
mod pending;
mod price_list;
mod subscription;

pub use agreement::{Agreement, AgreementTerms, Interval, MonthPrices};
pub use availability::MeasuredMonth;
pub use billing::{
    AppliedAct, BillingLedger, CLOSING_DELAY_SECONDS, Charge, Charged, Closed, MonthClosing,
    OperatorEntry,
};
pub use due::{Due, Dues};
pub use entry::{EntryKind, JournalEntry, NewEntry};
pub use error::BillingError;
pub use invoice::{ChargeLine, INVOICE_LINES_MAX, MonthInvoice};
pub use journal::{AccountBalance, ENTRIES_PER_MONTH_MAX};
pub use money::usdc_text;
pub use pass::{AuthorizationId, CountedPass, PassGoods, PassTransfer, SoldPass};
pub use payment::{Asset, Payment, PaymentId};
pub use pending::{ListedPayment, PendingPayment};
pub use price_list::PriceList;
pub use subscription::{PERIODS_GRANTED_MAX, SubscriptionAct, SubscriptionMoney, SubscriptionStep};
