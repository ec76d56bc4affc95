//! What can be wrong with one call: shared by all who wait for it, turned into an error at the end.

use superroot_types::first_chars;

use super::transport::TransportError;
use crate::error::SourceError;

/// Why a call has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// No connection, or a broken one.
    Unreachable(String),
    /// No whole answer in time, in milliseconds.
    Timeout(u64),
    /// Another HTTP status than 200.
    Status {
        /// It.
        got: u16,
        /// How the body begins, cleaned.
        text: String,
    },
    /// More bytes than allowed.
    TooLarge(usize),
    /// No JSON-RPC; how it begins.
    NotJsonRpc(String),
    /// Fewer calls are wanted; for how long, where the node says it.
    Limited(Option<u64>),
    /// An error object.
    Refused {
        /// Its code.
        code: i64,
        /// Its message, cleaned.
        message: String,
    },
    /// The batch's answer lacks this call, or has it twice.
    Missing(&'static str),
    /// A member is not the one sent.
    Mismatch { field: &'static str, got: String, expected: String },
    /// Neither result nor error, or another shape.
    Shape(String),
    /// It has a block, and not its receipts.
    NoReceipts,
}

impl Fault {
    /// Label of a metric.
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
        }
    }

    /// Whether the node has no such method.
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

    /// Whether the node says that it cannot read the call's parameters.
    pub(crate) const fn is_bad_params(&self) -> bool {
        matches!(self, Self::Refused { code: -32602, .. })
    }

    /// The error that a caller of the source sees.
    pub(crate) fn into_error(self, source_name: &str, method: &'static str) -> SourceError {
        let source_name = source_name.to_owned();
        match self {
            Self::Unreachable(why) => SourceError::Unreachable { source_name, method, why },
            Self::Timeout(timeout_ms) => SourceError::Timeout { source_name, method, timeout_ms },
            Self::Status { got, text } => SourceError::Status { source_name, method, got, text },
            Self::TooLarge(expected) => SourceError::BodyTooLarge { source_name, method, expected },
            Self::NotJsonRpc(got) => SourceError::NotJsonRpc { source_name, method, got },
            Self::Limited(retry_after_ms) => {
                SourceError::Limited { source_name, method, retry_after_ms }
            }
            Self::Refused { code, message } => {
                SourceError::Refused { source_name, method, code, message }
            }
            Self::Missing(why) => SourceError::Shape { source_name, method, why: why.into() },
            Self::Mismatch { field, got, expected } => {
                SourceError::Mismatch { source_name, method, field, got, expected }
            }
            Self::Shape(why) => SourceError::Shape { source_name, method, why },
            Self::NoReceipts => {
                let why = format!("it {}", super::node::LACKS_RECEIPTS);
                SourceError::Shape { source_name, method, why }
            }
        }
    }
}

/// What a transport failed with, read as what it means.
pub(crate) fn of_transport(error: TransportError, clean: &dyn Fn(&str) -> String) -> Fault {
    match error {
        TransportError::Unreachable { why } => Fault::Unreachable(why),
        TransportError::TooLarge { expected } => Fault::TooLarge(expected),
        TransportError::Status { got: 429, retry_after_ms, .. } => Fault::Limited(retry_after_ms),
        TransportError::Status { got: 503, retry_after_ms: Some(ms), .. } => {
            Fault::Limited(Some(ms))
        }
        TransportError::Status { got, text, .. } => {
            // some gateways send the error object of JSON-RPC under a status of its own
            super::answer::error_object(&text, clean).unwrap_or_else(|| {
                let text = clean(String::from_utf8_lossy(&text).trim());
                Fault::Status { got, text }
            })
        }
    }
}

/// Codes of gateways that want fewer calls.
const LIMIT_CODES: [i64; 5] = [-32005, -32029, -32016, -32097, 429];

/// Words of gateways that want fewer calls.
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

/// An error object, read as what it means.
pub(crate) fn of_error_object(code: i64, message: &str, clean: &dyn Fn(&str) -> String) -> Fault {
    let lower: String = first_chars(message, 2_000).to_lowercase();
    if LIMIT_CODES.contains(&code) || LIMIT_WORDS.iter().any(|words| lower.contains(words)) {
        return Fault::Limited(None);
    }
    Fault::Refused { code, message: clean(message) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(code: i64, message: &str) -> Fault {
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
            assert_eq!(object(code, message), Fault::Limited(None), "{code} {message}");
        }
        for (code, message) in [(-32000, "header not found"), (-32601, "no"), (i64::MIN, "")] {
            assert!(matches!(object(code, message), Fault::Refused { .. }), "{code}");
        }
    }

    #[test]
    fn a_missing_method_is_told_from_a_missing_block() {
        assert!(object(-32601, "").is_no_method());
        assert!(object(-32000, "The method eth_x does not exist/is not available").is_no_method());
        assert!(!object(-32000, "header not found").is_no_method());
        assert!(!object(-32000, "block does not exist").is_no_method());
        assert!(!Fault::Timeout(1).is_no_method());
    }

    #[test]
    fn a_status_is_read_by_what_it_means() {
        let status = |got, retry_after_ms, text: &str| {
            let error = TransportError::Status { got, retry_after_ms, text: text.into() };
            of_transport(error, &|text| text.to_owned())
        };
        assert_eq!(status(429, None, ""), Fault::Limited(None));
        assert_eq!(status(429, Some(7), "{}"), Fault::Limited(Some(7)));
        assert_eq!(status(503, Some(7), ""), Fault::Limited(Some(7)));
        let text = "<html>".to_owned();
        assert_eq!(status(503, None, " <html>\n"), Fault::Status { got: 503, text });
        let object = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}"#;
        assert!(status(400, None, object).is_no_method());
    }
}
