//! Kind 11, *work*: Bitcoin's headers, each with its work, from the first of a period on.
//!
//! ```text
//! first header of a period ── 2,016 headers ──► first header of the next
//!            └── headers ──► block N ── as many as are asked for ──► last header
//! ```
//! A header without its parent has 48 bytes: the hash before it stands in. Evidence binds the number. Of two branches
//! the one with more work counts; a client that is shown one sees its work, not that there is no other.
//!
//! Sources: Bitcoin Core `pow.cpp` (`GetNextWorkRequired`, `CalculateNextWorkRequired`), `validation.cpp`
//! (`ContextualCheckBlockHeader`), `chain.h` (`GetMedianTimePast`).

mod headers;
mod params;
mod set;
mod target;

pub use headers::{WORK_HEADER_BYTES, write_headers};
pub use params::WorkParams;
pub use set::WorkSet;
pub use target::{RETARGET_BLOCKS, compact, is_met, retargeted, target};
