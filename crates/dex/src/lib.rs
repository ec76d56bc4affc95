//! What pools of decentralised exchanges say in their events.
//!
//! ```text
//! log of a proven receipt ──► [`decode`] ──► what happened to a pool ──► [`Price`], [`twap`]
//!                                                    │
//!                              factories.toml ──► whose pool it is ([`Factories`])
//! ```
//! A topic alone is no identity: forks share it, and anybody may emit it. An event is decoded by its topic,
//! its number of topics and its words, each within its type; a pool is believed where its address follows
//! from a known factory (CREATE2, EIP-1014), or where that factory's own event made it.
//!
//! All numbers are exact integers in the tokens' smallest units; nothing here rounds but [`tick`], which
//! rounds as the contracts do.

mod bound;
pub mod cost;
mod decimal;
mod event;
mod factory;
mod lockers;
pub mod median;
mod pools;
mod price;
pub mod quote;
mod state;
pub mod tick;
pub mod twap;

pub use bound::Bound;
pub use decimal::{DIGITS, Decimal};
pub use event::{
    Created, Decoded, Liquidity, PoolEvent, PoolId, Spot, decode, state_topics, topics,
};
pub use factory::{Factories, Factory, Pair, ParseFactoriesError, id_within};
pub use lockers::lockers;
pub use price::Price;
pub use state::{
    Decimals, Side, State, Ticks, amount, amounts, held_in_ranges, near_in_spacing, near_liquidity,
    whole, whole_at,
};
