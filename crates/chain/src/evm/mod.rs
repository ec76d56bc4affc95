//! The EVM family: blocks as nodes send them, as consensus hashes them, and the step between.

pub mod encode;
mod quantity;
pub mod raw;
pub mod verify;
