//! A file that every caller gets the same: compressed once for each coding, not for each caller, and not sent again to who
//! has it.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use superroot_proof::hash::keccak256;
use tokio::sync::OnceCell;
use tower::{Layer, ServiceExt, service_fn};
use tower_http::compression::CompressionLayer;

use crate::seen::{Seen, tag_of};

/// Codings, the best first.
const CODINGS: [&str; 3] = ["zstd", "br", "gzip"];

/// A file, and what it is compressed, once it was asked for so.
#[derive(Clone)]
pub(crate) struct File(Arc<Written>);

struct Written {
    media_type: &'static str,
    /// `Content-Security-Policy`.
    policy: &'static str,
    tag: String,
    plain: Bytes,
    compressed: [OnceCell<Bytes>; 3],
}

impl File {
    pub(crate) fn new(
        media_type: &'static str,
        policy: &'static str,
        plain: impl Into<Bytes>,
    ) -> Self {
        let plain = plain.into();
        let tag = tag_of(&keccak256(&plain).0);
        Self(Arc::new(Written { media_type, policy, tag, plain, compressed: Default::default() }))
    }

    /// What it is, uncompressed.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0.plain
    }

    /// The file in the coding that the caller likes best; 304 where the caller has it.
    pub(super) async fn response(&self, asked: &HeaderMap, seen: &Seen) -> Response {
        let Written { media_type, policy, tag, plain, compressed } = &*self.0;
        let known = seen.known_as(tag);
        let tag = HeaderValue::from_str(known.as_ref().unwrap_or(tag));
        let tagged = [
            (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
            (header::ETAG, tag.unwrap_or(HeaderValue::from_static("\"\""))),
        ];
        if known.is_some() {
            let varies = [(header::VARY, "accept-encoding")];
            return (StatusCode::NOT_MODIFIED, tagged, varies).into_response();
        }
        let own = [(header::CONTENT_TYPE, *media_type), (header::CONTENT_SECURITY_POLICY, *policy)];
        let Some(place) = preferred(asked) else {
            return (tagged, own, plain.clone()).into_response();
        };
        let coding = CODINGS[place];
        let bytes = compressed[place].get_or_init(|| compress(plain.clone(), coding)).await;
        let coding = [(header::CONTENT_ENCODING, coding), (header::VARY, "accept-encoding")];
        (tagged, own, coding, bytes.clone()).into_response()
    }
}

/// The coding that weighs most in `Accept-Encoding` (RFC 9110, section 12.5.3); none where none of ours is named.
fn preferred(asked: &HeaderMap) -> Option<usize> {
    let lists = asked.get_all(header::ACCEPT_ENCODING).iter().filter_map(|list| list.to_str().ok());
    let weighed = lists.flat_map(|list| list.split(',')).filter_map(|one| {
        let (name, weight) = one.split_once(';').unwrap_or((one, "q=1"));
        let place = CODINGS.iter().position(|coding| coding.eq_ignore_ascii_case(name.trim()))?;
        let weight: f32 = weight.trim().strip_prefix("q=")?.parse().ok()?;
        (weight > 0.0).then_some((place, weight))
    });
    let better = |one: (usize, f32), other: (usize, f32)| {
        let is_better = other.1 > one.1 || (other.1 >= one.1 && other.0 < one.0);
        if is_better { other } else { one }
    };
    weighed.reduce(better).map(|(place, _)| place)
}

/// What every other answer is compressed by, of these bytes.
///
/// # Panics
/// Never: what is read and written is memory.
async fn compress(plain: Bytes, coding: &'static str) -> Bytes {
    let answer = service_fn(move |_: Request| {
        let response = Response::new(Body::from(plain.clone()));
        async move { Ok::<_, Infallible>(response) }
    });
    let layer = CompressionLayer::new().zstd(true).br(true).gzip(true);
    let request = Request::builder().header(header::ACCEPT_ENCODING, coding).body(Body::empty());
    let response = layer.layer(answer).oneshot(request.expect("a request")).await;
    let body = response.unwrap_or_else(|never| match never {}).into_body();
    body.collect().await.expect("memory is read").to_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_coding_that_weighs_most_is_sent_and_of_equals_the_best() {
        let of = |text: &'static str| {
            let asked = [(header::ACCEPT_ENCODING, text.parse().unwrap())].into_iter().collect();
            preferred(&asked).map(|place| CODINGS[place])
        };
        assert_eq!(of("gzip, deflate, br, zstd"), Some("zstd"));
        assert_eq!(of("gzip;q=1.0, BR;q=0.5"), Some("gzip"));
        assert_eq!(of("br;q=0, gzip;q=0.1"), Some("gzip"));
        for none in ["identity", "deflate", "br;q=0", "gzip;q=x", "*", ""] {
            assert_eq!(of(none), None, "{none}");
        }
        assert_eq!(preferred(&HeaderMap::new()), None);
    }

    #[tokio::test]
    async fn a_file_is_compressed_once_for_all() {
        let file = File::new("text/plain", "default-src 'none'", "a document ".repeat(1_000));
        let get = async |coding: &'static str| {
            let asked = [(header::ACCEPT_ENCODING, coding.parse().unwrap())].into_iter().collect();
            let response = file.response(&asked, &Seen::default()).await;
            let coding = response.headers().get(header::CONTENT_ENCODING).cloned();
            (coding, response.into_body().collect().await.unwrap().to_bytes())
        };
        for coding in CODINGS {
            let ((named, first), (_, again)) = (get(coding).await, get(coding).await);
            assert_eq!(named.unwrap(), coding);
            assert!(first.len() < 200, "{} bytes", first.len());
            assert_eq!(first.as_ptr(), again.as_ptr(), "the same bytes, not made anew");
        }
        let (named, plain) = get("identity").await;
        assert_eq!((named, plain.len()), (None, 11_000));
    }
}
