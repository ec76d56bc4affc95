//! Request metering: in memory at once, in the store once a second.
//!
//! ```text
//! request -> Meter::count -> sharded maps -> Flusher::flush -> one commit: hour + day + month rows
//!                            (bounded)       (once a second)               + this node's sequence
//! ```
//! Invariants: a request is counted at most once; losses favour the customer (at most the counts since the last flush
//! when the process is killed; counts without room appear in `superroot_account_uncounted_total`); day and month sums
//! equal their hours, because one commit writes all.

mod config;
mod counted;
mod flush;
mod shards;

pub use config::MeterConfig;
pub use counted::{CountedRequest, MeteredCaller, RouteNumber, StatusClass};
pub use flush::Flusher;
pub use shards::Meter;

pub(crate) use counted::{Tally, UsageSum};
