//! File served to every caller: compressed once per coding, and not resent to a caller that has it.

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

use crate::coding::{self, CODINGS};
use crate::seen::{Conditional, tag_of};

pub(super) const CSS: &str = "text/css; charset=utf-8";
pub(crate) const HTML: &str = "text/html; charset=utf-8";
pub(super) const JS: &str = "text/javascript; charset=utf-8";

/// File, and its compressed forms once requested.
#[derive(Clone)]
pub(crate) struct PageFile(Arc<CompressedFile>);

struct CompressedFile {
    media_type: &'static str,
    policy: &'static str,
    tag: String,
    plain: Bytes,
    compressed: [OnceCell<Bytes>; 3],
}

impl PageFile {
    pub(crate) fn new(
        media_type: &'static str,
        policy: &'static str,
        plain: impl Into<Bytes>,
    ) -> Self {
        let plain = plain.into();
        let tag = tag_of(&keccak256(&plain).0);
        Self(Arc::new(CompressedFile {
            media_type,
            policy,
            tag,
            plain,
            compressed: Default::default(),
        }))
    }

    /// Uncompressed bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0.plain
    }

    /// File in the caller's preferred coding; 304 if the caller has it.
    pub(super) async fn response(&self, asked: &HeaderMap, seen: &Conditional) -> Response {
        let CompressedFile { media_type, policy, tag, plain, compressed } = &*self.0;
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
        // as any other answer would be coded for this request; nothing is compressed until the body is read
        let layered = layered(plain.clone(), asked).await;
        let coding = layered.headers().get(header::CONTENT_ENCODING);
        let place = coding.and_then(|coding| CODINGS.iter().position(|known| coding == known));
        let Some(place) = place else { return (tagged, own, plain.clone()).into_response() };
        let compress = async || {
            let body = layered.into_body().collect().await;
            body.expect("memory is read and written").to_bytes()
        };
        let bytes = compressed[place].get_or_init(compress).await;
        let coding =
            [(header::CONTENT_ENCODING, CODINGS[place]), (header::VARY, "accept-encoding")];
        (tagged, own, coding, bytes.clone()).into_response()
    }
}

/// Bytes from the compression layer used for all other answers.
async fn layered(plain: Bytes, asked: &HeaderMap) -> Response {
    let answer = service_fn(move |_: Request| {
        let response = Response::new(Body::from(plain.clone()));
        async move { Ok::<_, Infallible>(response) }
    });
    let mut request = Request::new(Body::empty());
    for list in asked.get_all(header::ACCEPT_ENCODING) {
        request.headers_mut().append(header::ACCEPT_ENCODING, list.clone());
    }
    let response = coding::layer().layer(answer).oneshot(request).await;
    response.unwrap_or_else(|never| match never {}).map(Body::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_file_is_compressed_once_for_all() {
        let file = PageFile::new("text/plain", "default-src 'none'", "a document ".repeat(1_000));
        let get = async |coding: &'static str| {
            let asked = [(header::ACCEPT_ENCODING, coding.parse().unwrap())].into_iter().collect();
            let response = file.response(&asked, &Conditional::default()).await;
            let coding = response.headers().get(header::CONTENT_ENCODING).cloned();
            (coding, response.into_body().collect().await.unwrap().to_bytes())
        };
        for (asked, coding) in [
            ("zstd", "zstd"),
            ("br, deflate", "br"),
            ("gzip", "gzip"),
            ("BR;Q=1", "br"),
            ("x-gzip", "gzip"),
            ("*, zstd;q=0, gzip;q=0", "br"),
            ("gzip;q=0.5, identity;q=0.1", "gzip"),
        ] {
            let ((named, first), (_, again)) = (get(asked).await, get(asked).await);
            assert_eq!(named.unwrap(), coding, "{asked}");
            assert!(first.len() < 200, "{} bytes", first.len());
            assert_eq!(first.as_ptr(), again.as_ptr(), "the same bytes, not made anew");
        }
        for asked in ["identity", "deflate", "br;q=0", "gzip;q=0.5, identity", ""] {
            let (named, plain) = get(asked).await;
            assert_eq!((named, plain.len()), (None, 11_000), "{asked}");
        }
    }
}
