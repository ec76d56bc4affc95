//! Request head checks: one host, and an acceptable content coding.

use axum::extract::ConnectInfo;
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Version, header};
use superroot_socket::Peer;

use crate::ApiError;
use crate::coding::CODINGS;
use crate::error::codes::{INVALID_PARAMETER, NOT_ACCEPTABLE};

/// Refuses a request without a host or with several, from any sender (RFC 9112, section 3.2; RFC 9113, section 8.3.1):
/// 400 `invalid_parameter` naming `Host`.
pub(super) fn check_host(parts: &Parts) -> Result<(), ApiError> {
    // what came over no connection has no head of its own
    let is_read = parts.extensions.get::<ConnectInfo<Peer>>().is_some();
    if is_read { check_one_host(parts) } else { Ok(()) }
}

/// Checks for one host: in HTTP/2 `:authority`, with no different `Host`.
fn check_one_host(parts: &Parts) -> Result<(), ApiError> {
    let refuse = |detail: String| Err(ApiError::new(INVALID_PARAMETER, detail).at("Host"));
    let mut hosts = parts.headers.get_all(header::HOST).iter();
    let host = hosts.next();
    let more = hosts.count();
    // a proxy's request of HTTP/1.1 names one in its line as well, which its Host field may differ from
    let authority = parts.uri.authority().filter(|_| parts.version == Version::HTTP_2);
    match (host, authority) {
        _ if more > 0 => refuse(format!("a request has one Host field, and this has {}", more + 1)),
        (Some(host), _) if !is_one_host(host.as_bytes()) => {
            refuse("the Host field is not one host, with a port or without".to_owned())
        }
        (None, None) if parts.version == Version::HTTP_11 => {
            refuse("a request has one Host field, and this has 0".to_owned())
        }
        (None, None) if parts.version == Version::HTTP_2 => {
            refuse("a request of HTTP/2 names its host in :authority, and this has none".to_owned())
        }
        (Some(host), Some(authority))
            if !host.as_bytes().eq_ignore_ascii_case(authority.as_str().as_bytes()) =>
        {
            refuse(format!("the Host field names another host than :authority, {authority}"))
        }
        _ => Ok(()),
    }
}

/// Whether the field is a host with or without port, or empty, as for a target without authority.
fn is_one_host(field: &[u8]) -> bool {
    let is_list = field.iter().any(|byte| matches!(byte, b',' | b'@'));
    field.is_empty() || (!is_list && Authority::try_from(field).is_ok())
}

/// Codings accepted by `Accept-Encoding` (RFC 9110, section 12.5.3).
#[derive(Clone, Copy, Default)]
pub(super) struct AcceptedCodings {
    /// Acceptance of `identity`, and of codings without an entry.
    identity: Option<bool>,
    star: Option<bool>,
    /// Whether one entry is in [`CODINGS`].
    is_one_named: bool,
}

impl AcceptedCodings {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let lines = headers.get_all(header::ACCEPT_ENCODING).iter();
        let mut taken = Self::default();
        for item in lines.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(',')) {
            let mut parts = item.split(';').map(str::trim);
            let coding = parts.next().unwrap_or_default().to_ascii_lowercase();
            let weight = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
            let weight = weight.and_then(|weight| weight.parse::<f32>().ok());
            let is_taken = weight.is_none_or(|weight| weight > 0.0);
            match coding.as_str() {
                "identity" => taken.identity = Some(is_taken),
                "*" => taken.star = Some(is_taken),
                "x-gzip" => taken.is_one_named |= is_taken, // gzip by an older name
                coding => taken.is_one_named |= is_taken && CODINGS.contains(&coding),
            }
        }
        taken
    }

    /// Refuses a caller that accepts neither this service's codings nor `identity` (406 `not_acceptable`).
    pub(super) fn check(&self) -> Result<(), ApiError> {
        if self.plain() || self.is_any_coding() {
            return Ok(());
        }
        Err(not_acceptable(
            "answers are written plainly, or in gzip, br or zstd, and Accept-Encoding refuses them all",
        ))
    }

    /// Refuses a stream caller that does not accept `identity` (406 `not_acceptable`): with a coding, every event would
    /// wait for the next.
    pub(super) fn check_plain(&self) -> Result<(), ApiError> {
        if self.plain() {
            return Ok(());
        }
        Err(not_acceptable("a stream is written plainly, and Accept-Encoding refuses that"))
    }

    /// Whether one [`CODINGS`] entry is accepted, by name or wildcard.
    pub(super) fn is_any_coding(&self) -> bool {
        self.is_one_named || self.star == Some(true)
    }

    fn plain(&self) -> bool {
        self.identity.unwrap_or(self.star != Some(false))
    }
}

fn not_acceptable(detail: &str) -> ApiError {
    ApiError::new(NOT_ACCEPTABLE, detail.to_owned()).at("Accept-Encoding")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_of_http_2_names_one_host() {
        let head = |uri: &str, hosts: &[&str]| {
            let mut request = axum::extract::Request::builder().uri(uri).version(Version::HTTP_2);
            for host in hosts {
                request = request.header(header::HOST, *host);
            }
            check_one_host(&request.body(()).unwrap().into_parts().0)
                .map_err(|error| error.detail.clone())
        };
        assert_eq!(head("http://a:80/health", &[]), Ok(()));
        assert_eq!(head("http://a:80/health", &["A:80"]), Ok(()));
        assert_eq!(head("/health", &["a"]), Ok(()));
        for (uri, hosts, why) in [
            ("/health", &[][..], "has none"),
            ("http://a/health", &["b"], "another host than :authority, a"),
            ("/health", &["a", "a"], "this has 2"),
        ] {
            let refused = head(uri, hosts).unwrap_err();
            assert!(refused.contains(why), "{uri} {hosts:?}: {refused}");
        }
    }

    #[test]
    fn only_who_takes_neither_a_coding_nor_none_is_refused() {
        for (accepted, is_refused) in [
            ("", false),
            ("gzip", false),
            ("identity;q=0", true),
            ("identity; q=0.0", true),
            ("identity;q=0, gzip", false),
            ("identity;q=0, gzip;q=0, deflate", true),
            ("*;q=0", true),
            ("*;q=0, identity", false),
            ("*;q=0, br;q=0.1", false),
            ("identity;q=0, *", false),
            ("deflate", false),
            ("nonsense;;;q=x", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, accepted.parse().unwrap());
            assert_eq!(AcceptedCodings::of(&headers).check().is_err(), is_refused, "{accepted}");
        }
        assert!(AcceptedCodings::of(&HeaderMap::new()).check().is_ok());
    }
}
