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

mod calendar;
mod config;
mod error;
mod id;
pub mod limit;
pub mod meter;
mod row;
mod secret;
mod tier;
pub mod usage;

pub use calendar::{Day, Hour, Month};
pub use config::{Config, KeysConfig};
pub use error::{AccountError, ErrorKind};
pub use id::{AccountId, Environment, KeyId, UnknownEnvironment};
pub use limit::{LimitConfig, Limiter};
pub use meter::{Flusher, Meter, MeterConfig};
pub use secret::{KEY_PATTERN, ReadKey, Secret, read_key};
pub use tier::{Tier, UnknownTier};
pub use usage::Usage;
