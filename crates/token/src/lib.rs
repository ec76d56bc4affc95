//! Symbols and decimals of tokens.
//!
//! ```text
//! tokens.toml, an operator's file ──► `superroot_dex::TokenList`   well-known ones: symbol, digits, what they stand for
//! nodes that agree ───────────────► [`TokenDirectory`]             any other: what its contract says, kept in the store
//! ```
//! A symbol is not an identity: any contract may call itself "USDC". A search by symbol reads the list alone and
//! returns every match without merging. Contract texts are cut before leaving the node, and sanitised before storage.

mod answer;
mod book;
mod inspect;
mod row;

pub use answer::{Metadata, decode, question};
pub use book::{NoTokenAnswer, TokenDirectory, TokenRecord};
pub use inspect::{Inspection, TRADER, TradePool};
pub use row::InspectionRow;
