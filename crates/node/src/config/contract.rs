//! Contract on a chain, as `CHAIN=ADDRESS`.

use superroot_account::parse_wallet;
use superroot_types::{Address, ChainId, ChainKey, Family};

/// Contract on a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ContractPlace {
    pub(crate) chain: ChainKey,
    pub(crate) contract: Address,
}

/// Contract in a text; `None` for any other text, and for mixed case without the right checksum (EIP-55).
pub(super) fn parse(text: &str) -> Option<ContractPlace> {
    let (chain, address) = text.split_once('=')?;
    let id = ChainId(chain.trim().parse().ok()?);
    let contract = parse_wallet(address.trim()).ok()?;
    let chain = ChainKey { family: Family::Evm, id };
    Some(ContractPlace { chain, contract })
}
