//! Where an address or topic may be, by the blooms of headers and a filter of each twig.
//!
//! ```text
//! a twig of 2,048 headers           bit 0  bit 1 ...  bit 2047
//!   header 0     ..1....1..           │      │           │        a slice: one bit of all blocks
//!   header 1     1..1......    ──►  ▒▒▒▒▒  ▒▒▒▒▒  ...  ▒▒▒▒▒       an item has three of them: their
//!   ...                                                            common blocks are its candidates
//! ```
//! A *slice* says of each block of a twig whether one bit is set in its header's bloom. What no slice
//! allows is in no such block: headers show it, and headers are proven. A twig whose events are all
//! indexed has a *filter* of every address and topic besides: far fewer candidates, and the service's
//! word. Of the blocks above the last whole twig the headers themselves are looked at.

mod build;
mod filter;
mod rows;
mod search;

#[doc(hidden)]
pub use build::put_twig;
pub use build::{Built, Place, build_next};
pub use search::{Blooms, Candidates, Evidence, Question};
