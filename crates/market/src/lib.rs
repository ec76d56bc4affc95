//! Prices of tokens, out of what proven events say of pools.
//!
//! ```text
//! events of a block ──► PoolView ──► rows: what is in force in each pool after each block
//!                                      │
//!            factories, tokens ──► Market::price at a block ──► Quote: price, pools, bases, what was left out
//! ```
//! A price is of one block: asked again, it is the same for ever. It rests on the last event of each pool up to that
//! block, and on nothing older than the first block from which on all such events are held.

pub mod arb;
mod config;
pub mod launch;
mod price;
mod read;
mod rows;
mod tokens;
mod view;

pub use config::{Config, WINDOW_SECONDS_MAX};
pub use price::{BaseQuote, Bases, Market, PoolQuote, PricedBases, Quote, Token, pair_of};
pub use rows::{Creation, Observation, Place};
pub use tokens::{GivenUp, Inspected, NoTokens, TokenBook, TokenFacts};
pub use view::{PoolView, pool_events};

#[cfg(test)]
mod tests;
