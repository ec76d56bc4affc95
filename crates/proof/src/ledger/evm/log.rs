//! Logs, as receipts hold them.

use alloc::vec::Vec;

use superroot_types::{Address, Hash};

/// A log, as its receipt commits to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// Contract that emitted it.
    pub address: Address,
    /// Up to four topics.
    pub topics: Vec<Hash>,
    /// Unindexed data.
    pub data: Vec<u8>,
}
