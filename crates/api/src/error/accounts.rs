//! Account errors as API errors, with their codes.

use superroot_account::AccountError;
use superroot_billing::BillingError;
use superroot_store::StoreError;
use superroot_types::ErrorKind;

use super::ApiError;
use super::codes::*;

pub(crate) fn of_account(error: AccountError) -> ApiError {
    let text = error.to_string();
    let new = |code| ApiError::new(code, text.clone());
    let parameter = |name: &str| new(INVALID_PARAMETER).at(name);
    let invalid_key = |reason: &str| {
        let detail = format!("{text}; expected a key in force of this service, or none");
        ApiError::new(INVALID_API_KEY, detail).with("reason", reason)
    };
    match error {
        AccountError::NotAKey { .. } => invalid_key("malformed"),
        AccountError::UnknownKey => invalid_key("unknown"),
        AccountError::OtherEnvironment { .. } => invalid_key("other_environment"),
        AccountError::RotatedKey { .. } => invalid_key("rotated"),
        AccountError::RevokedKey => invalid_key("revoked"),
        AccountError::ExpiredKey { .. } => invalid_key("expired"),
        AccountError::ClosedAccount => invalid_key("closed"),
        AccountError::Beyond { .. } => new(BEYOND_KEY),
        AccountError::NoIntegrator => {
            let detail = format!("{text}; sub-accounts are for integrators, see /api/v1/plans");
            ApiError::new(INTEGRATOR_REQUIRED, detail)
        }
        AccountError::NoSuchKey { .. } => new(UNKNOWN_KEY),
        AccountError::UnknownAccount { .. } => new(UNKNOWN_ACCOUNT),
        AccountError::KeyState { .. } => new(KEY_NOT_ACTIVE),
        AccountError::Full { .. } => new(LIMIT_REACHED),
        AccountError::Registrations { retry_after_seconds, refused } => new(REGISTRATIONS_LIMITED)
            .again_after(retry_after_seconds)
            .by_limit("registrations", refused),
        AccountError::Address { .. } => parameter("wallet_address"),
        AccountError::Message { .. } => parameter("message"),
        AccountError::Signature { .. } | AccountError::NoContracts { .. } => {
            new(INVALID_SIGNATURE).at("signature")
        }
        AccountError::UnknownChallenge => new(UNKNOWN_CHALLENGE).at("message"),
        AccountError::ExpiredChallenge { .. } => new(CHALLENGE_EXPIRED).at("message"),
        AccountError::ContractWallet { .. } => new(CONTRACT_WALLET_UNAVAILABLE).at("signature"),
        AccountError::NoContractNodes { .. } => new(CONTRACT_WALLET_UNSUPPORTED).at("signature"),
        AccountError::Scope { .. } | AccountError::NoSuchRoute { .. } => parameter("routes"),
        AccountError::Text { field, .. } | AccountError::KeyInText { field } => parameter(field),
        AccountError::Range { what, .. } => parameter(what),
        AccountError::Month { .. } => parameter("month"),
        AccountError::Store(full @ StoreError::Full { .. }) => {
            tracing::debug!("an account is not written: {full}");
            let detail = "the disk of the service is almost full, so accounts are read-only: nothing was changed";
            ApiError::new(ACCOUNTS_UNAVAILABLE, detail)
        }
        AccountError::Store(_)
        | AccountError::Contended(_)
        | AccountError::Randomness
        | AccountError::Audit { .. }
        | AccountError::Config { .. }
        | AccountError::Overflow { .. }
        | AccountError::Bounds(_) => of_ours(error.kind(), &error),
    }
}

/// API error for a billing error.
pub(crate) fn of_billing(error: BillingError) -> ApiError {
    match error {
        BillingError::Account(error) => of_account(error),
        BillingError::Store(error) => of_account(error.into()),
        BillingError::PassPresented => ApiError::new(AUTHORIZATION_PRESENTED, error.to_string()),
        other => of_ours(other.kind(), &other),
    }
}

/// API error for an internal fault; the detail stays in the log.
fn of_ours(kind: ErrorKind, error: &dyn std::fmt::Display) -> ApiError {
    if kind == ErrorKind::Unavailable {
        tracing::warn!(%error, "accounts could not be read or written");
        return unavailable();
    }
    tracing::error!(%error, "accounts failed");
    ApiError::internal()
}

/// Accounts are unavailable; no request is admitted.
fn unavailable() -> ApiError {
    ApiError::new(ACCOUNTS_UNAVAILABLE, "accounts are not available at the moment")
}

#[cfg(test)]
mod tests {
    use superroot_account::Environment;
    use superroot_account::limit::{Allowance, RefillPeriod};

    use super::*;

    #[test]
    fn what_refuses_a_key_is_401_and_nothing_else_is() {
        let at = superroot_types::UnixSeconds(1);
        let (limit, period, remaining, next_after) = (2, RefillPeriod::Hour, 0, 1);
        let retry_after = Some(next_after);
        let refused = Allowance { limit, period, remaining, reset: at, next_after, retry_after };
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
            AccountError::Registrations { retry_after_seconds: 1, refused },
            AccountError::Store(StoreError::Dead),
            AccountError::Randomness,
            AccountError::Signature { why: "x" },
            AccountError::UnknownChallenge,
        ];
        for error in errors {
            let refuses = error.refuses_key();
            let text = error.to_string();
            assert_eq!(of_account(error).code.status == 401, refuses, "{text}");
        }
    }

    /// What may work later says when; what never will does not.
    #[test]
    fn what_is_wrong_with_a_proof_of_a_wallet_has_a_code_of_its_own() {
        let (chain, at) = (superroot_types::ChainId(8_453), superroot_types::UnixSeconds(1));
        let form = superroot_account::wallet::SignatureForm::Length(64);
        let no_nodes = AccountError::NoContractNodes { chain, form };
        for (error, status, code, retry_after) in [
            (AccountError::Message { why: "x" }, 400, "invalid_parameter", None),
            (AccountError::Signature { why: "x" }, 400, "invalid_signature", None),
            (AccountError::NoContracts { chain, form }, 400, "invalid_signature", None),
            (AccountError::UnknownChallenge, 404, "unknown_challenge", None),
            (AccountError::ExpiredChallenge { at }, 410, "challenge_expired", None),
            (AccountError::ContractWallet { chain }, 503, "contract_wallet_unavailable", Some(5)),
            (no_nodes, 400, "contract_wallet_unsupported", None),
        ] {
            let error = of_account(error);
            assert_eq!((error.code.status, error.code.name), (status, code), "{error}");
            assert_eq!(error.retry_after, retry_after, "{error}");
        }
    }

    #[test]
    fn what_our_store_says_stays_in_the_log() {
        let error = of_account(AccountError::Store(StoreError::Dead));
        assert!(!error.to_string().contains("store"), "{error}");
        assert!(error.code.status >= 500);
    }
}
