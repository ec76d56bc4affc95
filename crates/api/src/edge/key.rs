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

#[cfg(test)]
mod tests {
    use super::*;

    fn map(headers: &[(&'static str, &[u8])]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_bytes(value).unwrap());
        }
        map
    }

    fn read(headers: &[(&'static str, &[u8])]) -> Result<Option<String>, ApiError> {
        presented(&map(headers)).map(|key| key.map(str::to_owned))
    }

    #[test]
    fn a_key_is_read_from_each_header() {
        assert_eq!(read(&[("accept", b"*/*")]), Ok(None));
        for (header, value, expected) in [
            ("x-api-key", &b"svc_live_a"[..], "svc_live_a"),
            ("x-api-key", b"", ""),
            ("x-service-key", b"svc_live_a", "svc_live_a"),
            ("authorization", b"Bearer svc_live_a", "svc_live_a"),
            ("authorization", b"bearer  svc_live_a ", "svc_live_a"),
            ("authorization", b"Basic YTpi", ""),
            ("authorization", b"svc_live_a", "-"),
            ("authorization", b"Bearer\tsvc_live_a", "-"),
            ("authorization", b"Basic svc_live_a", "-"),
            ("x-api-key", b"\xff\xfe", ""),
        ] {
            assert_eq!(read(&[(header, value)]), Ok(Some(expected.to_owned())), "{header}");
            assert!(is_presented(&map(&[(header, value)])));
        }
        assert!(!is_presented(&HeaderMap::new()));
    }

    #[test]
    fn the_same_key_twice_is_one_key_and_two_keys_are_refused() {
        let same: [(_, &[u8]); 3] =
            [("x-api-key", b"a"), ("x-service-key", b"a"), ("authorization", b"bearer  a")];
        assert_eq!(read(&same), Ok(Some("a".to_owned())));
        let others: [(_, &[u8]); 5] = [
            ("x-service-key", b"b"),
            ("authorization", b"Bearer b"),
            ("authorization", b"svc_live_a"),
            ("authorization", b"Basic svc_live_a"),
            ("x-api-key", b"b"),
        ];
        for second in others {
            assert_eq!(read(&[("x-api-key", b"a"), second]), Err(two_keys()));
            assert_eq!(read(&[second, ("x-api-key", b"a")]), Err(two_keys()));
        }
    }

    /// A proxy's own password and a header left empty take nobody's key away.
    #[test]
    fn what_presents_no_key_beside_one_is_passed_over() {
        let silent: [(_, &[u8]); 4] = [
            ("authorization", b"Basic YTpi"),
            ("authorization", b"Digest username=a"),
            ("x-service-key", b""),
            ("authorization", b"Bearer "),
        ];
        for second in silent {
            for headers in [[("x-api-key", &b"a"[..]), second], [second, ("x-api-key", b"a")]] {
                assert_eq!(read(&headers), Ok(Some("a".to_owned())), "{headers:?}");
            }
            let alone = read(&[second]);
            assert_eq!(alone, Ok(Some(String::new())), "it is no key, and not nobody");
        }
    }
}
