//! ICP family: the Internet Computer ledger, a chain with a single transaction per block.
//!
//! ```text
//! encoded block    1 parent_hash ── sha256 of the encoded block before; the first has none
//! (protobuf)       2 timestamp      nanoseconds, as the ledger says
//!                  3 transaction    1 burn | 2 mint | 3 send, 4 memo, 6 created_at_time, 7 icrc1_memo
//!      │
//!      └ sha256 = block hash, which is the root of a tree of this one leaf
//! ```
//!
//! A block is the only leaf in its own tree: level 1 is the encoded block, and the header has the identical bytes. So a
//! second transaction never exists, and a transaction has a single event: its operation.
//!
//! Sources: `rs/ledger_suite/icp/src/lib.rs` (`Block::block_hash`, `Transaction::hash`), `src/validate_endpoints.rs`
//! and `src/gen/ic_ledger.pb.v1.rs` in dfinity/ic.

mod account;
mod entry;
mod header;
mod identity;
mod protobuf;
mod transaction;
mod whole;

pub use account::IcpAccount;
pub use entry::BlockLeaf;
pub use header::{BLOCK_BYTES_MAX, Header};
pub use identity::transaction_hash;
pub use transaction::{DEFAULT_FEE_E8S, Operation, Transaction};
pub use whole::EncodedBlock;

/// Transactions in a block: always 1.
pub const TX_COUNT: u32 = 1;
