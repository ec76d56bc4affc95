//! Small EVM chain in this process, for demos: real accounts, contracts, receipts and state roots, a single block
//! producer.
//!
//! ```text
//! eth_sendRawTransaction ──► pool ──► a block each second (revm) ──► journal ──► BlockSource, JSON-RPC
//! ```
//! A restart executes the journal's transactions again. The chain has Ethereum's rules of Prague without blobs, system
//! contracts and withdrawals.

mod block;
mod chain;
mod error;
mod journal;
mod pool;
mod rpc;
mod source;
mod state;

pub use chain::{Devnet, DevnetConfig};
pub use error::DevnetError;
pub use rpc::answer;
pub use source::DevnetSource;
