//! Faults of calls: error objects of JSON-RPC, and their classes.

use serde::Deserialize;
use serde_json::Value;
use superroot_types::first_chars;

use crate::error::CallFault;

#[derive(Deserialize)]
pub(super) struct ErrorObject {
    code: i64,
    #[serde(default)]
    message: String,
    /// Some nodes put the actual error here and only the error class in `message`.
    #[serde(default)]
    data: Value,
}

impl ErrorObject {
    /// Classifies the error; binary `data` is not text.
    pub(super) fn into_fault(self, clean: &dyn Fn(&str) -> String) -> CallFault {
        let Self { code, message, data } = self;
        match data.as_str().filter(|data| !data.is_empty() && !data.starts_with("0x")) {
            Some(data) => of_error_object(code, &format!("{message}: {data}"), clean),
            None => of_error_object(code, &message, clean),
        }
    }
}

impl CallFault {
    pub(crate) const fn label(&self) -> &'static str {
        match self {
            Self::Unreachable(_) => "unreachable",
            Self::Timeout(_) => "timeout",
            Self::Status { .. } => "status",
            Self::TooLarge(_) => "too_large",
            Self::NotJsonRpc(_) => "not_json_rpc",
            Self::Limited(_) => "limited",
            Self::Refused { .. } => "refused",
            Self::Missing(_) => "missing",
            Self::Mismatch { .. } => "mismatch",
            Self::Shape(_) => "shape",
            Self::NoReceipts => "no_receipts",
            Self::NoBody(_) => "no_body",
        }
    }

    pub(crate) fn is_no_method(&self) -> bool {
        let Self::Refused { code, message } = self else { return false };
        let message = message.to_lowercase();
        let words = [
            "method not found",
            "does not exist",
            "not supported",
            "unsupported",
            "not available",
            "not whitelisted",
            "not allowed",
        ];
        *code == -32601
            || (message.contains("method") && words.iter().any(|word| message.contains(word)))
    }

    /// Whether the node has nothing under the requested path or height.
    pub(crate) fn is_not_there(&self) -> bool {
        let Self::Refused { code, message } = self else { return false };
        *code == 404 || NO_HEIGHT_WORDS.iter().any(|words| message.contains(words))
    }

    pub(crate) const fn is_bad_params(&self) -> bool {
        matches!(self, Self::Refused { code: -32602, .. })
    }
}

/// Gateway error codes: rate limit.
const LIMIT_CODES: [i64; 5] = [-32005, -32029, -32016, -32097, 429];

/// `CometBFT` messages: height not reached yet, or pruned.
const NO_HEIGHT_WORDS: [&str; 3] = [
    "must be less than or equal to the current blockchain height",
    "is not available, lowest height is",
    "can't be greater than max height",
];

/// Gateway messages: rate limit.
const LIMIT_WORDS: [&str; 9] = [
    "rate limit",
    "rate-limit",
    "ratelimit",
    "too many request",
    "request limit",
    "limit exceeded",
    "compute units per second",
    "throttle",
    "quota",
];

pub(crate) fn of_error_object(
    code: i64,
    message: &str,
    clean: &dyn Fn(&str) -> String,
) -> CallFault {
    let lower: String = first_chars(message, 2_000).to_lowercase();
    if LIMIT_CODES.contains(&code) || LIMIT_WORDS.iter().any(|words| lower.contains(words)) {
        return CallFault::Limited(None);
    }
    CallFault::Refused { code, message: clean(message) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(code: i64, message: &str) -> CallFault {
        of_error_object(code, message, &|text| text.to_owned())
    }

    #[test]
    fn limits_are_known_by_code_and_by_words() {
        for (code, message) in [
            (-32005, "no"),
            (-32029, ""),
            (429, ""),
            (-32000, "Too Many Requests"),
            (-32000, "you have reached the rate limit"),
            (1015, "daily request limit reached"),
        ] {
            assert_eq!(object(code, message), CallFault::Limited(None), "{code} {message}");
        }
        for (code, message) in [(-32000, "header not found"), (-32601, "no"), (i64::MIN, "")] {
            assert!(matches!(object(code, message), CallFault::Refused { .. }), "{code}");
        }
    }

    #[test]
    fn a_missing_method_is_told_from_a_missing_block() {
        assert!(object(-32601, "").is_no_method());
        assert!(object(-32000, "The method eth_x does not exist/is not available").is_no_method());
        assert!(!object(-32000, "header not found").is_no_method());
        assert!(!object(-32000, "block does not exist").is_no_method());
        assert!(!CallFault::Timeout(1).is_no_method());
    }
}
