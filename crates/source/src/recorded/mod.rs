//! Recordings: a folder of blocks once received from nodes, served as a source.
//!
//! ```text
//!   DIR/index.json          [{chainId, network, block, hash, file, ..}, ..]
//!   DIR/<any>/<n>.json.gz   {chainId, network, block, receipts, trimmed?, ..}   one block each
//! ```
//!
//! The block is the node's answer; for the Bitcoin family `{number, hash, raw}`, see `Capture`. Blocks are read and
//! decompressed individually, on request.

mod capture;
mod recorder;
mod recording;
mod recordings;
mod source;

pub(crate) use capture::Capture;
pub use recorder::{RecordStep, Recorder};
pub use recordings::{RecordedChain, Recordings, UnusedRecording};
pub use source::RecordedSource;
