//! Who may ask what, how often, and what it costs. Knows no HTTP.
//!
//! An *account* is who asks; it holds *keys*, and it may have proven *wallets*. Its *tier* says what
//! it may ask and how often. Every request is *metered*; some weigh *billing tokens*. A
//! *subscription* lifts an account to a tier for thirty days.
//!
//! ```text
//! key -> auth -> account -> gate (tier x grid, scopes) -> limit -> [request] -> meter -> rollups -> invoice
//!                   ^                                                                      |
//!             subscription <- payment (chain watcher, operator)                         ledger
//! ```
//! What must always hold: only SHA-256 of a key is stored; a revoked key is refused everywhere within
//! a second; amounts are integers, and every invoice adds up to the rollups behind it to the unit.

mod commerce;
mod config;
mod error;
mod id;
mod invoice;
mod journal;
mod money;
mod month;
mod plan;
mod row;
mod secret;
mod subscription;
mod tier;

pub use commerce::{
    Agreement, Availability, Charge, Commerce, Interval, MonthOfAccount, ShareOfMonth, Terms,
};
pub use config::{Config, KeysConfig};
pub use error::{AccountError, ErrorKind};
pub use id::{AccountId, Environment, KeyId, UnknownEnvironment};
pub use invoice::{
    Bill, BilledUsage, BoughtPeriods, Charges, Correction, INVOICE_LINES_MAX, Invoice, InvoiceLine,
    Invoices, LineKind,
};
pub use journal::{
    Balance, Book, ENTRY_LINES_MAX, Entered, Entry, EntryLine, Journal, Posting, Side,
};
pub use money::{usdc_e6_of_wei, usdc_text};
pub use month::Month;
pub use plan::{
    ChargeTerms, EnterpriseTerms, Grid, IntegratorTerms, PayAsYouGo, Plans, SIGNAL_EVENT_WEIGHT,
    SubscriptionTerms, TierPlan, TierPlans, route_weight,
};
pub use secret::{KEY_PATTERN, ReadKey, Secret, read_key};
pub use subscription::{
    Along, Applied, Asset, Event, Evidence, Operator, PERIOD_SECONDS, Payment, PaymentId, Pending,
    Period, Reason, Standing, Status, Subscriber, Subscription, Subscriptions, Transition, apply,
};
pub use tier::{Tier, UnknownTier};
