//! Access and limits of callers. Knows no HTTP, and of money only the prices of tiers.
//!
//! An *account* is a caller; an account has *keys*, and may have proven *wallets*. The *tier* decides access and
//! limits. Every request is *metered*; some cost *billing tokens*. A *lift* lists the tiers given to a wallet or
//! account over time; an *agreement* sets rights from a month on. `billing` writes both, in the commit of the payment
//! or agreement.
//!
//! ```text
//! key -> auth -> account -> gate (tier x grid, scopes) -> limit -> [request] -> meter -> rollups
//!                   ^                                                                      |
//!              lift, agreed  <---------------------- billing <-----------------------------'
//! ```
//! Invariants: only the SHA-256 of a key is stored; a revoked key is refused everywhere within a second; an account's
//! rights are a pure function of its rows and the time.

mod account;
mod accounts;
mod actor;
mod address;
mod agreed;
mod audit;
mod cache;
mod calendar;
mod changes;
mod config;
mod entitlement;
mod error;
mod gate;
mod id;
mod key;
mod label;
mod lift;
pub mod limit;
pub mod meter;
mod monotonic;
mod month;
mod place;
mod plan;
mod provisional;
mod routes;
pub mod row;
mod scope;
mod secret;
mod service;
mod tier;
pub mod usage;
pub mod wallet;

pub use account::{Account, Grant, WalletLink};
pub use accounts::Accounts;
pub use actor::Actor;
pub use address::{parse_wallet, show_wallet};
pub use agreed::{AHEAD_MAX, Agreed, AgreedTerms};
pub use audit::{ACTS_LISTED_MAX, Operator, OperatorAction, act_hash, acts_head, append_act};
pub use calendar::{Day, Hour};
pub use changes::{Changed, note};
pub use config::{AccountConfig, KeysConfig};
pub use entitlement::{Entitlement, Rights, SubscriptionView};
pub use error::AccountError;
pub use gate::{GateExempt, Passage, RouteRef};
pub use id::{AccountId, Environment, KeyId, Payer, UnknownEnvironment};
pub use key::{CreatedKey, KeyChange, KeyRow, KeyState, NewKey};
pub use label::{LABEL_CHARS_MAX, Label, check_text};
pub use lift::{PERIOD_SECONDS, PaidTier, SubscriptionStanding, SubscriptionStatus, TierPeriod};
pub use limit::{LimitConfig, Limiter};
pub use meter::{Flusher, Meter, MeterConfig};
pub use monotonic::{ManualStopwatch, Stopwatch, SystemStopwatch};
pub use month::Month;
pub use place::{after, next};
pub use plan::{
    ChargeTerms, EnterpriseTerms, Grid, IntegratorTerms, MeteredTerms, PlanTable, PlanTerms,
    PricedTier, SIGNAL_EVENT_WEIGHT, TierPlans,
};
pub use provisional::ProvisionalTier;
pub use routes::{Access, MeteredRoute, UNMATCHED, label_of};
pub use scope::{RoutePattern, SCOPE_ENTRIES_MAX, Scope};
pub use secret::{KEY_PATTERN, KeySecret, ReadKey, read_key, without_keys};
pub use service::AccountService;
pub use tier::{Tier, UnknownTier};
pub use usage::{BilledUsage, UsageReader};
pub use wallet::{ContractCaller, PendingChallenge, ProvenWallet, WalletConfig, Wallets};
