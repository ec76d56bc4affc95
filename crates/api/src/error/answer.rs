//! What an error says in an answer: its row, the chain and the parameter at fault, when to ask
//! again.

use axum::response::{IntoResponse, Response};
use http_body_util::Empty;
use superroot_types::ChainKey;

use super::table::*;
use super::{ApiError, WalletError, shorten};
use crate::status::ChainStage;

/// Seconds after which to ask again where nothing tells better.
const RETRY_SECONDS: u64 = 5;

impl ApiError {
    /// A malformed parameter; `got` is shortened.
    pub(crate) fn parameter(
        name: impl Into<String>,
        got: &str,
        expected: impl Into<String>,
    ) -> Self {
        Self::Parameter {
            parameter: name.into(),
            got: format!("{:?}", shorten(got)),
            expected: expected.into(),
        }
    }

    /// The store failed: the log says how, the caller does not learn it.
    pub(crate) fn of_store(error: &superroot_store::StoreError) -> Self {
        tracing::error!(%error, "the store could not be read");
        Self::Internal
    }

    /// A body that cannot be read, or its part.
    pub(crate) fn unreadable(parameter: &'static str, why: &impl std::fmt::Display) -> Self {
        Self::Unreadable { parameter, why: shorten(&why.to_string()) }
    }

    /// A parameter that is not there.
    pub(crate) fn missing(name: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::Parameter { parameter: name.into(), got: "missing".into(), expected: expected.into() }
    }

    /// The error's row of the table.
    #[must_use]
    pub const fn row(&self) -> Row {
        match self {
            Self::Item { error, .. } => error.row(),
            Self::Parameter { .. } | Self::Unreadable { .. } | Self::Refused { .. } => PARAMETER,
            Self::TwoKeys => TWO_KEYS,
            Self::InvalidKey { .. } => INVALID_KEY,
            Self::NeedsKey => KEY_REQUIRED,
            Self::TierRequired { .. } => TIER_REQUIRED,
            Self::NotAgreed { .. } => NOT_AGREED,
            Self::OutOfScope { .. } => OUT_OF_SCOPE,
            Self::Beyond { .. } => BEYOND_KEY,
            Self::NotIntegrator { .. } => INTEGRATOR_REQUIRED,
            Self::UnknownKeyId { .. } => UNKNOWN_KEY_ID,
            Self::UnknownAccount { .. } => UNKNOWN_ACCOUNT,
            Self::UnknownInvoice { .. } => UNKNOWN_INVOICE,
            Self::KeyState { .. } => KEY_STATE,
            Self::Full { .. } => FULL,
            Self::Registrations { .. } => REGISTRATIONS,
            Self::Wallet(error) => error.row(),
            Self::AccountsUnavailable => ACCOUNTS_UNAVAILABLE,
            Self::UnknownPath => UNKNOWN_PATH,
            Self::UnknownChain { .. } => UNKNOWN_CHAIN,
            Self::NotFound { .. } | Self::LogIndex { .. } | Self::OutputIndex { .. } => NOT_FOUND,
            Self::NotIndexed { .. } => NOT_INDEXED,
            Self::NotProvable { .. } => NOT_PROVABLE,
            Self::UnknownSuperRoot { .. } => UNKNOWN_SUPER_ROOT,
            Self::Method { .. } => METHOD,
            Self::NotAnchored { .. } => NOT_ANCHORED,
            Self::NotUnder { .. } => NOT_UNDER,
            Self::NotFinal { .. } => NOT_FINAL,
            Self::Withdrawn { .. } => WITHDRAWN,
            Self::UriTooLong { .. } => URI_TOO_LONG,
            Self::HeadersTooLarge { .. } => HEADERS_TOO_LARGE,
            Self::BodyTooLarge { .. } => BODY_TOO_LARGE,
            Self::MediaType { .. } => MEDIA_TYPE,
            Self::RateLimited { .. } => RATE_LIMITED,
            Self::Internal => INTERNAL,
            Self::NotBuilt => NOT_BUILT,
            Self::ChainPlanned { .. } => PLANNED,
            Self::ChainUnavailable(unavailable) => match unavailable.retry_after {
                _ if matches!(unavailable.stage, ChainStage::Withdrawn) => WITHDRAWN,
                Some(_) => UNAVAILABLE,
                None => PLANNED,
            },
            Self::Starting | Self::CatchingUp => STARTING,
            Self::NothingRecorded => NOTHING_RECORDED,
            Self::Timeout { .. } => TIMEOUT,
        }
    }

    /// The chain it is about.
    #[must_use]
    pub const fn chain(&self) -> Option<ChainKey> {
        match self {
            Self::Item { error, .. } => error.chain(),
            Self::LogIndex { chain, .. } | Self::OutputIndex { chain, .. } => *chain,
            Self::NotFound { chain, .. }
            | Self::NotIndexed { chain, .. }
            | Self::NotProvable { chain, .. }
            | Self::NotAnchored { chain, .. }
            | Self::NotUnder { chain, .. }
            | Self::NotFinal { chain, .. }
            | Self::Withdrawn { chain, .. }
            | Self::ChainPlanned { chain } => Some(*chain),
            Self::ChainUnavailable(unavailable) => Some(unavailable.chain),
            _ => None,
        }
    }

    /// Name of the parameter at fault.
    #[must_use]
    pub fn parameter_name(&self) -> Option<String> {
        let name = match self {
            Self::Item { position, error } => {
                let inner =
                    error.parameter_name().map_or_else(String::new, |name| format!(".{name}"));
                return Some(format!("items[{position}]{inner}"));
            }
            Self::Parameter { parameter, .. }
            | Self::Refused { parameter, .. }
            | Self::UnknownChain { parameter, .. } => parameter,
            Self::Unreadable { parameter, .. } => *parameter,
            Self::LogIndex { .. } | Self::OutputIndex { .. } => "log_index",
            Self::MediaType { header, .. } => *header,
            Self::Wallet(error) => error.parameter_name(),
            _ => return None,
        };
        Some(name.to_owned())
    }

    /// Seconds after which to ask again; there exactly where asking again may help.
    #[must_use]
    pub const fn retry_after(&self) -> Option<u64> {
        match self {
            Self::Item { error, .. } => error.retry_after(),
            Self::NotAnchored { retry_after, .. }
            | Self::NotFinal { retry_after, .. }
            | Self::Registrations { retry_after, .. }
            | Self::Wallet(WalletError::TooManyChallenges { retry_after, .. })
            | Self::RateLimited { retry_after, .. } => Some(*retry_after),
            Self::ChainUnavailable(unavailable) => unavailable.retry_after,
            _ if self.row().retryable => Some(RETRY_SECONDS),
            _ => None,
        }
    }
}

impl IntoResponse for ApiError {
    /// The status and the error itself as an extension: the body is made by the outermost layer,
    /// which knows the request.
    fn into_response(self) -> Response {
        let mut response = axum::body::Body::new(Empty::new()).into_response();
        *response.status_mut() = axum::http::StatusCode::from_u16(self.row().status)
            .unwrap_or(axum::http::StatusCode::INTERNAL_SERVER_ERROR);
        response.extensions_mut().insert(self);
        response
    }
}
