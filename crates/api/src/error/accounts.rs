//! Errors of accounts as errors of answers.

use superroot_account::AccountError;
use superroot_billing::BillingError;
use superroot_types::ErrorKind;

use super::{ApiError, WalletError};

/// The error of an answer for one of accounts.
pub(crate) fn of_account(error: AccountError) -> ApiError {
    let text = error.to_string();
    let parameter =
        |name: &str| ApiError::Refused { parameter: name.to_owned(), why: text.clone() };
    match error {
        AccountError::NotAKey { .. } => ApiError::InvalidKey { reason: "malformed", why: text },
        AccountError::UnknownKey => ApiError::InvalidKey { reason: "unknown", why: text },
        AccountError::OtherEnvironment { .. } => {
            ApiError::InvalidKey { reason: "other_environment", why: text }
        }
        AccountError::RotatedKey { .. } => ApiError::InvalidKey { reason: "rotated", why: text },
        AccountError::RevokedKey => ApiError::InvalidKey { reason: "revoked", why: text },
        AccountError::ExpiredKey { .. } => ApiError::InvalidKey { reason: "expired", why: text },
        AccountError::ClosedAccount => ApiError::InvalidKey { reason: "closed", why: text },
        AccountError::Beyond { .. } => ApiError::Beyond { why: text },
        AccountError::NoIntegrator => ApiError::NotIntegrator { why: text },
        AccountError::NoSuchKey { .. } => ApiError::UnknownKeyId { why: text },
        AccountError::UnknownAccount { .. } => ApiError::UnknownAccount { why: text },
        AccountError::KeyState { .. } => ApiError::KeyState { why: text },
        AccountError::Full { .. } => ApiError::Full { why: text },
        AccountError::Registrations { retry_after_seconds: retry_after, refused, .. } => {
            ApiError::Registrations { why: text, retry_after, refused }
        }
        AccountError::Address { .. } => parameter("wallet_address"),
        AccountError::Message { .. } => parameter("message"),
        AccountError::Signature { .. } => WalletError::Signature { why: text }.into(),
        AccountError::UnknownChallenge => WalletError::UnknownChallenge { why: text }.into(),
        AccountError::ExpiredChallenge { .. } => WalletError::ExpiredChallenge { why: text }.into(),
        AccountError::Tries => WalletError::SpentChallenge { why: text }.into(),
        AccountError::ChallengesOpen { retry_after_seconds: retry_after, .. } => {
            WalletError::TooManyChallenges { why: text, retry_after }.into()
        }
        AccountError::ContractWallet { .. } => WalletError::Contract { why: text }.into(),
        AccountError::NoContractNodes { .. } => WalletError::NoContractNodes { why: text }.into(),
        // our clock was set back, or another node's is ahead
        AccountError::EarlyChallenge { .. } => {
            tracing::warn!(error = %error, "clocks of the nodes of this service differ");
            ApiError::AccountsUnavailable
        }
        AccountError::Scope { .. } | AccountError::NoSuchRoute { .. } => parameter("routes"),
        AccountError::Text { field, .. } | AccountError::KeyInText { field } => parameter(field),
        AccountError::Range { what, .. } => parameter(what),
        AccountError::Month { .. } => parameter("month"),
        other if other.kind() == ErrorKind::Unavailable => {
            tracing::warn!(error = %other, "accounts could not be read or written");
            ApiError::AccountsUnavailable
        }
        other => {
            tracing::error!(error = %other, "accounts failed");
            ApiError::Internal
        }
    }
}

/// The error of an answer for one of billing. No route changes anything there.
pub(crate) fn of_billing(error: BillingError) -> ApiError {
    match error {
        BillingError::Account(error) => of_account(error),
        BillingError::Store(error) => of_account(error.into()),
        other if other.kind() == ErrorKind::Unavailable => {
            tracing::warn!(error = %other, "the money of accounts could not be read");
            ApiError::AccountsUnavailable
        }
        other => {
            tracing::error!(error = %other, "the money of accounts failed");
            ApiError::Internal
        }
    }
}

#[cfg(test)]
mod tests {
    use superroot_account::Environment;
    use superroot_account::limit::{Allowance, Bound, Policy};
    use superroot_store::StoreError;

    use super::*;

    #[test]
    fn what_refuses_a_key_is_401_and_nothing_else_is() {
        let at = superroot_types::UnixSeconds(1);
        let (limit, remaining, next_after) = (2, 0, 1);
        let allowance =
            Allowance { limit, remaining, reset: at, next_after, retry_after: Some(next_after) };
        let refused = Bound { policy: Policy::RegistrationsHour, allowance };
        let errors = [
            AccountError::NotAKey { why: "too short" },
            AccountError::UnknownKey,
            AccountError::OtherEnvironment { got: Environment::Live, expected: Environment::Test },
            AccountError::RevokedKey,
            AccountError::RotatedKey { at: superroot_types::UnixSeconds(1) },
            AccountError::ExpiredKey { at: superroot_types::UnixSeconds(1) },
            AccountError::ClosedAccount,
            AccountError::Beyond { what: "x" },
            AccountError::NoIntegrator,
            AccountError::Full { what: "keys", expected: 1 },
            AccountError::Registrations {
                per_hour: 2,
                per_day: 3,
                retry_after_seconds: 1,
                refused,
            },
            AccountError::Store(StoreError::Dead),
            AccountError::Randomness,
            AccountError::Signature { why: "x" },
            AccountError::UnknownChallenge,
            AccountError::EarlyChallenge { at: superroot_types::UnixSeconds(1) },
        ];
        for error in errors {
            let refuses = error.refuses_key();
            let text = error.to_string();
            assert_eq!(of_account(error).row().status == 401, refuses, "{text}");
        }
    }

    /// What may work later says when; what never will does not.
    #[test]
    fn what_is_wrong_with_a_proof_of_a_wallet_has_a_code_of_its_own() {
        let (chain, at) = (superroot_types::ChainId(8_453), superroot_types::UnixSeconds(1));
        let open = AccountError::ChallengesOpen { expected: 20, retry_after_seconds: 7 };
        for (error, status, code, retry_after) in [
            (AccountError::Message { why: "x" }, 400, "invalid_parameter", None),
            (AccountError::Signature { why: "x" }, 400, "invalid_signature", None),
            (AccountError::UnknownChallenge, 404, "unknown_challenge", None),
            (AccountError::ExpiredChallenge { at }, 410, "challenge_expired", None),
            (AccountError::Tries, 409, "challenge_spent", None),
            (open, 429, "challenges_limited", Some(7)),
            (AccountError::ContractWallet { chain }, 503, "contract_wallet_unavailable", Some(5)),
            (AccountError::NoContractNodes { chain }, 400, "contract_wallet_unsupported", None),
            (AccountError::EarlyChallenge { at }, 503, "accounts_unavailable", Some(5)),
        ] {
            let error = of_account(error);
            assert_eq!((error.row().status, error.row().code), (status, code), "{error}");
            assert_eq!(error.retry_after(), retry_after, "{error}");
            assert_eq!(error.row().retryable, retry_after.is_some(), "{error}");
        }
    }

    #[test]
    fn what_our_store_says_stays_in_the_log() {
        let error = of_account(AccountError::Store(StoreError::Dead));
        assert!(!error.to_string().contains("store"), "{error}");
        assert!(error.row().status >= 500);
    }
}
