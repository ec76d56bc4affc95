//! Unproven node statements: contract call results and gas prices.

use superroot_types::{Address, BlockNumber};

/// Contract call to execute after a recent block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractCall {
    pub from: Address,
    /// Contract; `None`: `data` is creation code, and the answer is the returned bytes.
    pub to: Option<Address>,
    pub data: Vec<u8>,
    pub gas: u64,
    /// Code placed at `to` for this call only, with coins to spend: nodes must allow state overrides.
    pub code: Option<Vec<u8>>,
}

/// Contract call result with enough agreeing nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallAgreement {
    pub returned: Vec<u8>,
    /// Execution takes place after this block.
    pub block: BlockNumber,
    pub sources: Vec<String>,
}

/// Contract call result and the caller's transaction count after the same block, with enough agreeing nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountAgreement {
    /// Nonce of the caller's next transaction.
    pub transaction_count: u64,
    pub returned: Vec<u8>,
    /// Execution takes place after this block.
    pub block: BlockNumber,
    pub sources: Vec<String>,
}

/// Gas prices from several nodes (`eth_gasPrice`). Each node estimates differently, so values differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GasPrices {
    /// Median in wei per gas (lower middle value), a single value per operator.
    pub median: u64,
    /// Lowest value, in wei per gas.
    pub lowest: u64,
    /// Highest value, in wei per gas.
    pub highest: u64,
    pub sources: Vec<String>,
}
