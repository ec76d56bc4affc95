use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use superroot_types::{ChainId, Hash, UnixSeconds};

use crate::{AccountError, AccountId, KeyId, KeySecret, Label, RoutePattern, Scope};

/// Stored key, without the secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyRow {
    /// Id, not secret.
    pub id: KeyId,
    pub account: AccountId,
    pub key_prefix: String,
    pub label: Option<Label>,
    pub scope: Scope,
    pub created_at: UnixSeconds,
    /// First second after the owner's expiry; `None` for never.
    pub expires_at: Option<UnixSeconds>,
    /// First second after a rotation's grace.
    pub retires_at: Option<UnixSeconds>,
    pub replaced_by: Option<KeyId>,
    /// Revocation time. A revoked key is refused at any clock reading.
    pub revoked_at: Option<UnixSeconds>,
    pub(crate) hash: Hash,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// In force.
    Active,
    /// In force until the end of a rotation's grace.
    Retiring,
    Expired,
    /// Past a rotation's grace: replaced by another key.
    Rotated,
    Revoked,
}

impl KeyState {
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

impl KeyRow {
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

    /// First second at which time alone invalidates the key.
    #[must_use]
    pub fn ends_at(&self) -> Option<UnixSeconds> {
        [self.expires_at, self.retires_at].into_iter().flatten().min()
    }

    /// Refuses a key that is not in force.
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

/// Account and key of a SHA-256.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyOwner {
    pub(crate) environment: crate::Environment,
    pub(crate) account: AccountId,
    pub(crate) key: KeyId,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewKey {
    pub label: Option<Label>,
    pub scope: Scope,
    /// First second after expiry; `None` for never.
    pub expires_at: Option<UnixSeconds>,
}

/// A key's change; `None` fields stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyChange {
    pub label: Option<Option<Label>>,
    pub chains: Option<Option<BTreeSet<ChainId>>>,
    pub routes: Option<Option<BTreeSet<RoutePattern>>>,
    /// First second after expiry.
    pub expires_at: Option<Option<UnixSeconds>>,
}

/// New key, with its secret for the only time.
#[derive(Debug)]
pub struct CreatedKey {
    /// Secret, to be shown once.
    pub secret: KeySecret,
    pub key: KeyRow,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> KeyRow {
        KeyRow {
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
        let key = KeyRow { revoked_at: Some(UnixSeconds(1_000)), ..key() };
        for now in [0, 999, 1_000, u64::MAX] {
            assert!(matches!(key.check_at(UnixSeconds(now)), Err(AccountError::RevokedKey)));
        }
    }

    #[test]
    fn expiry_and_grace_end_to_the_second_and_the_worse_word_wins() {
        let at = |key: &KeyRow, now| key.state_at(UnixSeconds(now));
        let expiring = KeyRow { expires_at: Some(UnixSeconds(10)), ..key() };
        assert_eq!((at(&expiring, 9), at(&expiring, 10)), (KeyState::Active, KeyState::Expired));
        let error = expiring.check_at(UnixSeconds(10));
        assert!(matches!(error, Err(AccountError::ExpiredKey { at: UnixSeconds(10) })));
        let retiring = KeyRow { retires_at: Some(UnixSeconds(20)), ..expiring.clone() };
        assert_eq!((at(&retiring, 9), at(&retiring, 10)), (KeyState::Retiring, KeyState::Expired));
        assert_eq!(at(&retiring, 20), KeyState::Rotated);
        let error = retiring.check_at(UnixSeconds(20));
        assert!(matches!(error, Err(AccountError::RotatedKey { at: UnixSeconds(20) })));
        let revoked = KeyRow { revoked_at: Some(UnixSeconds(5)), ..retiring.clone() };
        assert_eq!(at(&revoked, 20), KeyState::Revoked);
        assert_eq!(retiring.ends_at(), Some(UnixSeconds(10)));
        assert_eq!(key().ends_at(), None);
    }

    #[test]
    fn a_stored_key_is_read_back_whole_and_an_issued_one_prints_no_secret() {
        let key = key();
        let text = serde_json::to_string(&key).unwrap();
        assert_eq!(serde_json::from_str::<KeyRow>(&text).unwrap(), key);
        let secret = KeySecret::generate(crate::Environment::Test).unwrap();
        let random = secret.expose()[9..].to_owned();
        let printed = format!("{:?}", CreatedKey { secret, key });
        assert!(printed.contains("***") && !printed.contains(&random), "{printed}");
    }
}
