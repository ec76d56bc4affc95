//! Watches by key owners: an address or a topic on a chain, from a given block.
//!
//! ```text
//! POST /api/v1/watches ─► row ─► Wanted of the chain ─► the collector's list    new blocks, from the head on
//!                                       └─► lacking ranges ─► repair            blocks that are held already
//! ```
//! A *watch* is an address or a topic on a chain. All watches on a chain are merged with the operator's filter, so an
//! address with two watches is collected once. `from_block` requests already stored blocks; progress is never stored,
//! but read from the coverage, as in answers about events.
//!
//! Invariants: an acknowledged watch survives a crash; only the owner can see or delete a watch.

mod config;
mod error;
mod lacking;
mod row;
mod wanted;
mod watches;

pub use config::WatchConfig;
pub use error::WatchError;
pub use lacking::lacking;
pub use row::{KeyWatch, WatchId, WatchTarget};
pub use wanted::{OwnWatch, WantedByChain, WantedWatch};
pub use watches::{NewWatch, WatchChange, Watches};
