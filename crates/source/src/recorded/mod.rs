//! Recordings: a folder of blocks that once came from nodes, read again as a source.
//!
//! ```text
//!   DIR/index.json          [{chainId, network, block, hash, file, ..}, ..]
//!   DIR/<any>/<n>.json.gz   {chainId, network, block, receipts, trimmed?, ..}   one block each
//! ```
//!
//! The block is what the node sent; of the Bitcoin family `{number, hash, raw}`, see `Capture`.
//!
//! Blocks are read and unzipped one at a time, when they are asked for.

mod capture;
mod recorder;
mod recording;
mod recordings;
mod source;

pub(crate) use capture::Capture;
pub use recorder::{RecordStep, Recorder};
pub use recordings::{LeftOut, RecordedChain, Recordings};
pub use source::RecordedSource;
