//! Errors as `application/problem+json` (RFC 9457).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use superroot_types::BlockNumber;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::{Anchor, Case, anchor};

/// Media type of a problem.
pub const PROBLEM_MEDIA_TYPE: &str = "application/problem+json";

/// A problem. Its members are `snake_case` on every route.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Problem {
    /// URI of the kind of problem.
    #[serde(rename = "type")]
    pub kind: String,
    /// The kind of problem in a few words.
    pub title: String,
    /// HTTP status.
    pub status: u16,
    /// What is wrong this time, and what to do.
    pub detail: String,
    /// Stable word for programs.
    pub code: String,
    /// The same text as `detail`.
    pub error: String,
    /// Id of the request, as in `X-Request-Id`.
    pub request_id: String,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// After how many seconds, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// The parameter at fault, on 400.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// Further members of this code, such as the scanned range.
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub extra: Map<String, Value>,
}

/// First and last number that was scanned, in a problem `not_indexed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scanned {
    /// First block number.
    pub from: BlockNumber,
    /// Last block number.
    pub to: BlockNumber,
}

impl Problem {
    /// A problem that is not retryable and has nothing further. `kind` is made of the code.
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

    /// The body, with the anchor under the name that the route's spelling gives it.
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
