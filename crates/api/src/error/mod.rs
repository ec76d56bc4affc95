//! Errors as data: a code of [`codes`], what is wrong this time, and what a program may want to know.
//!
//! `ApiError::new(NOT_PROVABLE, "..").about(chain)` is a whole error. Those that are made in more than
//! one place have a constructor, here or in [`chains`].

use std::fmt;
use std::ops::Deref;

use axum::body::Body;
use axum::http::StatusCode;
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

/// Longest text of a caller that a detail repeats, in characters.
const CHARS_MAX: usize = 160;

/// Why a request gets no answer of its own.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ApiError(Box<Data>);

/// What an error says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Data {
    /// What programs know it by.
    pub(crate) code: Code,
    /// What is wrong this time, and what to do: without a full stop.
    pub(crate) detail: String,
    /// The parameter, header or member of the body at fault; of a member its path.
    pub(crate) parameter: Option<String>,
    /// The chain it is about.
    pub(crate) chain: Option<ChainKey>,
    /// Seconds after which to ask again; there exactly where asking again may help.
    pub(crate) retry_after: Option<u64>,
    /// Members that only some problems have, in `snake_case` as all of a problem's.
    pub(crate) members: Map<String, Value>,
    /// The limit that refused it by its name, where that is another than the route's.
    pub(crate) limit: Option<(&'static str, Allowance)>,
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
    /// An error of that code.
    pub(crate) fn new(code: Code, detail: impl Into<String>) -> Self {
        let retry_after = (code.again == Again::Later).then_some(RETRY_SECONDS);
        let (parameter, chain, members, limit) = (None, None, Map::new(), None);
        let detail = detail.into();
        Self(Box::new(Data { code, detail, parameter, chain, retry_after, members, limit }))
    }

    /// At that parameter, header or member.
    pub(crate) fn at(mut self, parameter: impl Into<String>) -> Self {
        self.0.parameter = Some(parameter.into());
        self
    }

    /// About that chain.
    pub(crate) fn about(mut self, chain: impl Into<Option<ChainKey>>) -> Self {
        self.0.chain = chain.into();
        self
    }

    /// To be asked again after so many seconds; `None`: never.
    pub(crate) fn again_after(mut self, seconds: impl Into<Option<u64>>) -> Self {
        self.0.retry_after = seconds.into();
        self
    }

    /// With that member, named in `snake_case`.
    pub(crate) fn with(mut self, name: &str, value: impl Serialize) -> Self {
        let value = serde_json::to_value(value).unwrap_or_default();
        self.0.members.insert(name.to_owned(), value);
        self
    }

    /// Refused by that limit, whose headers are the answer's.
    pub(crate) fn by_limit(mut self, name: &'static str, limit: Allowance) -> Self {
        self.0.limit = Some((name, limit));
        self
    }

    /// Of that item of a batch, counted from 0: the whole batch gets no answer.
    pub(crate) fn at_item(mut self, position: usize) -> Self {
        let inner = self.0.parameter.map_or_else(String::new, |name| format!(".{name}"));
        self.0.parameter = Some(format!("items[{position}]{inner}"));
        self.0.detail = format!("items[{position}]: {}", self.0.detail);
        self
    }

    /// A malformed parameter; `got` is shortened.
    pub(crate) fn parameter(
        name: impl Into<String>,
        got: &str,
        expected: impl fmt::Display,
    ) -> Self {
        Self::invalid(name, format!("{:?}", shorten(got)), expected)
    }

    /// A parameter that is not there.
    pub(crate) fn missing(name: impl Into<String>, expected: impl fmt::Display) -> Self {
        Self::invalid(name, "missing", expected)
    }

    /// A parameter about which `got` says in words what it is.
    pub(crate) fn invalid(
        name: impl Into<String>,
        got: impl fmt::Display,
        expected: impl fmt::Display,
    ) -> Self {
        let name = name.into();
        Self::new(INVALID_PARAMETER, format!("{name} is {got}, expected {expected}")).at(name)
    }

    /// A body that cannot be read, or its part.
    pub(crate) fn unreadable(parameter: &'static str, why: &impl fmt::Display) -> Self {
        let why = shorten(&why.to_string());
        Self::new(INVALID_PARAMETER, format!("{parameter} cannot be read: {why}")).at(parameter)
    }

    /// Something of ours failed; the log says what.
    pub(crate) fn internal() -> Self {
        Self::new(INTERNAL, "internal error, the request id leads to its cause")
    }

    /// The store failed: the log says how, the caller does not learn it.
    pub(crate) fn of_store(error: &superroot_store::StoreError) -> Self {
        tracing::error!(%error, "the store could not be read");
        Self::internal()
    }

    /// The route is not open without a key.
    pub(crate) fn needs_key() -> Self {
        Self::new(API_KEY_REQUIRED, "this route needs a key, see /api/v1/register")
    }

    /// The client's requests of this minute are used up; one is let through again after so many
    /// seconds.
    pub(crate) fn rate_limited(limit: u32, retry_after: u64) -> Self {
        let detail = format!("rate limit of {limit} requests a minute exceeded");
        Self::new(RATE_LIMITED, detail).again_after(retry_after).with("limit", limit)
    }

    /// The body is past the limit.
    pub(crate) fn body_too_large(max: usize) -> Self {
        Self::new(BODY_TOO_LARGE, format!("the body is larger than {max} bytes"))
    }

    /// The body is past the limit of those whose length is not named; `max` is that of the others.
    pub(crate) fn unmeasured_body_too_large(most: usize, max: usize) -> Self {
        let why = format!("the body is larger than {most} bytes and comes without Content-Length");
        Self::new(BODY_TOO_LARGE, format!("{why}; with one it may have {max}"))
    }

    /// The body is not of the type that the route reads.
    pub(crate) fn media_type(header: &'static str, got: &str, expected: &str) -> Self {
        let detail = format!("{header} is {}, expected {expected}", shorten(got));
        Self::new(UNSUPPORTED_MEDIA_TYPE, detail).at(header)
    }

    /// The route is specified, and this build does not have it.
    pub(crate) fn not_built() -> Self {
        Self::new(NOT_BUILT, "this build does not have this route yet")
    }
}

impl IntoResponse for ApiError {
    /// The status and the error itself as an extension: the body is made by the outermost layer,
    /// which knows the request.
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() =
            StatusCode::from_u16(self.code.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        response.extensions_mut().insert(self);
        response
    }
}

/// A text for a message, short however long it is, and without the secret part of keys.
pub(crate) fn shorten(text: &str) -> String {
    superroot_types::shorten(&without_keys(text), CHARS_MAX)
}

#[cfg(test)]
mod tests;
