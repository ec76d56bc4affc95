//! Who may ask what, and how often. Knows no HTTP, and of money no more than tiers cost.
//!
//! An *account* is who asks; it holds *keys*, and it may have proven *wallets*. Its *tier* says what
//! it may ask and how often. Every request is *metered*; some weigh *billing tokens*. A *lift* says
//! which tiers a wallet or an account was given, from when until when; what is *agreed* says what holds
//! from a month on. `billing` writes those two, in the commit of the payment or agreement behind them.
//!
//! ```text
//! key -> auth -> account -> gate (tier x grid, scopes) -> limit -> [request] -> meter -> rollups
//!                   ^                                                                      |
//!              lift, agreed  <---------------------- billing <-----------------------------'
//! ```
//! What must always hold: only SHA-256 of a key is stored; a revoked key is refused everywhere within
//! a second; what an account has is a pure function of its rows and the time.

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
pub use agreed::{AHEAD_MAX, Agreed, Gives};
pub use audit::{ACTS_LISTED_MAX, Act, Operator, act_hash, acts_head, append_act};
pub use calendar::{Day, Hour};
pub use changes::{Changed, note};
pub use config::{Config, KeysConfig};
pub use entitlement::{Entitlement, Rights, SubscriptionView};
pub use error::AccountError;
pub use gate::{Outside, Passage, Route};
pub use id::{AccountId, Environment, KeyId, Payer, UnknownEnvironment};
pub use key::{IssuedKey, Key, KeyChange, KeyState, NewKey};
pub use label::{LABEL_CHARS_MAX, Label, check_text};
pub use lift::{Lift, PERIOD_SECONDS, Period, Standing, Status};
pub use limit::{LimitConfig, Limiter};
pub use meter::{Flusher, Meter, MeterConfig};
pub use monotonic::{ManualStopwatch, Stopwatch, SystemStopwatch};
pub use month::Month;
pub use place::{after, next};
pub use plan::{
    ChargeTerms, EnterpriseTerms, Grid, IntegratorTerms, PayAsYouGo, Plans, SIGNAL_EVENT_WEIGHT,
    SubscriptionTerms, TierPlan, TierPlans,
};
pub use routes::{Access, MeteredRoute, UNMATCHED, label_of};
pub use scope::{RoutePattern, SCOPE_ENTRIES_MAX, Scope};
pub use secret::{KEY_PATTERN, ReadKey, Secret, read_key, without_keys};
pub use service::AccountService;
pub use tier::{Tier, UnknownTier};
pub use usage::{BilledUsage, Usage};
pub use wallet::{Challenge, ContractCaller, ProvenWallet, WalletConfig, Wallets};
