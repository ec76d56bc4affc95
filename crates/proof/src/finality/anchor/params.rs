//! Constants.

use alloc::vec::Vec;

use superroot_types::{Address, BlockNumber, ChainId, ChainKey};

use crate::finality::beacon::BeaconParams;
use crate::registry::HashRule;

/// Contract form on Ethereum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnchorForm {
    /// `AnchorStateRegistry` of the OP stack: the newest won game.
    Registry,
    /// `Outbox` of Arbitrum: block hashes by send root.
    Outbox,
}

/// A contract on Ethereum, by Ethereum block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnchorContract {
    /// First Ethereum block.
    pub from: BlockNumber,
    /// Proxy address.
    pub address: Address,
}

/// Constants of Ethereum, and of a rollup's contract there: the client's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnchorParams {
    /// The rollup.
    pub chain: ChainId,
    /// Ethereum, the signing chain.
    pub ethereum: ChainKey,
    /// Ethereum's committees.
    pub beacon: BeaconParams,
    /// Rule for Ethereum's headers.
    pub ethereum_rule: HashRule,
    /// Rule for the rollup's headers.
    pub rule: HashRule,
    /// Contract form.
    pub contract: AnchorForm,
    /// Contracts by rising block.
    pub contracts: Vec<AnchorContract>,
    /// Ring slots in the rollup's history contract (EIP-2935), 0 for none.
    pub history_blocks: u64,
}

impl AnchorParams {
    /// Contract at an Ethereum block; `None` before the first.
    #[must_use]
    pub fn contract_at(&self, number: BlockNumber) -> Option<Address> {
        let known = self.contracts.iter().rev().find(|contract| contract.from <= number);
        known.map(|contract| contract.address)
    }
}
