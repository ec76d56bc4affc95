//! EVM family: raw blocks from nodes, consensus bytes, and the conversion.

pub mod encode;
mod encoding;
mod params;
pub(crate) mod quantity;
pub mod raw;
pub mod verify;

pub use encoding::{Encoding, EncodingFrom};
pub use params::EvmParams;
pub use raw::RawEvmBlock;
