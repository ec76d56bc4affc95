//! Configuration of registry contracts.

use std::path::PathBuf;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use superroot_types::{Address, BlockNumber, ChainKey, OutOfBounds};

use super::contract::ContractPlace;

/// Most contracts.
const CONTRACTS_MAX: usize = 16;
/// Longest time for which a payment that is not final gives its tier.
const PROVISIONAL_SECONDS_MAX: u64 = 3_600;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RegistryConfig {
    /// `CHAIN=ADDRESS@BLOCK` each.
    pub(crate) contracts: Vec<String>,
    /// 0 to [`PROVISIONAL_SECONDS_MAX`].
    pub(crate) provisional_seconds: u64,
    /// Payer's key for usage checkpoints; empty: no checkpoints.
    pub(crate) checkpoint_key_file: PathBuf,
}

/// Contract on a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RegistryPlace {
    pub(crate) chain: ChainKey,
    pub(crate) contract: Address,
    /// First block whose events count.
    pub(crate) from: BlockNumber,
}

impl RegistryConfig {
    /// Checks the contracts: all on the chain on which subscriptions are paid.
    pub(crate) fn check(&self, payment_chain_id: u64) -> anyhow::Result<()> {
        let bounds =
            [("provisional_seconds", self.provisional_seconds, 0..=PROVISIONAL_SECONDS_MAX)];
        OutOfBounds::check(bounds).map_err(|error| anyhow::anyhow!("registry.{error}"))?;
        let places = self.places()?;
        if places.len() > CONTRACTS_MAX {
            bail!("registry.contracts names {}, expected at most {CONTRACTS_MAX}", places.len());
        }
        for (at, place) in places.iter().enumerate() {
            let id = place.chain.id;
            if id.0 != payment_chain_id {
                bail!(
                    "registry.contracts names chain {id}, and subscriptions are paid on {payment_chain_id} \
                     (plans.subscription.payment_chain_id)"
                );
            }
            if places[..at].iter().any(|other| other.contract == place.contract) {
                bail!("registry.contracts names a contract twice");
            }
        }
        Ok(())
    }

    /// Contracts, in the order of the configuration.
    pub(crate) fn places(&self) -> anyhow::Result<Vec<RegistryPlace>> {
        let place = |text: &String| {
            place(text).with_context(|| {
                format!(
                    "registry.contracts has {text:?}, expected a chain id, an address and the block of its deployment: \
                     \"8453=0x..@12345678\"; mixed case is a checksum (EIP-55)"
                )
            })
        };
        self.contracts.iter().map(place).collect()
    }
}

/// Contract and block in a text, as `CHAIN=ADDRESS@BLOCK`; `None` for any other text.
pub(super) fn place(text: &str) -> Option<RegistryPlace> {
    let (place, from) = text.rsplit_once('@')?;
    let ContractPlace { chain, contract } = super::contract::parse(place)?;
    Some(RegistryPlace { chain, contract, from: BlockNumber(from.trim().parse().ok()?) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "0x1111111111111111111111111111111111111111";
    const OTHER: &str = "0x2222222222222222222222222222222222222222";

    fn refusal(contracts: &[String], provisional_seconds: u64) -> Option<String> {
        let contracts = contracts.to_vec();
        let config = RegistryConfig { contracts, provisional_seconds, ..RegistryConfig::default() };
        config.check(8_453).err().map(|error| format!("{error:#}"))
    }

    /// The same address on another chain is another contract, which anybody may deploy.
    #[test]
    fn registries_are_on_the_chain_of_payments_each_once_and_nowhere_else() {
        let at = |chain: u64, address: &str| format!("{chain}={address}@7");
        assert_eq!(refusal(&[at(8_453, ONE), at(8_453, OTHER)], 3_600), None);
        for (contracts, words) in [
            (vec![at(84_532, ONE)], "names chain 84532, and subscriptions are paid on 8453"),
            (vec![at(8_453, ONE), at(1, OTHER)], "names chain 1, and subscriptions"),
            (vec![at(8_453, ONE), at(8_453, ONE)], "names a contract twice"),
            (vec![ONE.to_owned()], "expected a chain id, an address and the block"),
            (vec![format!("8453={ONE}")], "expected a chain id, an address and the block"),
            (vec![at(8_453, "0x11")], "expected a chain id, an address and the block"),
            (vec![at(8_453, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD")], "checksum (EIP-55)"),
        ] {
            let said = refusal(&contracts, 0).unwrap_or_default();
            assert!(said.contains(words), "{contracts:?}: {said}");
        }
        let said = refusal(&[], PROVISIONAL_SECONDS_MAX + 1).unwrap_or_default();
        assert!(said.contains("registry.provisional_seconds"), "{said}");
    }
}
