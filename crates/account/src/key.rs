//! A key: what an account shows to be served.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use superroot_types::{ChainId, Hash, UnixSeconds};

use crate::{AccountError, AccountId, KeyId, Label, RoutePattern, Scope, Secret};

/// A key as it is kept: everything but the key itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// Its name, which is no secret.
    pub id: KeyId,
    /// Whose it is.
    pub account: AccountId,
    /// Its first characters.
    pub key_prefix: String,
    /// What its owner calls it.
    pub label: Option<Label>,
    /// What it is confined to.
    pub scope: Scope,
    /// When it was made.
    pub created_at: UnixSeconds,
    /// First second it is refused, as its owner chose; none: never.
    pub expires_at: Option<UnixSeconds>,
    /// First second it is refused after a rotation.
    pub retires_at: Option<UnixSeconds>,
    /// The key that took its place.
    pub replaced_by: Option<KeyId>,
    /// When it was revoked. It is refused whatever the clock says.
    pub revoked_at: Option<UnixSeconds>,
    /// SHA-256 of the key.
    pub(crate) hash: Hash,
}

/// Where a key stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// In force.
    Active,
    /// In force until a rotation's grace is over.
    Retiring,
    /// Past its expiry.
    Expired,
    /// Past a rotation's grace: another key has its place.
    Rotated,
    /// Revoked.
    Revoked,
}

impl KeyState {
    /// The word used in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Retiring => "retiring",
            Self::Expired => "expired",
            Self::Rotated => "rotated",
            Self::Revoked => "revoked",
        }
    }
}

impl Key {
    /// Where it stands at `now`.
    #[must_use]
    pub fn state_at(&self, now: UnixSeconds) -> KeyState {
        let is_past = |time: Option<UnixSeconds>| time.is_some_and(|time| time <= now);
        if self.revoked_at.is_some() {
            // rotated without grace, it was never taken away otherwise
            let is_rotated = self.replaced_by.is_some() && self.retires_at == self.revoked_at;
            if is_rotated { KeyState::Rotated } else { KeyState::Revoked }
        } else if is_past(self.retires_at) {
            KeyState::Rotated
        } else if is_past(self.expires_at) {
            KeyState::Expired
        } else if self.retires_at.is_some() {
            KeyState::Retiring
        } else {
            KeyState::Active
        }
    }

    /// First second it is refused by time alone.
    #[must_use]
    pub fn ends_at(&self) -> Option<UnixSeconds> {
        [self.expires_at, self.retires_at].into_iter().flatten().min()
    }

    /// Refuses a key that is not in force.
    ///
    /// # Errors
    /// [`AccountError::RevokedKey`], [`AccountError::RotatedKey`], [`AccountError::ExpiredKey`].
    pub(crate) fn check_at(&self, now: UnixSeconds) -> Result<(), AccountError> {
        match (self.state_at(now), self.expires_at, self.retires_at) {
            (KeyState::Active | KeyState::Retiring, _, _) => Ok(()),
            (KeyState::Expired, Some(at), _) => Err(AccountError::ExpiredKey { at }),
            (KeyState::Rotated, _, Some(at)) => Err(AccountError::RotatedKey { at }),
            (KeyState::Expired | KeyState::Rotated | KeyState::Revoked, _, _) => {
                Err(AccountError::RevokedKey)
            }
        }
    }
}

/// Which key of which account a SHA-256 stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyOwner {
    pub(crate) environment: crate::Environment,
    pub(crate) account: AccountId,
    pub(crate) key: KeyId,
}

/// What a new key is to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewKey {
    /// What its owner calls it.
    pub label: Option<Label>,
    /// What it is confined to.
    pub scope: Scope,
    /// First second it is refused; none: never.
    pub expires_at: Option<UnixSeconds>,
}

/// What is to change of a key; none: stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyChange {
    /// What its owner calls it.
    pub label: Option<Option<Label>>,
    /// Chains it is confined to.
    pub chains: Option<Option<BTreeSet<ChainId>>>,
    /// Routes it is confined to.
    pub routes: Option<Option<BTreeSet<RoutePattern>>>,
    /// First second it is refused.
    pub expires_at: Option<Option<UnixSeconds>>,
}

/// A key just made: the only time its text is there.
#[derive(Debug)]
pub struct IssuedKey {
    /// The key itself, to be shown once.
    pub secret: Secret,
    /// What is kept of it.
    pub key: Key,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> Key {
        Key {
            id: KeyId::random(),
            account: AccountId::random(),
            key_prefix: "svc_test_00000000".into(),
            label: None,
            scope: Scope::default(),
            created_at: UnixSeconds(1),
            expires_at: None,
            retires_at: None,
            replaced_by: None,
            revoked_at: None,
            hash: Hash([1; 32]),
        }
    }

    #[test]
    fn a_revoked_key_is_refused_at_any_time_of_any_clock() {
        let key = Key { revoked_at: Some(UnixSeconds(1_000)), ..key() };
        for now in [0, 999, 1_000, u64::MAX] {
            assert!(matches!(key.check_at(UnixSeconds(now)), Err(AccountError::RevokedKey)));
        }
    }

    #[test]
    fn expiry_and_grace_end_to_the_second_and_the_worse_word_wins() {
        let at = |key: &Key, now| key.state_at(UnixSeconds(now));
        let expiring = Key { expires_at: Some(UnixSeconds(10)), ..key() };
        assert_eq!((at(&expiring, 9), at(&expiring, 10)), (KeyState::Active, KeyState::Expired));
        let error = expiring.check_at(UnixSeconds(10));
        assert!(matches!(error, Err(AccountError::ExpiredKey { at: UnixSeconds(10) })));
        let retiring = Key { retires_at: Some(UnixSeconds(20)), ..expiring.clone() };
        assert_eq!((at(&retiring, 9), at(&retiring, 10)), (KeyState::Retiring, KeyState::Expired));
        assert_eq!(at(&retiring, 20), KeyState::Rotated);
        let error = retiring.check_at(UnixSeconds(20));
        assert!(matches!(error, Err(AccountError::RotatedKey { at: UnixSeconds(20) })));
        let revoked = Key { revoked_at: Some(UnixSeconds(5)), ..retiring.clone() };
        assert_eq!(at(&revoked, 20), KeyState::Revoked);
        assert_eq!(retiring.ends_at(), Some(UnixSeconds(10)));
        assert_eq!(key().ends_at(), None);
    }

    #[test]
    fn a_stored_key_is_read_back_whole_and_an_issued_one_prints_no_secret() {
        let key = key();
        let text = serde_json::to_string(&key).unwrap();
        assert_eq!(serde_json::from_str::<Key>(&text).unwrap(), key);
        let secret = Secret::generate(crate::Environment::Test).unwrap();
        let random = secret.expose()[9..].to_owned();
        let printed = format!("{:?}", IssuedKey { secret, key });
        assert!(printed.contains("***") && !printed.contains(&random), "{printed}");
    }
}
