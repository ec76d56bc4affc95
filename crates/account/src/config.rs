//! Settings of this crate: each part has its own section.

use serde::{Deserialize, Serialize};

use crate::{AccountError, Environment, MeterConfig};

/// Everything that can be set about accounts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Accounts and keys.
    pub keys: KeysConfig,
    /// Counting of requests.
    pub meter: MeterConfig,
}

/// Settings of accounts and keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KeysConfig {
    /// The world this service serves; keys of the other are unknown.
    pub environment: Environment,
    /// Keys that an account may have in force at one time.
    pub keys_per_account_max: usize,
    /// Wallets that an account may claim or prove.
    pub wallets_per_account_max: usize,
    /// Longest time that a rotated key goes on, in seconds.
    pub rotation_grace_seconds_max: u64,
    /// Keys remembered at one time; a bound on memory.
    pub cached_keys_max: usize,
    /// Registrations an hour from one address prefix; 0: nobody may register.
    pub registrations_per_hour: u32,
    /// Registrations a day from one address prefix; 0: nobody may register.
    pub registrations_per_day: u32,
    /// Address prefixes whose registrations are remembered; a bound on memory.
    pub registrants_max: usize,
}

impl Default for KeysConfig {
    fn default() -> Self {
        Self {
            environment: Environment::Live,
            keys_per_account_max: 20,
            wallets_per_account_max: 16,
            rotation_grace_seconds_max: 7 * 86_400,
            cached_keys_max: 65_536,
            registrations_per_hour: 20,
            registrations_per_day: 100,
            registrants_max: 65_536,
        }
    }
}

impl KeysConfig {
    /// Keys of an account that are kept, with those that are over: older ones are forgotten.
    pub(crate) const fn keys_kept_max(&self) -> usize {
        self.keys_per_account_max.saturating_add(100)
    }

    /// Refuses what cannot be.
    ///
    /// # Errors
    /// [`AccountError::Setting`], with the setting's name.
    pub fn check(&self) -> Result<(), AccountError> {
        let refuse = |name, why| Err(AccountError::Setting { name, why });
        if self.keys_per_account_max == 0 || self.keys_per_account_max > 1_000 {
            return refuse("keys_per_account_max", "expected 1 to 1000");
        }
        if self.wallets_per_account_max == 0 || self.wallets_per_account_max > 100 {
            return refuse("wallets_per_account_max", "expected 1 to 100");
        }
        if self.rotation_grace_seconds_max > 366 * 86_400 {
            return refuse("rotation_grace_seconds_max", "expected at most a year");
        }
        if self.cached_keys_max == 0 {
            return refuse("cached_keys_max", "expected at least 1");
        }
        if self.registrants_max == 0 {
            return refuse("registrants_max", "expected at least 1");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_pass_and_unknown_settings_are_refused() {
        assert!(KeysConfig::default().check().is_ok());
        let read = |text| serde_json::from_str::<Config>(text);
        assert_eq!(read("{}").unwrap(), Config::default());
        let config = read(r#"{"keys":{"environment":"test"}}"#).unwrap();
        assert_eq!(config.keys.environment, Environment::Test);
        assert!(read(r#"{"keys":{"keys_per_acount_max":3}}"#).is_err());
    }

    #[test]
    fn a_setting_that_cannot_be_is_named() {
        let good = KeysConfig::default();
        for (bad, name) in [
            (KeysConfig { keys_per_account_max: 0, ..good.clone() }, "keys_per_account_max"),
            (KeysConfig { wallets_per_account_max: 0, ..good.clone() }, "wallets_per_account_max"),
            (
                KeysConfig { rotation_grace_seconds_max: u64::MAX, ..good.clone() },
                "rotation_grace_seconds_max",
            ),
            (KeysConfig { cached_keys_max: 0, ..good.clone() }, "cached_keys_max"),
            (KeysConfig { registrants_max: 0, ..good.clone() }, "registrants_max"),
        ] {
            let text = bad.check().unwrap_err().to_string();
            assert!(text.contains(name), "{text}");
        }
    }
}
