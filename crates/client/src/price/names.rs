//! Names of chains and tokens in a price.

use alloy_primitives::Address;
use superroot_types::{ChainKey, Network};

use super::error::PriceCheckError;

/// Listing name for a chain's factories; simulated chains use Ethereum's.
pub(crate) fn slug(chain: ChainKey, network: Network) -> Option<String> {
    if network == Network::Simulated {
        return Some("ethereum".to_owned());
    }
    let (_, row) = superroot_chain::ChainRegistry::builtin().by_key(chain)?;
    Some(row.slug.clone())
}

pub(super) fn address(text: &str) -> Result<Address, PriceCheckError> {
    let wrong = || {
        PriceCheckError::NoPrice(format!(
            "{} is no address",
            superroot_types::first_chars(text, 60)
        ))
    };
    text.parse().map_err(|_| wrong())
}
