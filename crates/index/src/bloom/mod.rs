//! Candidate blocks for an address or topic, from header blooms and a filter for each twig.
//!
//! ```text
//! a twig of 2,048 headers           bit 0  bit 1 ...  bit 2047
//!   header 0     ..1....1..           │      │           │        a slice: one bit of all blocks
//!   header 1     1..1......    ──►  ▒▒▒▒▒  ▒▒▒▒▒  ...  ▒▒▒▒▒       an item has three of them: their
//!   ...                                                            common blocks are its candidates
//! ```
//! A *slice* has one bloom bit for each block of a twig. An item excluded by its slices is in no such block: headers
//! show this, and headers are proven. A fully indexed twig also has a *filter* of every address and topic: far fewer
//! candidates, but only the service's word. Above the last whole twig the headers themselves are read.

mod build;
mod filter;
mod rows;
mod search;

#[doc(hidden)]
pub use build::put_twig;
pub use build::{BuildCursor, Built, build_next};
pub use search::{BloomEvidence, BloomQuestion, Blooms, Candidates};
