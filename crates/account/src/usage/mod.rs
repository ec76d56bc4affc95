//! What was counted, as it is asked for: today, this month, by route, hour by hour, for an invoice.
//!
//! ```text
//! hour rows   who, hour, key, route, chain, status     kept for a while   -> history
//! day sums    who, day                                 kept               -> requests today
//! month sums  who, month                               kept               -> requests this month
//! route sums  who, month, route, chain                 kept               -> top endpoints, invoices
//! ```
//! What must always hold: a sum equals the rows of its hours. No answer adds up hours: each is a few
//! rows, however much was counted.

mod prune;
mod reader;
pub(crate) mod rows;

pub use prune::{Pruned, Pruner};
pub use reader::{
    BilledUsage, Cursor, CursorError, HISTORY_PAGE_MAX, HistoryPage, HourlyUsage, RouteUsage,
    Totals, Usage,
};
pub use rows::Subject;
