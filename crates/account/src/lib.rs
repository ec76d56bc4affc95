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

mod account;
mod accounts;
mod actor;
mod address;
mod audit;
mod cache;
mod calendar;
mod changes;
mod closing;
mod commerce;
mod config;
mod entitlement;
mod error;
mod gate;
mod id;
#[cfg(test)]
mod interrupted;
mod invoice;
mod journal;
mod key;
mod label;
pub mod limit;
pub mod meter;
mod money;
mod monotonic;
mod month;
mod place;
mod plan;
mod routes;
mod row;
mod scope;
mod secret;
mod service;
mod subscription;
mod tier;
pub mod usage;
pub mod wallet;

pub use account::{Account, Grant, WalletLink};
pub use accounts::Accounts;
pub use actor::Actor;
pub use address::{parse_wallet, show_wallet};
pub use audit::{ACTS_LISTED_MAX, Act, append_act};
pub use calendar::{Day, Hour};
pub use changes::{Changed, note};
pub use closing::{CLOSING_DELAY_SECONDS, Closed, Closing};
pub use commerce::{
    AGREEMENTS_MAX, Agreed, Agreement, Agreements, Availability, CHARGES_PER_MONTH_MAX, Charge,
    Charged, Commerce, EnteredCharge, Interval, MonthOfAccount, Replaced, ShareOfMonth, Terms,
};
pub use config::{Config, KeysConfig};
pub use entitlement::{Entitlement, Rights, SubscriptionView};
pub use error::AccountError;
pub use gate::{Access, Outside, Passage, Route, Transport};
pub use id::{AccountId, Environment, KeyId, UnknownEnvironment};
pub use invoice::{
    Bill, BoughtPeriods, Charges, Correction, INVOICE_LINES_MAX, Invoice, InvoiceLine, Invoices,
    LineKind, MOVEMENTS_PER_INVOICE_MAX, Receipt,
};
pub use journal::{
    Balance, Book, ENTRIES_LOOKED_AT_MAX, ENTRY_LINES_MAX, Entered, Entry, EntryLine, Journal,
    Posting, Side,
};
pub use key::{IssuedKey, Key, KeyChange, KeyState, NewKey};
pub use label::{LABEL_CHARS_MAX, Label};
pub use limit::{LimitConfig, Limiter};
pub use meter::{Flusher, Meter, MeterConfig};
pub use money::{usdc_e6_of_wei, usdc_text};
pub use monotonic::{ManualStopwatch, Stopwatch, SystemStopwatch};
pub use month::Month;
pub use plan::{
    ChargeTerms, EnterpriseTerms, Grid, IntegratorTerms, PayAsYouGo, Plans, SIGNAL_EVENT_WEIGHT,
    SubscriptionTerms, TierPlan, TierPlans,
};
pub use routes::{MeteredRoute, ROUTES, UNMATCHED, route, route_of_number};
pub use scope::{RoutePattern, SCOPE_ENTRIES_MAX, Scope};
pub use secret::{KEY_PATTERN, ReadKey, Secret, read_key, without_keys};
pub use service::{AccountService, Money};
pub use subscription::{
    Along, Applied, Asset, Event, Evidence, Moved, Operator, PERIOD_SECONDS, Payment, PaymentId,
    Pending, Period, Reason, Standing, Status, Subscriber, Subscription, Subscriptions, Transition,
    Unbilled, Waiting, apply,
};
pub use tier::{Tier, UnknownTier};
pub use usage::{BilledUsage, Usage};
pub use wallet::{Challenge, ContractCaller, ProvenWallet, WalletConfig, Wallets};
