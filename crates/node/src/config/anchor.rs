//! Configuration of anchor contracts.

use std::path::PathBuf;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use superroot_outbox::FeeLimits;
use superroot_types::{Address, ChainKey, OutOfBounds};

/// Most contracts.
const CONTRACTS_MAX: usize = 16;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnchorConfig {
    /// `CHAIN=ADDRESS` each.
    pub(crate) contracts: Vec<String>,
    /// Key of the account that pays.
    pub(crate) payer_key_file: PathBuf,
    pub(crate) interval_seconds: u64,
    pub(crate) fee_per_gas_max_wei: u64,
    pub(crate) wei_per_day_max: u64,
    pub(crate) raise_after_seconds: u64,
}

/// Anchor contract on a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AnchorPlace {
    pub(crate) chain: ChainKey,
    pub(crate) contract: Address,
}

impl AnchorConfig {
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        let places = self.places()?;
        if places.len() > CONTRACTS_MAX {
            bail!("anchor.contracts names {}, expected at most {CONTRACTS_MAX}", places.len());
        }
        for (at, place) in places.iter().enumerate() {
            if places[..at].iter().any(|other| other.chain == place.chain) {
                bail!("anchor.contracts names chain {} twice", place.chain.id);
            }
        }
        if !places.is_empty() && self.payer_key_file.as_os_str().is_empty() {
            bail!(
                "anchor.contracts names contracts, and anchor.payer_key_file no account that pays: make one with \
                 superroot wallet new --key-file FILE"
            );
        }
        let bounds = [
            ("interval_seconds", self.interval_seconds, 1..=86_400),
            ("raise_after_seconds", self.raise_after_seconds, 5..=3_600),
            ("fee_per_gas_max_wei", self.fee_per_gas_max_wei, 1..=u64::MAX),
            ("wei_per_day_max", self.wei_per_day_max, 1..=u64::MAX),
        ];
        OutOfBounds::check(bounds).map_err(|error| anyhow::anyhow!("anchor.{error}"))
    }

    /// Contracts, in the order of the configuration.
    pub(crate) fn places(&self) -> anyhow::Result<Vec<AnchorPlace>> {
        let place = |text: &String| {
            let place = super::contract::parse(text);
            let place = place.map(|(chain, contract)| AnchorPlace { chain, contract });
            place.with_context(|| {
                format!("anchor.contracts has {text:?}, expected a chain id and an address: \"8453=0x..\"")
            })
        };
        self.contracts.iter().map(place).collect()
    }

    pub(crate) const fn limits(&self) -> FeeLimits {
        FeeLimits {
            fee_per_gas_max: self.fee_per_gas_max_wei as u128,
            wei_per_day_max: self.wei_per_day_max as u128,
            raise_after_seconds: self.raise_after_seconds,
        }
    }
}
