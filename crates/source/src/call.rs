//! What nodes say that no block proves: what contracts return, and what gas costs.

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

/// What gas costs, as nodes say (`eth_gasPrice`): each reckons in its own way, so that none says what another does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GasPrices {
    /// Wei per gas: what half of them say at most, one of each operator.
    pub median: u64,
    /// The lowest.
    pub lowest: u64,
    /// The highest.
    pub highest: u64,
    /// Names of the nodes.
    pub sources: Vec<String>,
}
