//! Request bodies: read whole and bounded, or drained.

use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderMap, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::Value;

use super::describe;
use crate::ApiError;
use crate::service::Shared;

/// Most bytes read from a refused body, so that its sender can read the answer: a connection closed over unread bytes
/// is reset, and the answer is lost.
const DRAINED_BYTES_MAX: u64 = 8 << 20;
const DRAIN_TIME_MAX: Duration = Duration::from_secs(2);

/// Most values in a body: a proof has some hundreds.
const VALUES_MAX: usize = 1 << 14;
/// Body bytes per counted request, and the limit for a body without a length header.
pub(crate) const BYTES_EACH: usize = 64 << 10;
/// Largest body parsed on the async threads.
const BRIEF_BYTES: usize = 8 << 10;

/// Reads a bounded JSON body; a refused body is drained.
///
/// # Errors
/// 415 for another content type, 413 past the limit, 400 for anything but a JSON object.
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

/// Parses a JSON object, large ones on a blocking thread; 400 for anything else.
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

pub(crate) fn named_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Like [`read_json`], for an optional body: without one, an empty object.
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

/// Refuses content codings: a compressed body would look like garbage.
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

/// Reads and discards a refused body, within bounds. A sender that waits for `100 Continue` gets the refusal at once.
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
