//! Events of pools on decentralised exchanges.
//!
//! ```text
//! log of a proven receipt ──► [`decode`] ──► what happened to a pool ──► [`Price`], [`twap`]
//!                                                    │
//!                              factories.toml ──► whose pool it is ([`Factories`])
//! ```
//! A topic alone identifies nothing: forks share topics, and anyone may emit them. An event is decoded by topic, number
//! of topics and words, each checked against its type. A pool counts if its address follows from a known factory
//! (CREATE2, EIP-1014), or if the factory's own event reports its creation.
//!
//! [`TokenList`] has the symbols and decimals of well-known tokens (`tokens.toml`).
//!
//! All numbers are exact integers in the tokens' smallest units; only [`tick`] rounds, like the contracts.

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
mod tokens;
pub mod twap;

pub use bound::FactoryPool;
pub use decimal::{DIGITS, Decimal};
pub use event::{
    Created, DecodedPoolEvent, Liquidity, PoolEvent, PoolId, Spot, decode, state_topics, topics,
};
pub use factory::{Factories, Factory, Pair, ParseFactoriesError, id_within};
pub use lockers::lockers;
pub use price::Price;
pub use state::{
    Decimals, PoolState, Ticks, TokenSide, amount, amounts, held_in_ranges, near_in_spacing,
    near_liquidity, whole, whole_at,
};
pub use tokens::{ListedToken, ParseTokensError, Role, TOKEN_DECIMALS_MAX, TokenList};
