//! Usage queries: today, this month, by route, hour by hour, for an invoice.
//!
//! ```text
//! hour rows   who, hour, key, route, chain, status     kept for a while   -> history
//! day sums    who, day                                 kept               -> requests today
//! month sums  who, month                               kept               -> requests this month
//! route sums  who, month, route, chain                 kept               -> top endpoints, invoices
//! ```
//! Invariants: a sum equals its hourly rows. No query adds up hours: each reads a few rows, at any volume.

mod checkpoint;
mod checkpoint_rows;
mod prune;
mod reader;
pub(crate) mod rows;

pub use checkpoint::{AccountUsage, MissingRows, PROOF_ROWS_MAX, UsageCheckpoints};
pub use checkpoint_rows::{CheckpointEvent, UsageCheckpoint};
pub use prune::{Pruned, Pruner};
pub use reader::{
    BilledUsage, CursorError, HISTORY_PAGE_MAX, HistoryPage, HourlyRow, RouteUsage, Totals,
    UsageCursor, UsageReader,
};
pub use rows::UsageSubject;
