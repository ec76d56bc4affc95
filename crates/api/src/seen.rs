//! Conditional requests: `If-None-Match` against immutable answers, which are not generated again.

use axum::extract::Request;
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderValue, Method, header};
use superroot_accumulate::Published;
use superroot_proof::hash::keccak256_joined;

/// Request parts that decide whether an answer needs a body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conditional {
    pub(crate) is_head: bool,
    address: Option<PathAndQuery>,
    /// Tags in `If-None-Match`.
    known: Option<HeaderValue>,
}

impl Conditional {
    pub(crate) fn of(request: &Request) -> Self {
        let uri = request.uri();
        Self {
            is_head: request.method() == Method::HEAD,
            address: uri.path_and_query().cloned(),
            known: request.headers().get(header::IF_NONE_MATCH).cloned(),
        }
    }

    pub(crate) fn address(&self) -> &str {
        self.address.as_ref().map_or("", PathAndQuery::as_str)
    }

    /// Tag for an answer fixed by address, SuperRoot and format version (JSON or file).
    pub(crate) fn tag(&self, published: &Published, is_file: bool) -> String {
        let version = env!("CARGO_PKG_VERSION").as_bytes();
        let address = self.address().as_bytes();
        let form: &[u8] = if is_file { b"\nfile\n" } else { b"\n" };
        let hash = keccak256_joined(&[version, b"\n", address, form, &published.hash.0]);
        tag_of(&hash.0)
    }

    /// Whether an answer needs a body: no tag in `If-None-Match` matches, and the request is not HEAD.
    pub(crate) fn needs_body(&self, tag: Option<&str>) -> bool {
        !self.is_head && tag.and_then(|tag| self.known_as(tag)).is_none()
    }

    /// Whether the answer may need no body, before its tag is known.
    pub(crate) const fn may_need_none(&self) -> bool {
        self.is_head || self.known.is_some()
    }

    /// Returns the caller's tag, with its content coding suffix, for a 304 (RFC 9110, section 15.4.5).
    pub(crate) fn known_as(&self, tag: &str) -> Option<String> {
        let known = self.known.as_ref()?.to_str().ok()?;
        let mut each = known.split(',').map(str::trim);
        let found = each.find(|one| *one == "*" || base_tag(one) == tag)?;
        Some(if found == "*" { tag } else { found.trim_start_matches("W/") }.to_owned())
    }
}

pub(crate) fn tag_of(hash: &[u8; 32]) -> String {
    format!("\"{}\"", const_hex::encode(&hash[..16]))
}

/// Tag without weakness mark and content coding suffix.
fn base_tag(tag: &str) -> String {
    let tag = tag.strip_prefix("W/").unwrap_or(tag).trim_matches('"');
    format!("\"{}\"", tag.split_once('-').map_or(tag, |(base, _)| base))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_known_again_under_any_coding() {
        for tag in ["\"ab\"", "W/\"ab\"", "\"ab-gzip\"", "W/\"ab-zstd\""] {
            assert_eq!(base_tag(tag), "\"ab\"");
        }
        let of = |known: &'static str| {
            let known = Some(HeaderValue::from_static(known));
            Conditional { known, ..Conditional::default() }.known_as("\"ab\"")
        };
        assert_eq!(of("\"x\", W/\"ab-zstd\"").as_deref(), Some("\"ab-zstd\""));
        assert_eq!((of("*").as_deref(), of("\"x\"")), (Some("\"ab\""), None));
    }
}
