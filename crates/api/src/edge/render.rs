//! Rendering: anchor, spelling, body, `ETag`, and 304.
//!
//! Handlers and layers put an [`ApiAnswer`] or an [`ApiError`] into an empty response. Only rendering makes bytes, so
//! errors from every layer look the same and every JSON answer carries its anchor.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use futures_util::stream;
use http_body_util::BodyExt;
use superroot_account::without_keys;
use superroot_proof::hash::keccak256;
use superroot_wire::problem::PROBLEM_MEDIA_TYPE;
use superroot_wire::{Case, Problem, anchor};
use tokio::sync::OwnedSemaphorePermit;

use super::grpc::{self, GrpcStatus};
use super::key::is_presented;
use super::limit_headers::{Quota, insert, write_limits};
use super::request_id::RequestId;
use crate::ApiError;
use crate::answer::{AnswerChain, ApiAnswer, MessageRoom};
use crate::error::codes::API_KEY_REQUIRED;
use crate::pages;
use crate::response_cache::{Media, Rendered};
use crate::route::case_of;
use crate::seen::{Conditional, tag_of};
use crate::service::Api;

/// Chunk size for a large answer in bytes.
const PIECE_BYTES: usize = 64 << 10;
/// Cache-Control of an immutable answer.
pub(super) const FOR_ALL: &str = "public, max-age=31536000, immutable";
const FOR_ONE: &str = "private, max-age=31536000, immutable";

/// Request data that determines the answer's form.
pub(crate) struct RenderOptions {
    is_grpc: bool,
    case: Case,
    id: RequestId,
    seen: Conditional,
    has_key: bool,
}

impl RenderOptions {
    pub(crate) fn of(request: &mut Request, is_grpc: bool) -> Self {
        let seen = Conditional::of(request);
        let has_key = is_presented(request.headers());
        let case = case_of(request.uri().path());
        let extensions = request.extensions_mut();
        let id = extensions.get().cloned().unwrap_or_default();
        extensions.insert(seen.clone());
        Self { is_grpc, case, id, seen, has_key }
    }

    /// Renders an answer or an error; any other response is unchanged.
    pub(crate) fn render(self, api: &Api, response: &mut Response) {
        if self.is_grpc {
            write_message(api, &self.id, response);
        } else if let Some(answer) = response.extensions_mut().remove::<ApiAnswer>() {
            write_answer(api, answer, self.case, (&self.seen, self.has_key), response);
        } else if let Some(error) = response.extensions_mut().remove::<ApiError>() {
            write_problem(api, &error, self.case, &self.id, response);
        }
    }
}

fn write_answer(
    api: &Api,
    answer: ApiAnswer,
    case: Case,
    (seen, has_key): (&Conditional, bool),
    response: &mut Response,
) {
    let is_live = answer.published.is_none();
    let published = answer.published.or_else(|| api.prover.latest());
    let slot = answer.slot.zip(published.clone());
    let anchor = || published.map(|published| api.anchor(&published, answer.chain, is_live));
    let text = answer.body.map(|mut text| {
        anchor::attach_to_text(&mut text, anchor().as_ref(), case);
        // it may be remembered, so nothing stands over
        Bytes::from(text.into_boxed_slice())
    });
    let bytes = answer.written.or(text);
    let headers = response.headers_mut();
    let media = answer.media;
    let chain = answer.chain;
    let media_type = match media {
        Media::Json => "application/json",
        Media::File => "application/octet-stream",
        Media::Html => pages::HTML,
    };
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    if media == Media::Html {
        let policy = HeaderValue::from_static(pages::POLICY);
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    if !answer.is_fixed {
        if let (Some((slot, published)), Some(bytes)) = (slot, bytes.clone()) {
            slot.put(Rendered { bytes, media, tag: None, chain, is_fixed: false }, published);
        }
        let cache = if answer.is_private { "no-store" } else { "no-cache" };
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
        *response.body_mut() = body_of(bytes, answer.room);
        return;
    }
    // what was asked for under a key, only who asked may keep
    let kept = HeaderValue::from_static(if has_key { FOR_ONE } else { FOR_ALL });
    headers.insert(header::CACHE_CONTROL, kept);
    // a proof has two forms under one address, and neither may be kept for the other
    headers.append(header::VARY, HeaderValue::from_static("accept"));
    let tag =
        answer.tag.unwrap_or_else(|| tag_of(&keccak256(bytes.as_deref().unwrap_or_default()).0));
    let known = seen.known_as(&tag);
    insert(headers, header::ETAG, known.as_ref().unwrap_or(&tag));
    if let (Some((slot, published)), Some(bytes)) = (slot, bytes.clone()) {
        slot.put(Rendered { bytes, media, tag: Some(tag), chain, is_fixed: true }, published);
    }
    if known.is_some() {
        headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
        headers.remove(header::CONTENT_TYPE);
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else {
        *response.body_mut() = body_of(bytes, answer.room);
    }
}

/// Body, without a known length if omitted. With a memory permit it is sent in chunks; the last chunk releases the
/// permit.
fn body_of(bytes: Option<Bytes>, room: Option<Arc<OwnedSemaphorePermit>>) -> Body {
    let mut left = match (bytes, &room) {
        (Some(bytes), None) => return Body::from(bytes),
        (Some(bytes), Some(_)) => bytes,
        (None, _) => Bytes::new(),
    };
    let pieces = std::iter::from_fn(move || {
        let _held = &room;
        let piece = left.split_to(left.len().min(PIECE_BYTES));
        (!piece.is_empty()).then_some(Ok::<_, Infallible>(piece))
    });
    Body::from_stream(stream::iter(pieces))
}

/// Marks a strong tag with the coding: a compressed body needs a separate tag.
pub(crate) fn tag_coding(headers: &mut HeaderMap) {
    let coding = headers.get(header::CONTENT_ENCODING).and_then(|coding| coding.to_str().ok());
    let tag = headers.get(header::ETAG).and_then(|tag| tag.to_str().ok());
    if let (Some(coding), Some(tag)) = (coding, tag) {
        let tag = format!("\"{}-{coding}\"", tag.trim_matches('"'));
        insert(headers, header::ETAG, &tag);
    }
}

/// Finishes a gRPC answer: tonic wrote it, except refusals.
fn write_message(api: &Api, id: &RequestId, response: &mut Response) {
    let mut about = response.extensions().get::<AnswerChain>().copied();
    let outcome = match grpc::take_error(response, api.config.body_bytes_max) {
        None => GrpcStatus::of_status(response),
        Some(error) => {
            about = error.chain.map(AnswerChain).or(about);
            grpc::write(&error, &problem_of(&error, id), response);
            let status = StatusCode::from_u16(error.code.status);
            GrpcStatus(status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR))
        }
    };
    if let Some(about) = about {
        response.extensions_mut().insert(about);
    }
    if let Some(MessageRoom(room)) = response.extensions_mut().remove() {
        let body = std::mem::take(response.body_mut());
        *response.body_mut() = Body::new(body.map_frame(move |frame| {
            let _held = &room;
            frame
        }));
    }
    response.extensions_mut().insert(outcome);
}

pub(crate) fn problem_of(error: &ApiError, id: &RequestId) -> Problem {
    // whatever a caller sent in the place of something else: a key is not sent back
    let detail = without_keys(&error.detail);
    let mut problem = Problem::new(error.code.status, error.code.name, error.code.title, detail);
    problem.request_id.clone_from(&id.0);
    problem.retryable = error.retry_after.is_some();
    problem.retry_after = error.retry_after;
    problem.parameter.clone_from(&error.parameter);
    problem.extra.clone_from(&error.members);
    problem
}

fn write_problem(api: &Api, error: &ApiError, case: Case, id: &RequestId, response: &mut Response) {
    let problem = problem_of(error, id);
    let latest = api.prover.latest();
    let anchor = latest.map(|latest| api.anchor(&latest, error.chain, true));
    let body = problem.to_value(anchor.as_ref(), case);
    let headers = response.headers_mut();
    let media_type = HeaderValue::from_static(PROBLEM_MEDIA_TYPE);
    headers.insert(header::CONTENT_TYPE, media_type);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some((name, limit)) = error.limit {
        write_limits(headers, &Quota::new(name, Some(limit)));
    }
    if let Some(seconds) = error.retry_after {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Some((name, value)) = &error.header {
        headers.insert(name, value.clone());
    }
    if error.code.status == 401 {
        // RFC 6750: no word of an error where no key was presented
        let challenge = HeaderValue::from_static(if error.code == API_KEY_REQUIRED {
            "Bearer realm=\"superroot\""
        } else {
            "Bearer realm=\"superroot\", error=\"invalid_token\""
        });
        headers.insert(header::WWW_AUTHENTICATE, challenge);
    }
    *response.body_mut() = Body::from(body.to_string());
}
