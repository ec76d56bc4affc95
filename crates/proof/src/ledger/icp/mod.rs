//! The ICP family: the ledger of the Internet Computer, a chain of blocks with one transaction each.
//!
//! ```text
//! encoded block    1 parent_hash ── sha256 of the encoded block before; the first has none
//! (protobuf)       2 timestamp      nanoseconds, as the ledger says
//!                  3 transaction    1 burn | 2 mint | 3 send, 4 memo, 6 created_at_time, 7 icrc1_memo
//!      │
//!      └ sha256 = block hash, which is the root of a tree of this one leaf
//! ```
//!
//! A block is the only leaf of its own tree: level 1 is the encoded block, and the header is the same
//! bytes. So there is never a second transaction, and a transaction has one event: its operation.
//!
//! Sources: `rs/ledger_suite/icp/src/lib.rs` (`Block::block_hash`, `Transaction::hash`),
//! `src/validate_endpoints.rs` and `src/gen/ic_ledger.pb.v1.rs` of dfinity/ic.

mod account;
mod entry;
mod header;
mod identity;
mod protobuf;
mod transaction;
mod whole;

pub use account::AccountId;
pub use entry::BlockLeaf;
pub use header::{BLOCK_BYTES_MAX, Header};
pub use identity::transaction_hash;
pub use transaction::{DEFAULT_FEE_E8S, Operation, Transaction};
pub use whole::EncodedBlock;

/// Transactions of a block: always one.
pub const TX_COUNT: u32 = 1;
