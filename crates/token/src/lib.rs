//! What tokens are called and how many digits they have.
//!
//! ```text
//! tokens.toml, an operator's file ──► [`Tokens`]   well-known ones: symbol, digits, what they stand for
//! nodes that agree ───────────────► [`Book`]     any other: what its contract says, kept in the store
//! ```
//! A symbol is no identity: anybody may call a token "USDC". A search by symbol finds those of the list alone, all that have it, and merges none.
//! What a contract says is bounded before it leaves the node, and made harmless before it is kept.

mod answer;
mod book;
mod inspect;
mod row;
mod tokens;

pub use answer::{Metadata, decode, question};
pub use book::{Book, Known, Unknown};
pub use inspect::{Inspection, TRADER, Trade};
pub use row::Inspected;
pub use tokens::{ParseTokensError, Role, Token, Tokens};
