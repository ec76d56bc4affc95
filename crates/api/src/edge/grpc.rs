//! gRPC at the edge: request detection, timeouts, and the form of refusals.
//!
//! ```text
//! ApiError ── problem ──► grpc-status, grpc-message: the detail
//!                         grpc-status-details-bin: google.rpc.Status
//!                           ErrorInfo     reason: the code in capitals; the members of the problem
//!                           BadRequest    the field at fault
//!                           RetryInfo     when to ask again
//!                           RequestInfo   the id that leads to the log
//! ```

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use serde_json::Value;
use superroot_wire::{Case, Problem};
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use super::limit_headers::{Quota, write_limits};
use crate::ApiError;
use crate::error::codes::{self, TIMEOUT, UNKNOWN_PATH};
use crate::error::shorten;

const MEDIA_TYPE: &str = "application/grpc";
const TIMEOUT_HEADER: &str = "grpc-timeout";
const DOMAIN: &str = "superroot";
/// Longest problem member passed on, in bytes: clients accept 8 KiB for all headers.
const MEMBER_BYTES_MAX: usize = 512;

/// Whether a request is gRPC: `application/grpc`, with or without a format suffix; gRPC-Web is not.
pub(super) fn is_of(headers: &HeaderMap) -> bool {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let rest = media_type.and_then(|text| text.strip_prefix(MEDIA_TYPE));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['+', ';']))
}

pub(super) fn wrong_type(headers: &HeaderMap) -> ApiError {
    let got = headers.get(header::CONTENT_TYPE);
    let got = got.map_or("missing", |value| value.to_str().unwrap_or("not ASCII"));
    ApiError::media_type("content-type", got, MEDIA_TYPE)
}

/// Caller's timeout; `None` if absent. An invalid timeout is 400.
pub(super) fn timeout(headers: &HeaderMap) -> Result<Option<Duration>, ApiError> {
    let Some(value) = headers.get(TIMEOUT_HEADER) else { return Ok(None) };
    let text = value.to_str().unwrap_or("not ASCII");
    let expected = "1 to 8 digits and one of H, M, S, m, u, n";
    let wrong = || ApiError::parameter(TIMEOUT_HEADER, text, expected);
    let (digits, unit) = text.split_at_checked(text.len().wrapping_sub(1)).ok_or_else(wrong)?;
    let is_number = (1..=8).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    let number = if is_number { digits.parse::<u64>().ok() } else { None };
    let number = number.ok_or_else(wrong)?;
    Ok(Some(match unit {
        "H" => Duration::from_secs(number * 3_600),
        "M" => Duration::from_secs(number * 60),
        "S" => Duration::from_secs(number),
        "m" => Duration::from_millis(number),
        "u" => Duration::from_micros(number),
        "n" => Duration::from_nanos(number),
        _ => return Err(wrong()),
    }))
}

/// Extra seconds for a call whose message asks to wait; set after the message is read.
#[derive(Clone, Default)]
pub(crate) struct Patience(Arc<AtomicU32>);

impl Patience {
    pub(crate) fn ask_for(&self, seconds: u32) {
        self.0.store(seconds, Ordering::Relaxed);
    }

    /// Remaining time after `limit` has passed.
    pub(super) fn after(&self, limit: Duration, deadline: Option<Duration>) -> Duration {
        let asked = Duration::from_secs(u64::from(self.0.load(Ordering::Relaxed)));
        deadline.map_or(asked, |deadline| asked.min(deadline.saturating_sub(limit)))
    }
}

/// Takes the error to be rendered at the edge: from a method, or from tonic for an unreadable message.
pub(super) fn take_error(response: &mut Response, body_bytes_max: usize) -> Option<ApiError> {
    if let Some(error) = response.extensions_mut().remove::<ApiError>() {
        return Some(error);
    }
    let status = response.extensions_mut().remove::<Status>()?;
    let source = std::error::Error::source(&status);
    if let Some(error) = source.and_then(|source| source.downcast_ref::<ApiError>()) {
        return Some(error.clone());
    }
    match status.code() {
        Code::OutOfRange => Some(ApiError::body_too_large(body_bytes_max)),
        Code::Internal => Some(ApiError::unreadable("message", &status.message())),
        _ => None,
    }
}

/// Writes a refusal; metrics and counts use its HTTP status.
pub(super) fn write(error: &ApiError, problem: &Problem, response: &mut Response) {
    let status = Status::with_error_details(code_of(error), &problem.detail, details(problem));
    *response = status.into_http::<Body>();
    if let Some((name, limit)) = error.limit {
        write_limits(response.headers_mut(), &Quota::new(name, Some(limit)));
    }
}

/// REST equivalent for a response status: every gRPC answer is 200 in HTTP.
#[derive(Clone, Copy)]
pub(super) struct GrpcStatus(pub(super) StatusCode);

impl GrpcStatus {
    pub(super) fn of<B>(response: &axum::http::Response<B>) -> StatusCode {
        let said = response.extensions().get::<Self>().copied();
        said.map_or(response.status(), |Self(status)| status)
    }

    pub(super) fn of_status(response: &Response) -> Self {
        let is_refused = response.headers().get(Status::GRPC_STATUS);
        let is_refused = is_refused.is_some_and(|status| status != "0");
        Self(if is_refused { StatusCode::BAD_REQUEST } else { response.status() })
    }
}

fn code_of(error: &ApiError) -> Code {
    match (error.code, error.code.status) {
        (UNKNOWN_PATH | codes::METHOD_NOT_ALLOWED, _) => Code::Unimplemented,
        (TIMEOUT, _) => Code::DeadlineExceeded,
        (_, 401) => Code::Unauthenticated,
        (_, 403) => Code::PermissionDenied,
        (_, 404 | 410) => Code::NotFound,
        (_, 409) => Code::FailedPrecondition,
        (_, 413 | 414 | 429 | 431) => Code::ResourceExhausted,
        (_, 400..=499) => Code::InvalidArgument,
        (_, 503) => Code::Unavailable,
        _ => Code::Internal,
    }
}

fn details(problem: &Problem) -> ErrorDetails {
    let mut members = HashMap::from([
        ("code".to_owned(), problem.code.clone()),
        ("type".to_owned(), problem.kind.clone()),
        ("title".to_owned(), problem.title.clone()),
        ("status".to_owned(), problem.status.to_string()),
        ("retryable".to_owned(), problem.retryable.to_string()),
    ]);
    for (name, value) in &problem.extra {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if *value != Value::Null && text.len() <= MEMBER_BYTES_MAX {
            members.insert(name.clone(), text);
        }
    }
    let mut details = ErrorDetails::new();
    if let Some(parameter) = &problem.parameter {
        let field = Case::Snake.spell(parameter);
        members.insert("parameter".to_owned(), field.clone());
        if problem.status == 400 || problem.code == codes::UNKNOWN_CHAIN.name {
            details.add_bad_request_violation(field, shorten(&problem.detail));
        }
    }
    details.set_error_info(problem.code.to_ascii_uppercase(), DOMAIN, members);
    if let Some(seconds) = problem.retry_after {
        details.set_retry_info(Some(Duration::from_secs(seconds)));
    }
    details.set_request_info(&problem.request_id, "");
    details
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &'static str, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())])
    }

    #[test]
    fn a_timeout_is_up_to_eight_digits_and_a_unit() {
        let read = |text: &str| timeout(&with("grpc-timeout", text));
        for (text, expected) in [
            ("1H", Duration::from_secs(3_600)),
            ("2M", Duration::from_secs(120)),
            ("10S", Duration::from_secs(10)),
            ("250m", Duration::from_millis(250)),
            ("7u", Duration::from_micros(7)),
            ("0n", Duration::ZERO),
            ("99999999H", Duration::from_secs(99_999_999 * 3_600)),
        ] {
            assert_eq!(read(text).unwrap(), Some(expected), "{text}");
        }
        for text in ["", "S", "5", "5s", "-1S", "+1S", "1.5S", "123456789m", "1 S", "1S ", "1x"] {
            let error = read(text).unwrap_err();
            assert_eq!(error.code.name, "invalid_parameter", "{text}");
            assert_eq!(error.parameter.as_deref(), Some("grpc-timeout"));
        }
        assert_eq!(timeout(&HeaderMap::new()).unwrap(), None);
    }

    #[test]
    fn patience_ends_with_the_deadline() {
        let (patience, second) = (Patience::default(), Duration::from_secs(1));
        assert_eq!(patience.after(second, None), Duration::ZERO);
        patience.clone().ask_for(5);
        for (deadline, expected) in [(None, 5), (Some(1), 0), (Some(3), 2), (Some(9), 5)] {
            let deadline = deadline.map(Duration::from_secs);
            assert_eq!(patience.after(second, deadline), Duration::from_secs(expected));
        }
    }

    #[test]
    fn only_grpc_is_grpc() {
        for text in ["application/grpc", "application/grpc+proto", "application/grpc;x=1"] {
            assert!(is_of(&with("content-type", text)), "{text}");
        }
        for text in ["application/grpc-web", "application/grpcx", "application/json", ""] {
            assert!(!is_of(&with("content-type", text)), "{text}");
        }
        assert!(!is_of(&HeaderMap::new()));
    }

    /// No refusal may look like an answer, and none of ours like a fault of the client.
    #[test]
    fn every_code_has_a_status_of_its_kind() {
        for code in codes::CODES {
            let status = code_of(&ApiError::new(*code, "x"));
            assert_ne!(status, Code::Ok, "{}", code.name);
            let is_ours = matches!(
                status,
                Code::Internal | Code::Unavailable | Code::DeadlineExceeded | Code::Unimplemented
            );
            let is_path = *code == UNKNOWN_PATH || *code == codes::METHOD_NOT_ALLOWED;
            assert_eq!(is_ours, code.status >= 500 || is_path, "{}", code.name);
        }
    }
}
