//! What is to be sent.

use superroot_types::Address;

/// Call of a contract that takes each place of a rising sequence once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    pub sequence: u64,
    pub to: Address,
    pub data: Vec<u8>,
    pub gas_limit: u64,
}
