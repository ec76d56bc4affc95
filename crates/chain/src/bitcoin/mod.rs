//! The Bitcoin family: whole blocks or bare headers as nodes send them, in the bytes that consensus
//! hashes.
//!
//! ```text
//! raw block ── split ──► header, transactions with and without witness
//!                 │
//!                 ├ hash of the header = the hash claimed, at most its target (work)
//!                 ├ tree over the txids = the header's root, nothing in it twice
//!                 ├ tree over the wtxids = what the coinbase commits to (BIP 141)
//!                 └ height in the coinbase = the number claimed (BIP 34)
//! ```
//!
//! A header alone shows neither its number nor that its target was the one due: both take the
//! headers before it, which [`check_due`] is given as far as they are held.

mod due;
mod params;
pub mod raw;
mod split;
pub mod verify;
mod work;

pub use due::{MEDIAN_BLOCKS, RETARGET_BLOCKS, Retarget, check_due};
pub use params::Params;
pub use raw::{BLOCK_BYTES_MAX, RawBitcoinBlock};
pub(crate) use work::is_canonical_target;
pub use work::{Work, check_work};
