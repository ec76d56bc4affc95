//! Event search by chain, address, topics and range.

mod coverage;
mod filter;
mod search;
mod streams;

pub use coverage::{EventGap, gaps, is_followed};
pub use filter::{EventFilter, PLANNED_MAX};
pub use search::{EventQuery, Hit, Position, SearchResult, find};
