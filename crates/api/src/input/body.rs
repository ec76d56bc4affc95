//! Bodies of requests: read whole and bounded, or drained.

use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderMap, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::Value;

use super::describe;
use crate::ApiError;
use crate::service::Shared;

/// What is read at most of a body that is refused, so that its sender gets to read why: a
/// connection closed over unread bytes is reset, and the answer with it.
const DRAINED_BYTES_MAX: u64 = 8 << 20;
const DRAIN_TIME_MAX: Duration = Duration::from_secs(2);

/// Values of a body, at most: any proof has some hundreds.
const VALUES_MAX: usize = 1 << 14;
/// Bytes of a body that count as a request, and all that one may have whose length is not named.
pub(crate) const BYTES_EACH: usize = 64 << 10;
/// The most that is parsed on the threads that answer others as well.
const BRIEF_BYTES: usize = 8 << 10;

/// Reads a body of JSON, bounded; what is refused unread is drained.
///
/// # Errors
/// 415 for another content type, 413 past the limit, 400 for what is no JSON object.
pub(crate) async fn read_json(
    service: &Shared,
    headers: &HeaderMap,
    body: Body,
) -> Result<Value, ApiError> {
    if let Err(error) = check_media_type(headers) {
        drain(headers, body).await;
        return Err(error);
    }
    let max = service.api.config.body_bytes_max;
    let bytes = if body.size_hint().exact().is_some() {
        read_body(headers, body, max, || ApiError::body_too_large(max)).await?
    } else {
        let most = max.min(BYTES_EACH);
        read_body(headers, body, most, || ApiError::unmeasured_body_too_large(most, max)).await?
    };
    parse_object(service, "body", bytes).await
}

/// Parses a JSON object: what is large, not on the threads that answer others as well.
///
/// # Errors
/// 400 for what is none.
pub(crate) async fn parse_object(
    service: &Shared,
    name: &'static str,
    bytes: Bytes,
) -> Result<Value, ApiError> {
    if bytes.len() > BRIEF_BYTES {
        return service.parse_large(move || parse(name, &bytes)).await;
    }
    parse(name, &bytes)
}

fn parse(name: &'static str, bytes: &[u8]) -> Result<Value, ApiError> {
    let value = superroot_wire::parse_json_within(bytes, VALUES_MAX);
    let value = value.map_err(|error| ApiError::unreadable(name, &error))?;
    if value.is_object() {
        return Ok(value);
    }
    Err(ApiError::parameter(name, &describe(&value), "a JSON object"))
}

/// How long the body is, where the head says it.
pub(crate) fn named_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// As [`read_json`], where a body may be left out: without one an empty object.
///
/// # Errors
/// As there.
pub(crate) async fn read_json_if_any(
    service: &Shared,
    headers: &HeaderMap,
    body: Body,
) -> Result<Value, ApiError> {
    if body.is_end_stream() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    read_json(service, headers, body).await
}

fn check_media_type(headers: &HeaderMap) -> Result<(), ApiError> {
    let media_type = headers
        .get(header::CONTENT_TYPE)
        .map_or("missing", |media_type| media_type.to_str().unwrap_or("not ASCII"));
    let essence = media_type.split(';').next().unwrap_or("").trim();
    if !essence.eq_ignore_ascii_case("application/json") {
        return Err(ApiError::media_type("content-type", media_type, "application/json"));
    }
    check_coding(headers)
}

/// Bodies are read as they are: a compressed one would only look like garbage.
fn check_coding(headers: &HeaderMap) -> Result<(), ApiError> {
    let codings = headers.get_all(header::CONTENT_ENCODING).iter();
    let mut codings = codings.map(|coding| coding.to_str().unwrap_or("not ASCII"));
    match codings.find(|coding| !coding.eq_ignore_ascii_case("identity")) {
        None => Ok(()),
        Some(coding) => Err(ApiError::media_type("content-encoding", coding, "none")),
    }
}

async fn read_body(
    headers: &HeaderMap,
    mut body: Body,
    max: usize,
    too_large: impl FnOnce() -> ApiError,
) -> Result<Bytes, ApiError> {
    match Limited::new(&mut body, max).collect().await {
        Ok(whole) => Ok(whole.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => {
            drain(headers, body).await;
            Err(too_large())
        }
        Err(_) => Err(ApiError::parameter("body", "cut short", "a whole body")),
    }
}

/// Reads and forgets a body that is refused, within bounds. A sender that waits for a word before
/// it sends the body is told at once.
pub(crate) async fn drain(headers: &HeaderMap, mut body: Body) {
    let is_awaited = headers.contains_key(header::EXPECT);
    if is_awaited || body.size_hint().lower() > DRAINED_BYTES_MAX {
        return;
    }
    let drained = async {
        let mut bytes = 0_u64;
        while let Some(Ok(frame)) = body.frame().await {
            bytes = bytes.saturating_add(frame.data_ref().map_or(0, |data| data.len() as u64));
            if bytes > DRAINED_BYTES_MAX {
                return;
            }
        }
    };
    // late or not, the answer follows
    let _ = tokio::time::timeout(DRAIN_TIME_MAX, drained).await;
}
