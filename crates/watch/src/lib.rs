//! What the owners of keys watch: an address or a topic of a chain, from a block on.
//!
//! ```text
//! POST /api/v1/watches ─► row ─► Wanted of the chain ─► the collector's list    new blocks, from the head on
//!                                       └─► lacking ranges ─► repair            blocks that are held already
//! ```
//! A *watch* is one address or one topic on one chain. What all owners watch on a chain joins what the operator
//! watches: an address that two watch is collected once. `from_block` asks for blocks that are held already; how
//! far that has come is never stored but read off the coverage, which is what the answers about events go by.
//!
//! What must always hold: a watch that was answered is there after a crash; nobody but its owner sees or ends it.

mod config;
mod error;
mod lacking;
mod row;
mod wanted;
mod watches;

pub use config::Config;
pub use error::WatchError;
pub use lacking::lacking;
pub use row::{KeyWatch, Target, WatchId};
pub use wanted::{Wanted, WantedByChain};
pub use watches::{Change, NewWatch, Watches};
