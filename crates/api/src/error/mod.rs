//! Errors as data: a code from [`codes`], a detail, and members for programs.
//!
//! `ApiError::new(NOT_PROVABLE, "..").about(chain)` is a complete error. Errors made in several places have a
//! constructor, here or in [`chains`].

use std::fmt;
use std::ops::Deref;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Map, Value};
use superroot_account::limit::Allowance;
use superroot_account::without_keys;
use superroot_types::ChainKey;

mod accounts;
pub(crate) mod chains;
pub(crate) mod codes;

pub(crate) use accounts::{of_account, of_billing};
use codes::*;

/// Longest caller text repeated in a detail, in characters.
const CHARS_MAX: usize = 160;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ApiError(Box<Data>);

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Data {
    pub(crate) code: ErrorCode,
    /// Cause and remedy, without a full stop.
    pub(crate) detail: String,
    /// Parameter, header or body member at fault; for a member, its path.
    pub(crate) parameter: Option<String>,
    pub(crate) chain: Option<ChainKey>,
    /// Seconds until a retry; present exactly if a retry may help.
    pub(crate) retry_after: Option<u64>,
    /// Additional members, in `snake_case` like all problem members.
    pub(crate) members: Map<String, Value>,
    /// Name and state of the refusing limit, if not the route's.
    pub(crate) limit: Option<(&'static str, Allowance)>,
    /// Further header.
    pub(crate) header: Option<(HeaderName, HeaderValue)>,
}

impl Deref for ApiError {
    type Target = Data;

    fn deref(&self) -> &Data {
        &self.0
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for ApiError {}

impl ApiError {
    pub(crate) fn new(code: ErrorCode, detail: impl Into<String>) -> Self {
        let retry_after = (code.again == RetryHint::Later).then_some(RETRY_SECONDS);
        let parameter = None;
        let chain = None;
        let members = Map::new();
        let limit = None;
        let detail = detail.into();
        let header = None;
        Self(Box::new(Data { code, detail, parameter, chain, retry_after, members, limit, header }))
    }

    pub(crate) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.header = Some((name, value));
        self
    }

    /// Sets the parameter, header or member at fault.
    pub(crate) fn at(mut self, parameter: impl Into<String>) -> Self {
        self.0.parameter = Some(parameter.into());
        self
    }

    pub(crate) fn about(mut self, chain: impl Into<Option<ChainKey>>) -> Self {
        self.0.chain = chain.into();
        self
    }

    /// Sets the seconds until a retry; `None`: never.
    pub(crate) fn again_after(mut self, seconds: impl Into<Option<u64>>) -> Self {
        self.0.retry_after = seconds.into();
        self
    }

    /// Adds a member; its name is in `snake_case`.
    pub(crate) fn with(mut self, name: &str, value: impl Serialize) -> Self {
        let value = serde_json::to_value(value).unwrap_or_default();
        self.0.members.insert(name.to_owned(), value);
        self
    }

    /// Sets the refusing limit, for the answer's limit headers.
    pub(crate) fn by_limit(mut self, name: &'static str, limit: Allowance) -> Self {
        self.0.limit = Some((name, limit));
        self
    }

    /// Assigns the error to a batch item, counted from 0: the whole batch fails.
    pub(crate) fn at_item(mut self, position: usize) -> Self {
        let inner = self.0.parameter.map_or_else(String::new, |name| format!(".{name}"));
        self.0.parameter = Some(format!("items[{position}]{inner}"));
        self.0.detail = format!("items[{position}]: {}", self.0.detail);
        self
    }

    /// Malformed parameter; `got` is shortened.
    pub(crate) fn parameter(
        name: impl Into<String>,
        got: &str,
        expected: impl fmt::Display,
    ) -> Self {
        Self::invalid(name, format!("{:?}", shorten(got)), expected)
    }

    pub(crate) fn missing(name: impl Into<String>, expected: impl fmt::Display) -> Self {
        Self::invalid(name, "missing", expected)
    }

    /// Invalid parameter; `got` is a description in words.
    pub(crate) fn invalid(
        name: impl Into<String>,
        got: impl fmt::Display,
        expected: impl fmt::Display,
    ) -> Self {
        let name = name.into();
        Self::new(INVALID_PARAMETER, format!("{name} is {got}, expected {expected}")).at(name)
    }

    pub(crate) fn unreadable(parameter: &'static str, why: &impl fmt::Display) -> Self {
        let why = shorten(&why.to_string());
        Self::new(INVALID_PARAMETER, format!("{parameter} cannot be read: {why}")).at(parameter)
    }

    /// Internal failure; the log has the cause.
    pub(crate) fn internal() -> Self {
        Self::new(INTERNAL, "internal error; quote the request id when you report it")
    }

    /// Store failure; the cause is logged, not returned.
    pub(crate) fn of_store(error: superroot_store::StoreError) -> Self {
        tracing::error!(%error, "the store could not be read");
        Self::internal()
    }

    pub(crate) fn needs_key() -> Self {
        Self::new(
            API_KEY_REQUIRED,
            "this route needs a key, see /api/v1/register, or /api/v1/pass to buy one",
        )
    }

    /// The client's requests for this minute are used up; `retry_after` seconds until the next.
    pub(crate) fn rate_limited(limit: u32, retry_after: u64) -> Self {
        let detail = format!("rate limit of {limit} requests a minute exceeded");
        Self::new(RATE_LIMITED, detail).again_after(retry_after).with("limit", limit)
    }

    pub(crate) fn body_too_large(max: usize) -> Self {
        Self::new(BODY_TOO_LARGE, format!("the body is larger than {max} bytes"))
    }

    /// Body without a length header, above the limit `most` for such bodies; `max` is the limit for the others.
    pub(crate) fn unmeasured_body_too_large(most: usize, max: usize) -> Self {
        let why = format!("the body is larger than {most} bytes and comes without Content-Length");
        Self::new(BODY_TOO_LARGE, format!("{why}; with one it may have {max}"))
    }

    pub(crate) fn media_type(header: &'static str, got: &str, expected: &str) -> Self {
        let detail = format!("{header} is {}, expected {expected}", shorten(got));
        Self::new(UNSUPPORTED_MEDIA_TYPE, detail).at(header)
    }
}

impl IntoResponse for ApiError {
    /// Empty response with the status and the error as an extension; the outermost layer, which knows the request,
    /// renders the body.
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() =
            StatusCode::from_u16(self.code.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        response.extensions_mut().insert(self);
        response
    }
}

/// Shortens a text for a message, and removes the secret part of keys.
pub(crate) fn shorten(text: &str) -> String {
    superroot_types::shorten(&without_keys(text), CHARS_MAX)
}

#[cfg(test)]
mod tests;
