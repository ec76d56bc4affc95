//! Settings of this crate, one section per part.

use serde::{Deserialize, Serialize};
use superroot_types::OutOfBounds;

use crate::{
    AccountError, Environment, LimitConfig, MeterConfig, MeteredRoute, PlanTable, WalletConfig,
};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AccountConfig {
    pub keys: KeysConfig,
    pub limit: LimitConfig,
    pub plans: PlanTable,
    pub meter: MeterConfig,
    pub wallet: WalletConfig,
    /// All served routes by number, supplied by the server, not by a file.
    #[serde(skip)]
    pub routes: &'static [MeteredRoute],
}

impl AccountConfig {
    /// Checks all settings.
    ///
    /// # Errors
    /// [`AccountError::Config`], [`AccountError::Bounds`] with the path of the first invalid setting.
    pub fn validate(&self) -> Result<(), AccountError> {
        self.keys.validate()?;
        self.wallet.validate()?;
        self.limit.validate()?;
        self.meter.validate()?;
        self.plans.validate()
    }
}

/// Settings of accounts and keys. The tier limits the number of keys:
/// [`PricedTier::keys_max`](crate::PricedTier::keys_max).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KeysConfig {
    /// Served environment; keys of the other one are unknown.
    pub environment: Environment,
    /// Listed keys of an account that are over: 0 to 1,000. Older ones are dropped.
    pub keys_over_max: usize,
    /// Claimed or proven wallets of an account: 1 to 100.
    pub wallets_per_account_max: usize,
    /// Longest grace of a rotated key, in seconds: up to a year.
    pub rotation_grace_seconds_max: u64,
    /// Most cached keys; a memory bound.
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
        let wallets = self.wallets_per_account_max;
        let grace = self.rotation_grace_seconds_max;
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
        assert!(AccountConfig::default().validate().is_ok());
        let read = |text| serde_json::from_str::<AccountConfig>(text);
        assert_eq!(read("{}").unwrap(), AccountConfig::default());
        let config = read(r#"{"keys":{"environment":"test"}}"#).unwrap();
        assert_eq!(config.keys.environment, Environment::Test);
        assert!(read(r#"{"keys":{"cached_key_max":3}}"#).is_err());
    }

    #[test]
    fn a_setting_that_cannot_be_is_named() {
        let keys = KeysConfig { cached_keys_max: 0, ..KeysConfig::default() };
        let text =
            AccountConfig { keys, ..AccountConfig::default() }.validate().unwrap_err().to_string();
        assert_eq!(text, "keys.cached_keys_max is 0, expected 1 to 16777216");
        let limit = LimitConfig { clients_max: 0, ..LimitConfig::default() };
        let text =
            AccountConfig { limit, ..AccountConfig::default() }.validate().unwrap_err().to_string();
        assert!(text.starts_with("limit.clients_max"), "{text}");
    }
}
