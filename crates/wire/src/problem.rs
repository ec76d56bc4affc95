//! Errors as `application/problem+json` (RFC 9457).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use superroot_types::BlockNumber;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::{Anchor, Case, anchor};

/// A problem's media type.
pub const PROBLEM_MEDIA_TYPE: &str = "application/problem+json";

/// Problem. Members are `snake_case` on every route.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Problem {
    /// URI of the problem kind.
    #[serde(rename = "type")]
    pub kind: String,
    /// Problem kind in a few words.
    pub title: String,
    /// HTTP status.
    pub status: u16,
    /// This problem's cause, and what to do.
    pub detail: String,
    /// Stable code for programs.
    pub code: String,
    /// Same text as `detail`.
    pub error: String,
    /// Request id, as in `X-Request-Id`.
    pub request_id: String,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// Seconds until a retry, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// Faulty parameter, on 400.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// Further members for this code, such as the scanned range.
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub extra: Map<String, Value>,
}

/// First and last scanned number, in a problem `not_indexed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scanned {
    /// First block number.
    pub from: BlockNumber,
    /// Last block number.
    pub to: BlockNumber,
}

impl Problem {
    /// Creates a problem that is not retryable and has no further members. The code determines `kind`.
    #[must_use]
    pub fn new(status: u16, code: &str, title: &str, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self {
            kind: format!("urn:superroot:problem:{code}"),
            title: title.to_owned(),
            status,
            error: detail.clone(),
            detail,
            code: code.to_owned(),
            request_id: String::new(),
            retryable: false,
            retry_after: None,
            parameter: None,
            extra: Map::new(),
        }
    }

    /// Returns the body, with the anchor named in the route's spelling.
    ///
    /// # Panics
    /// Never: texts, integers and JSON are always JSON.
    #[must_use]
    pub fn to_value(&self, anchor: Option<&Anchor>, case: Case) -> Value {
        let mut body = serde_json::to_value(self).expect("texts and integers are always JSON");
        anchor::attach(&mut body, anchor, case);
        body
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_problem_reads_back() {
        let mut problem =
            Problem::new(409, "not_final", "Block is not final", "block 7 is not final");
        problem.request_id = "r-1".to_owned();
        problem.retryable = true;
        problem.retry_after = Some(12);
        problem.extra.insert("head".to_owned(), json!(9));
        let body = problem.to_value(None, Case::Camel);
        let expected = json!({
            "type": "urn:superroot:problem:not_final", "title": "Block is not final", "status": 409,
            "detail": "block 7 is not final", "error": "block 7 is not final", "code": "not_final",
            "request_id": "r-1", "retryable": true, "retry_after": 12, "head": 9, "v5Anchor": null,
        });
        assert_eq!(body, expected);
        problem.extra.insert("v5Anchor".to_owned(), Value::Null);
        assert_eq!(serde_json::from_value::<Problem>(body).unwrap(), problem);
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let body = Problem::new(404, "not_found", "Not found", "no").to_value(None, Case::Snake);
        assert!(body.get("retry_after").is_none() && body.get("parameter").is_none());
    }
}
