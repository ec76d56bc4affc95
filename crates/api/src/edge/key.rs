//! Key of a request, from any of three headers.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::ApiError;
use crate::error::codes::TWO_KEYS;

/// Headers that carry a plain key.
const PLAIN: [HeaderName; 2] =
    [HeaderName::from_static("x-api-key"), HeaderName::from_static("x-service-key")];

/// Placeholder for an `Authorization` value that is not a key: invalid, and different from any real key.
const NO_KEY: &[u8] = b"-";

/// Returns the presented key; `None` without one. Non-text values give an empty, invalid key. An empty header, and an
/// `Authorization` with another scheme (for a proxy), are ignored if another header presents a key.
///
/// # Errors
/// [`ApiError::TwoKeys`] for different keys, valid or not.
pub(crate) fn presented(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    let mut first: Option<&[u8]> = None;
    for key in all(headers) {
        match first {
            None | Some(b"") => first = Some(key),
            Some(other) if other != key && !key.is_empty() => return Err(two_keys()),
            Some(_) => {}
        }
    }
    Ok(first.map(|key| std::str::from_utf8(key).unwrap_or("")))
}

fn two_keys() -> ApiError {
    ApiError::new(TWO_KEYS, "the request carries different keys, expected one")
}

pub(crate) fn is_presented(headers: &HeaderMap) -> bool {
    all(headers).next().is_some()
}

fn all(headers: &HeaderMap) -> impl Iterator<Item = &[u8]> {
    let plain = PLAIN.into_iter().flat_map(|name| headers.get_all(name));
    let authorization = headers.get_all(header::AUTHORIZATION).iter();
    let bearer = authorization.map(|value| without_scheme(value.as_bytes()));
    plain.map(HeaderValue::as_bytes).chain(bearer)
}

/// Token in `Bearer <token>`; empty, an invalid key, for anything else: a bare key or a key under another scheme does
/// not count, and is ignored next to a real key.
fn without_scheme(value: &[u8]) -> &[u8] {
    match value.split_at_checked(7) {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case(b"bearer ") => token.trim_ascii(),
        _ if value.windows(4).any(|part| part == b"svc_") => NO_KEY,
        _ => b"",
    }
}
