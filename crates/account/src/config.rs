//! Settings of this crate: each part has its own section.

use serde::{Deserialize, Serialize};
use superroot_types::OutOfBounds;

use crate::{
    AccountError, Environment, LimitConfig, MeterConfig, MeteredRoute, Plans, WalletConfig,
};

/// Everything that can be set about accounts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Accounts and keys.
    pub keys: KeysConfig,
    /// Limits of callers.
    pub limit: LimitConfig,
    /// Tiers, prices and commercial models.
    pub plans: Plans,
    /// Counting of requests.
    pub meter: MeterConfig,
    /// Proofs of wallets.
    pub wallet: WalletConfig,
    /// Every route that is served, by number. Given by whoever serves them, not by a file.
    #[serde(skip)]
    pub routes: &'static [MeteredRoute],
}

impl Config {
    /// Refuses what cannot be.
    ///
    /// # Errors
    /// [`AccountError::Config`], [`AccountError::Bounds`] with the path of the first that is wrong.
    pub fn validate(&self) -> Result<(), AccountError> {
        self.keys.validate()?;
        self.wallet.validate()?;
        self.limit.validate()?;
        self.meter.validate()?;
        self.plans.validate()
    }
}

/// Settings of accounts and keys. How many keys an account may have is its tier's:
/// [`TierPlan::keys_max`](crate::TierPlan::keys_max).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KeysConfig {
    /// The world this service serves; keys of the other are unknown.
    pub environment: Environment,
    /// Keys of an account that are over and still listed: 0 to 1,000. Older ones are forgotten.
    pub keys_over_max: usize,
    /// Wallets that an account may claim or prove: 1 to 100.
    pub wallets_per_account_max: usize,
    /// Longest time that a rotated key goes on, in seconds: up to a year.
    pub rotation_grace_seconds_max: u64,
    /// Keys remembered at one time; a bound on memory.
    pub cached_keys_max: usize,
}

impl Default for KeysConfig {
    fn default() -> Self {
        Self {
            environment: Environment::Live,
            keys_over_max: 100,
            wallets_per_account_max: 16,
            rotation_grace_seconds_max: 7 * 86_400,
            cached_keys_max: 65_536,
        }
    }
}

impl KeysConfig {
    fn validate(&self) -> Result<(), AccountError> {
        let (wallets, grace) = (self.wallets_per_account_max, self.rotation_grace_seconds_max);
        OutOfBounds::check([
            ("keys.keys_over_max", self.keys_over_max as u64, 0..=1_000),
            ("keys.wallets_per_account_max", wallets as u64, 1..=100),
            ("keys.rotation_grace_seconds_max", grace, 0..=366 * 86_400),
            ("keys.cached_keys_max", self.cached_keys_max as u64, 1..=1 << 24),
        ])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_pass_and_unknown_settings_are_refused() {
        assert!(Config::default().validate().is_ok());
        let read = |text| serde_json::from_str::<Config>(text);
        assert_eq!(read("{}").unwrap(), Config::default());
        let config = read(r#"{"keys":{"environment":"test"}}"#).unwrap();
        assert_eq!(config.keys.environment, Environment::Test);
        assert!(read(r#"{"keys":{"cached_key_max":3}}"#).is_err());
    }

    #[test]
    fn a_setting_that_cannot_be_is_named() {
        let keys = KeysConfig { cached_keys_max: 0, ..KeysConfig::default() };
        let text = Config { keys, ..Config::default() }.validate().unwrap_err().to_string();
        assert_eq!(text, "keys.cached_keys_max is 0, expected 1 to 16777216");
        let limit = LimitConfig { clients_max: 0, ..LimitConfig::default() };
        let text = Config { limit, ..Config::default() }.validate().unwrap_err().to_string();
        assert!(text.starts_with("limit.clients_max"), "{text}");
    }
}
