use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};
use superroot_types::Address;
use uuid::Uuid;

/// Account id: a random UUID, `user_id` in answers (specification 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AccountId(pub Uuid);

/// Key id, not secret: `id` in lists of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeyId(pub Uuid);

macro_rules! random_id {
    ($name:ident) => {
        impl $name {
            /// Generates an id of 122 random bits.
            #[must_use]
            pub fn random() -> Self {
                Self(Uuid::new_v4())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    };
}
random_id!(AccountId);
random_id!(KeyId);

/// A key's environment: production or trials (specification 9.3). Accounts, counts and invoices of one environment are
/// invisible in the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Environment {
    /// Production: keys begin with `svc_live_`.
    Live,
    /// Trials: keys begin with `svc_test_`.
    Test,
}

impl Environment {
    /// Prefix of the environment's keys.
    #[must_use]
    pub const fn key_prefix(self) -> &'static str {
        match self {
            Self::Live => "svc_live_",
            Self::Test => "svc_test_",
        }
    }

    /// First byte of the environment's row keys.
    #[must_use]
    pub const fn byte(self) -> u8 {
        match self {
            Self::Live => 1,
            Self::Test => 2,
        }
    }

    /// Name in configuration, answers and rows.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Test => "test",
        }
    }
}

impl fmt::Display for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A subscription's owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Payer {
    /// A wallet: lifts one account, the last one signed for.
    Wallet(Address),
    /// An account: subscription given by the operator.
    Account(AccountId),
}

impl Payer {
    /// `1 ‖ wallet:20` or `2 ‖ account:16`.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Wallet(wallet) => [&[1][..], &wallet.0].concat(),
            Self::Account(account) => [&[2][..], account.0.as_bytes()].concat(),
        }
    }

    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [1, wallet @ ..] => Some(Self::Wallet(Address(wallet.try_into().ok()?))),
            [2, account @ ..] => Some(Self::Account(AccountId(Uuid::from_slice(account).ok()?))),
            _ => None,
        }
    }
}

/// Unknown environment name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown environment: expected live or test")]
pub struct UnknownEnvironment;

impl FromStr for Environment {
    type Err = UnknownEnvironment;

    fn from_str(text: &str) -> Result<Self, UnknownEnvironment> {
        [Self::Live, Self::Test]
            .into_iter()
            .find(|environment| environment.name() == text)
            .ok_or(UnknownEnvironment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_as_they_are_written_and_differ() {
        let id = AccountId::random();
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_ne!(id, AccountId::random());
        assert!("not-an-id".parse::<KeyId>().is_err());
    }

    #[test]
    fn an_environment_is_read_as_it_is_written() {
        for environment in [Environment::Live, Environment::Test] {
            assert_eq!(environment.name().parse(), Ok(environment));
            assert!(environment.key_prefix().contains(environment.name()));
        }
        assert_eq!("Live".parse::<Environment>(), Err(UnknownEnvironment));
    }
}
