//! The EVM family: blocks as nodes send them, as consensus hashes them, and the step between.

pub mod encode;
mod encoding;
mod params;
pub(crate) mod quantity;
pub mod raw;
pub mod verify;

pub use encoding::{Encoding, EncodingFrom};
pub use params::Params;
