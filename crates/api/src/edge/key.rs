//! Which key a request presents, in any of three headers.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::ApiError;
use crate::error::codes::TWO_KEYS;

/// Headers that carry a key as it is.
const PLAIN: [HeaderName; 2] =
    [HeaderName::from_static("x-api-key"), HeaderName::from_static("x-service-key")];

/// What stands for a key in `Authorization` that is not given as one: no key, and not the one that
/// stands there.
const NO_KEY: &[u8] = b"-";

/// The text that is presented as a key; none where nothing is. What is no text is an empty one,
/// which is no key. An empty header, and an `Authorization` of another scheme, which a proxy asks
/// for, say nothing beside one that presents a key.
///
/// # Errors
/// [`ApiError::TwoKeys`] when different ones are presented, whatever they are.
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

/// Whether any header presents one.
pub(crate) fn is_presented(headers: &HeaderMap) -> bool {
    all(headers).next().is_some()
}

fn all(headers: &HeaderMap) -> impl Iterator<Item = &[u8]> {
    let plain = PLAIN.into_iter().flat_map(|name| headers.get_all(name));
    let authorization = headers.get_all(header::AUTHORIZATION).iter();
    let bearer = authorization.map(|value| without_scheme(value.as_bytes()));
    plain.map(HeaderValue::as_bytes).chain(bearer)
}

/// The token of `Bearer <token>`; of anything else nothing, which is no key: not even of a key that
/// stands there alone or under another scheme, which is none beside any other.
fn without_scheme(value: &[u8]) -> &[u8] {
    match value.split_at_checked(7) {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case(b"bearer ") => token.trim_ascii(),
        _ if value.windows(4).any(|part| part == b"svc_") => NO_KEY,
        _ => b"",
    }
}
