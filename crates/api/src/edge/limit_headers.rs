//! Limit headers: X-RateLimit-* (specification 8.2), and RateLimit, RateLimit-Policy
//! (draft-ietf-httpapi-ratelimit-headers-11).

use std::ops::Range;

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use superroot_account::limit::Allowance;

/// Headers in every limited answer.
pub(crate) const LIMIT_HEADERS: [HeaderName; 3] = [
    HeaderName::from_static("x-ratelimit-limit"),
    HeaderName::from_static("x-ratelimit-remaining"),
    HeaderName::from_static("x-ratelimit-reset"),
];
/// Requests left (draft).
pub(crate) const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
/// Limit policy (draft).
pub(crate) const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Usual size of all values in bytes; the buffer grows for longer ones.
const TEXT_BYTES: usize = 96;

/// Remaining quota and policy: a tier's name, `keys`, `keyless`, `failed_keys` or `registrations`.
pub(crate) struct Quota {
    policy: &'static str,
    allowance: Option<Allowance>,
}

impl Quota {
    pub(crate) const fn new(policy: &'static str, allowance: Option<Allowance>) -> Self {
        Self { policy, allowance }
    }
}

/// Writes all limit headers; none if the limit is off. `t` is the time until more requests are available.
pub(crate) fn write_limits(headers: &mut HeaderMap, quota: &Quota) {
    let Quota { policy, allowance: Some(allowance) } = quota else { return };
    let Allowance { limit, period, remaining, reset, next_after, .. } = *allowance;
    let mut text = HeaderText(String::with_capacity(TEXT_BYTES));
    let rule_begins = text.push(&["\"", policy, "\";q="]).start;
    let limit = text.push_number(limit.into());
    text.push(&[";w="]);
    let rule_ends = text.push_number(period.duration().as_secs()).end;
    let left_begins = text.push(&["\"", policy, "\";r="]).start;
    let remaining = text.push_number(remaining.into());
    text.push(&[";t="]);
    let left_ends = text.push_number(next_after).end;
    let reset = text.push_number(reset.0);
    let text = Bytes::from(text.0);
    let mut insert = |name, place| {
        if let Ok(value) = HeaderValue::from_maybe_shared(text.slice(place)) {
            headers.insert(name, value);
        }
    };
    insert(RATE_LIMIT, left_begins..left_ends);
    insert(RATE_LIMIT_POLICY, rule_begins..rule_ends);
    for (name, place) in LIMIT_HEADERS.into_iter().zip([limit, remaining, reset]) {
        insert(name, place);
    }
}

/// Header values in one shared buffer: every answer has them, and separate allocations cost more than all other work on
/// them.
struct HeaderText(String);

impl HeaderText {
    fn push(&mut self, parts: &[&str]) -> Range<usize> {
        let begins = self.0.len();
        for part in parts {
            self.0.push_str(part);
        }
        begins..self.0.len()
    }

    fn push_number(&mut self, number: u64) -> Range<usize> {
        self.push(&[itoa::Buffer::new().format(number)])
    }
}

/// Inserts a header with visible ASCII.
pub(crate) fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use superroot_account::limit::RefillPeriod;
    use superroot_types::UnixSeconds;

    fn written(allowance: Option<Allowance>) -> Vec<String> {
        let mut headers = HeaderMap::new();
        write_limits(&mut headers, &Quota::new("builder", allowance));
        let names = LIMIT_HEADERS.into_iter().chain([RATE_LIMIT, RATE_LIMIT_POLICY]);
        names.filter_map(|name| Some(headers.get(name)?.to_str().unwrap().to_owned())).collect()
    }

    #[test]
    fn both_families_of_headers_say_the_same() {
        let (reset, next_after) = (UnixSeconds(114), 6);
        let (limit, period, remaining) = (9, RefillPeriod::Minute, 7);
        let left = Allowance { limit, period, remaining, reset, next_after, retry_after: None };
        let expected = ["9", "7", "114", "\"builder\";r=7;t=6", "\"builder\";q=9;w=60"];
        assert_eq!(written(Some(left)), expected);
        let used = Allowance { remaining: 0, next_after: 3, retry_after: Some(3), ..left };
        assert_eq!(written(Some(used))[3], "\"builder\";r=0;t=3");
        let hourly = Allowance { period: RefillPeriod::Hour, ..left };
        assert_eq!(written(Some(hourly))[4], "\"builder\";q=9;w=3600");
        assert!(written(None).is_empty());
    }
}
