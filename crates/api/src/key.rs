//! Which key a request presents. No keys are issued yet, so every presented one is unknown.

use axum::http::{HeaderMap, HeaderValue, header};

use crate::ApiError;

/// Checks the key headers: none is fine.
///
/// # Errors
/// [`ApiError::TwoKeys`] when different keys are presented, [`ApiError::InvalidKey`] for any one:
/// a key that is not known is never taken as no key.
pub(crate) fn check_keys(headers: &HeaderMap) -> Result<(), ApiError> {
    let mut presented: Vec<&[u8]> = Vec::new();
    for name in ["x-api-key", "x-service-key"] {
        presented.extend(headers.get_all(name).iter().map(HeaderValue::as_bytes));
    }
    let authorization = headers.get_all(header::AUTHORIZATION).iter();
    presented.extend(authorization.map(|value| without_scheme(value.as_bytes())));
    match presented.split_first() {
        None => Ok(()),
        Some((first, rest)) if rest.iter().any(|other| other != first) => Err(ApiError::TwoKeys),
        Some(_) => Err(ApiError::InvalidKey),
    }
}

/// The token of `Bearer <token>`; anything else whole, which is no key either.
fn without_scheme(value: &[u8]) -> &[u8] {
    match value.split_at_checked(7) {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case(b"bearer ") => token.trim_ascii(),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(headers: &[(&'static str, &'static str)]) -> Result<(), ApiError> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_static(value));
        }
        check_keys(&map)
    }

    #[test]
    fn no_key_is_fine_and_any_key_is_unknown() {
        assert_eq!(check(&[("accept", "*/*")]), Ok(()));
        for header in [
            ("x-api-key", "svc_live_a"),
            ("x-api-key", ""),
            ("x-service-key", "svc_live_a"),
            ("authorization", "Bearer svc_live_a"),
            ("authorization", "Basic YTpi"),
        ] {
            assert_eq!(check(&[header]), Err(ApiError::InvalidKey), "{header:?}");
        }
    }

    #[test]
    fn the_same_key_twice_is_one_key_and_two_keys_are_refused() {
        let same = [("x-api-key", "a"), ("x-service-key", "a"), ("authorization", "bearer  a")];
        assert_eq!(check(&same), Err(ApiError::InvalidKey));
        for second in [("x-service-key", "b"), ("authorization", "Bearer b"), ("x-api-key", "b")] {
            assert_eq!(check(&[("x-api-key", "a"), second]), Err(ApiError::TwoKeys));
        }
    }
}
