//! Calls of contracts, executed by nodes and forgotten.

use superroot_types::{Address, BlockNumber};

/// What nodes are to execute after a recent block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractCall {
    /// Who calls.
    pub from: Address,
    /// The contract; none: `data` is creation code, and what it returns is the answer.
    pub to: Option<Address>,
    /// Its input.
    pub data: Vec<u8>,
    /// Gas at most.
    pub gas: u64,
    /// Code that stands at `to` for this call alone, with coins to spend: nodes have to allow state overrides.
    pub code: Option<Vec<u8>>,
}

/// What a call returned, as enough nodes say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallAgreement {
    /// The bytes returned.
    pub returned: Vec<u8>,
    /// The block after which it was executed.
    pub block: BlockNumber,
    /// Names of the nodes that agree.
    pub sources: Vec<String>,
}
