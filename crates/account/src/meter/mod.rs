//! Counts every request: in memory at once, in the store once a second.
//!
//! ```text
//! request -> Meter::count -> sharded maps -> Flusher::flush -> one commit: hour + day + month rows
//!                            (bounded)       (once a second)               + this node's sequence
//! ```
//! What must always hold: a request is counted at most once; what is lost is lost in the customer's
//! favour (no more than was counted since the last flush when the process is killed; what finds no
//! room is told by `superroot_account_uncounted_total`); the sums of days and months are those of
//! the hours behind them, because one commit writes them all.

mod config;
mod counted;
mod flush;
mod shards;

pub use config::MeterConfig;
pub use counted::{Caller, Counted, Route, StatusClass};
pub use flush::Flusher;
pub use shards::Meter;

pub(crate) use counted::{Sum, Tally};
