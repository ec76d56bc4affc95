//! Configuration of anchor contracts.

use std::path::PathBuf;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use superroot_types::OutOfBounds;

use super::contract::ContractPlace;

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
        let bounds = [("interval_seconds", self.interval_seconds, 1..=86_400)];
        OutOfBounds::check(bounds).map_err(|error| anyhow::anyhow!("anchor.{error}"))
    }

    /// Contracts, in the order of the configuration.
    pub(crate) fn places(&self) -> anyhow::Result<Vec<ContractPlace>> {
        let place = |text: &String| {
            let place = super::contract::parse(text);
            place.with_context(|| {
                format!(
                    "anchor.contracts has {text:?}, expected a chain id and an address: \"8453=0x..\"; mixed case is \
                     a checksum (EIP-55)"
                )
            })
        };
        self.contracts.iter().map(place).collect()
    }
}
