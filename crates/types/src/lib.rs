//! Shared vocabulary: chains, numbers, positions, hashes, levels, time, error kinds, short texts. No I/O, `no_std` +
//! `alloc`.
//!
//! ```
//! use superroot_types::{BlockNumber, ChainId, ChainKey, Family, Hash, TwigIndex};
//! let ethereum = ChainKey { family: Family::Evm, id: ChainId(1) };
//! assert_eq!(ethereum.to_string(), "evm:1");
//! assert_eq!(BlockNumber(4_097).twig_index(), TwigIndex(2));
//! assert!("0x00".parse::<Hash>().is_err());
//! ```

#![warn(missing_docs)]
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod bounds;
mod chain;
mod error_kind;
mod hash;
mod json_text;
mod level;
mod origin;
mod position;
mod reference;
#[cfg(feature = "std")]
mod retry_after;
#[cfg(feature = "schema")]
mod schema;
#[cfg(feature = "serde")]
mod serde_impls;
mod text;
mod time;

pub use bounds::OutOfBounds;
pub use chain::{
    BlockNumber, ChainId, ChainKey, Family, SAFE_INTEGER_MAX, TWIG_BLOCKS, TWIG_HEIGHT,
    UnknownFamily,
};
pub use error_kind::ErrorKind;
pub use hash::{Address, Hash, ParseHexError};
pub use json_text::{OtherEncoding, json_text};
pub use level::{Network, ProofLevel, UnknownNetwork};
pub use origin::{is_plain_origin, shown_origin};
pub use position::{LeafCount, LeafIndex, LogSize, RowIndex, Sequence, TwigIndex, TwigSlot};
pub use reference::{BlockRef, SuperRootRef};
#[cfg(feature = "std")]
pub use retry_after::retry_after;
pub use text::{first_chars, one_line, plain, shorten};
#[cfg(feature = "std")]
pub use time::SystemClock;
pub use time::{Clock, ManualClock, UnixSeconds, duration_text};
#[cfg(feature = "schema")]
#[doc(hidden)]
pub use utoipa;
