//! Request id, which leads from an answer to its log lines.

use axum::http::{HeaderMap, HeaderName};

/// Request id header, in both directions.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Longest id accepted from a caller.
const ID_BYTES_MAX: usize = 128;
/// Key prefix: an id that contains a key would put it in the log.
const KEY_MARK: &str = "svc_";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RequestId(pub(crate) String);

impl RequestId {
    /// Caller's id if valid, else a random one.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let sent = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
        let sane = |id: &&str| {
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
            let has_length = (1..=ID_BYTES_MAX).contains(&id.len());
            has_length && id.bytes().all(allowed) && !id.contains(KEY_MARK)
        };
        match sent.filter(sane) {
            Some(id) => Self(id.to_owned()),
            None => Self(const_hex::encode(rand::random::<[u8; 16]>())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_for(sent: &str) -> String {
        let mut headers = HeaderMap::new();
        headers.insert(REQUEST_ID, sent.parse().unwrap());
        RequestId::of(&headers).0
    }

    #[test]
    fn a_sane_id_is_taken_over() {
        for sent in ["a", "7f0c1d2e-0000-4000-8000-000000000000", "trace:1.2_3", &"x".repeat(128)] {
            assert_eq!(id_for(sent), sent);
        }
    }

    #[test]
    fn any_other_id_is_replaced() {
        for sent in ["", "a b", "a\"b", "<script>", "%0a", "a:svc_live_1", &"x".repeat(129)] {
            let made = id_for(sent);
            assert_ne!(made, sent);
            assert!(made.len() == 32 && made.bytes().all(|byte| byte.is_ascii_hexdigit()));
        }
        assert_ne!(RequestId::of(&HeaderMap::new()), RequestId::of(&HeaderMap::new()));
    }
}
