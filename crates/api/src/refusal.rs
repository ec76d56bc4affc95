//! Errors of accounts as errors of answers.

use superroot_account::{AccountError, ErrorKind};

use crate::ApiError;

/// The error of an answer for one of accounts.
pub(crate) fn of_account(error: AccountError) -> ApiError {
    let text = error.to_string();
    let parameter =
        |name: &str| ApiError::Refused { parameter: name.to_owned(), why: text.clone() };
    match error {
        AccountError::NotAKey { .. } => ApiError::InvalidKey { reason: "malformed", why: text },
        AccountError::UnknownKey => ApiError::InvalidKey { reason: "unknown", why: text },
        AccountError::RevokedKey => ApiError::InvalidKey { reason: "revoked", why: text },
        AccountError::ExpiredKey { .. } => ApiError::InvalidKey { reason: "expired", why: text },
        AccountError::ClosedAccount => ApiError::InvalidKey { reason: "closed", why: text },
        AccountError::Beyond { .. } => ApiError::Beyond { why: text },
        AccountError::Agreement { .. } => ApiError::NotIntegrator { why: text },
        AccountError::NoSuchKey { .. } => ApiError::UnknownKeyId { why: text },
        AccountError::UnknownAccount { .. } => ApiError::UnknownAccount { why: text },
        AccountError::KeyState { .. } => ApiError::KeyState { why: text },
        AccountError::Full { .. } => ApiError::Full { why: text },
        AccountError::Registrations { retry_after_seconds: retry_after } => {
            ApiError::Registrations { retry_after }
        }
        AccountError::Address { .. } => parameter("wallet_address"),
        AccountError::Scope { .. } => parameter("routes"),
        AccountError::Text { field, .. } => parameter(field),
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

#[cfg(test)]
mod tests {
    use superroot_store::StoreError;

    use super::*;

    #[test]
    fn what_refuses_a_key_is_401_and_nothing_else_is() {
        let errors = [
            AccountError::NotAKey { why: "too short" },
            AccountError::UnknownKey,
            AccountError::RevokedKey,
            AccountError::ExpiredKey { at: superroot_types::UnixSeconds(1) },
            AccountError::ClosedAccount,
            AccountError::Beyond { what: "x" },
            AccountError::Agreement { why: "x" },
            AccountError::Full { what: "keys", expected: 1 },
            AccountError::Registrations { retry_after_seconds: 1 },
            AccountError::Store(StoreError::Dead),
            AccountError::Randomness,
        ];
        for error in errors {
            let refuses = error.refuses_key();
            let text = error.to_string();
            assert_eq!(of_account(error).row().status == 401, refuses, "{text}");
        }
    }

    #[test]
    fn what_our_store_says_stays_in_the_log() {
        let error = of_account(AccountError::Store(StoreError::Dead));
        assert!(!error.to_string().contains("store"), "{error}");
        assert!(error.row().status >= 500);
    }
}
