//! Events by chain, address, topics and range.

mod coverage;
mod filter;
mod search;
mod streams;

pub use coverage::{Gap, gaps, is_followed};
pub use filter::{Filter, PLANNED_MAX};
pub use search::{Found, Hit, Position, Query, find};
