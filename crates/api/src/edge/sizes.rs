//! Size limits of a request.

use axum::http::header;
use axum::http::request::Parts;

use crate::ApiError;
use crate::error::codes::{HEADERS_TOO_LARGE, URI_TOO_LONG};
use crate::service::ApiService;

/// Longest path and query in bytes. This limit and the two below stay under the HTTP library's (65,534 bytes; 100
/// fields; 16 KiB in HTTP/2), whose error responses have neither body nor limit headers.
const URI_BYTES_MAX: usize = 8_192;
/// Most header fields.
const HEADERS_MAX: usize = 64;
/// Most bytes in all header names and values.
const HEADER_BYTES_MAX: usize = 8_192;

/// Refuses a request larger, actual or announced, than any route reads (414, 431, 413).
pub(crate) fn check_sizes(service: &ApiService, parts: &Parts) -> Result<(), ApiError> {
    if parts.uri.path_and_query().is_some_and(|uri| uri.as_str().len() > URI_BYTES_MAX) {
        return Err(ApiError::new(
            URI_TOO_LONG,
            format!("path and query are longer than {URI_BYTES_MAX} bytes"),
        ));
    }
    let sizes = parts.headers.iter().map(|(name, value)| name.as_str().len() + value.len());
    if parts.headers.len() > HEADERS_MAX || sizes.sum::<usize>() > HEADER_BYTES_MAX {
        let detail = format!(
            "there are more than {HEADERS_MAX} header fields, or more than {HEADER_BYTES_MAX} bytes \
             of them"
        );
        return Err(ApiError::new(HEADERS_TOO_LARGE, detail));
    }
    let max = service.api.config.body_bytes_max;
    let length = parts.headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    let length = length.and_then(|length| length.parse::<u64>().ok());
    match length {
        Some(length) if usize::try_from(length).map_or(true, |length| length > max) => {
            Err(ApiError::body_too_large(max))
        }
        _ => Ok(()),
    }
}
