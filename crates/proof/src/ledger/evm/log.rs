use alloc::vec::Vec;

use superroot_types::{Address, Hash};

/// Log as committed by its receipt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// Emitting contract.
    pub address: Address,
    /// Topics, at most four.
    pub topics: Vec<Hash>,
    /// Unindexed data.
    pub data: Vec<u8>,
}
