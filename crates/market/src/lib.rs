//! Token prices from proven pool events.
//!
//! ```text
//! events of a block ──► PoolView ──► rows: what is in force in each pool after each block
//!                                      │
//!            factories, tokens ──► Market::price at a block ──► Quote: price, pools, bases, what was left out
//! ```
//! A price belongs to one block and never changes. It uses each pool's last event up to the block, and no event older
//! than the first block with complete pool events.

pub mod arb;
mod config;
pub mod launch;
mod price;
mod read;
mod rows;
mod tokens;
mod view;

pub use config::{MarketConfig, WINDOW_SECONDS_MAX};
pub use price::{BaseQuote, Bases, Market, PoolQuote, PricedBases, Quote, Token, pair_of};
pub use rows::{Creation, EventPosition, Observation};
pub use tokens::{LockedShare, NoTokens, TokenBook, TokenFacts, TokenInspection};
pub use view::{PoolView, pool_events};

#[cfg(test)]
mod tests;
