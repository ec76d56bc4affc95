//! What tokens are called and how many digits they have.
//!
//! ```text
//! tokens.toml, an operator's file ──► [`Tokens`]   well-known ones: symbol, digits, what they stand for
//! ```
//! A symbol is no identity: anybody may call a token "USDC". A search by symbol finds all that have it.

mod tokens;

pub use tokens::{ParseTokensError, Role, Token, Tokens};
