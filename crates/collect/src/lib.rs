//! Source in, verified and final blocks out.
//!
//! ```text
//!            final: rising, each naming the one before it          head: not final, may be undone
//! source ──► fetch ──► chain::verify ──► store (with evidence)     store (without evidence)
//! ```
//! A step fetches a bounded run of final blocks, or, once all of them are held, follows the head.
//! It commits once. What always holds: a final block is never exchanged; between two held
//! neighbours the parent link holds; a block that does not recompute is refused, noted with its
//! source, and never stepped over on a live or simulated chain.

mod collector;
mod error;
mod final_blocks;
mod head_blocks;

pub use collector::{Collector, Config, Progress, Refusal, Step};
pub use error::{CollectError, ErrorKind};
