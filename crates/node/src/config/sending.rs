//! Limits of the service's transactions.

use serde::{Deserialize, Serialize};
use superroot_outbox::FeeLimits;
use superroot_types::OutOfBounds;

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SendingConfig {
    pub(crate) fee_per_gas_max_wei: u64,
    pub(crate) wei_per_day_max: u64,
    pub(crate) raise_after_seconds: u64,
}

impl SendingConfig {
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        let bounds = [
            ("raise_after_seconds", self.raise_after_seconds, 5..=3_600),
            ("fee_per_gas_max_wei", self.fee_per_gas_max_wei, 1..=u64::MAX),
            ("wei_per_day_max", self.wei_per_day_max, 1..=u64::MAX),
        ];
        OutOfBounds::check(bounds).map_err(|error| anyhow::anyhow!("sending.{error}"))
    }

    pub(crate) const fn limits(&self) -> FeeLimits {
        FeeLimits {
            fee_per_gas_max: self.fee_per_gas_max_wei as u128,
            wei_per_day_max: self.wei_per_day_max as u128,
            raise_after_seconds: self.raise_after_seconds,
        }
    }
}
