//! Contract on a chain, as `CHAIN=ADDRESS`.

use superroot_types::{Address, ChainId, ChainKey, Family};

/// Chain and address; `None` for any other text.
pub(super) fn parse(text: &str) -> Option<(ChainKey, Address)> {
    let (chain, address) = text.split_once('=')?;
    let id = ChainId(chain.trim().parse().ok()?);
    let address: alloy_primitives::Address = address.trim().parse().ok()?;
    Some((ChainKey { family: Family::Evm, id }, Address(address.into_array())))
}
