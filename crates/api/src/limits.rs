//! What headers say of limits: X-RateLimit-* (specification 8.2), and RateLimit, RateLimit-Policy
//! (draft-ietf-httpapi-ratelimit-headers-11).

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use superroot_account::limit::Allowance;
use superroot_types::UnixSeconds;

use crate::dress::insert;

/// The three headers of every limited answer.
pub(crate) const LIMIT_HEADERS: [HeaderName; 3] = [
    HeaderName::from_static("x-ratelimit-limit"),
    HeaderName::from_static("x-ratelimit-remaining"),
    HeaderName::from_static("x-ratelimit-reset"),
];
/// Requests left, by the draft.
pub(crate) const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
/// The limit, by the draft.
pub(crate) const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Seconds over which limits hold.
const WINDOW_SECONDS: &str = "60";

/// What is left, under which policy: `keyless` or a tier's name.
pub(crate) struct Quota {
    policy: &'static str,
    allowance: Option<Allowance>,
}

impl Quota {
    pub(crate) const fn new(policy: &'static str, allowance: Option<Allowance>) -> Self {
        Self { policy, allowance }
    }
}

/// Writes all of them; none where the limit is off. `t` is when to ask again after a refusal, else
/// when all is left again.
pub(crate) fn write_limits(headers: &mut HeaderMap, quota: &Quota, now: UnixSeconds) {
    let Quota { policy, allowance: Some(allowance) } = quota else { return };
    let Allowance { limit, remaining, reset, retry_after } = *allowance;
    let seconds = retry_after.unwrap_or_else(|| reset.0.saturating_sub(now.0));
    // numbers of headers are made without the machinery of formatting, and each answer has these
    let numbers = [u64::from(limit), remaining.into(), reset.0, seconds].map(HeaderValue::from);
    let [limit, remaining, _, seconds] =
        numbers.each_ref().map(|number| number.to_str().unwrap_or_default());
    let left = ["\"", policy, "\";r=", remaining, ";t=", seconds].concat();
    let rule = ["\"", policy, "\";q=", limit, ";w=", WINDOW_SECONDS].concat();
    insert(headers, RATE_LIMIT, &left);
    insert(headers, RATE_LIMIT_POLICY, &rule);
    for (name, number) in LIMIT_HEADERS.into_iter().zip(numbers) {
        headers.insert(name, number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(allowance: Option<Allowance>) -> Vec<String> {
        let mut headers = HeaderMap::new();
        write_limits(&mut headers, &Quota::new("builder", allowance), UnixSeconds(100));
        let names = LIMIT_HEADERS.into_iter().chain([RATE_LIMIT, RATE_LIMIT_POLICY]);
        names.filter_map(|name| Some(headers.get(name)?.to_str().unwrap().to_owned())).collect()
    }

    #[test]
    fn both_families_of_headers_say_the_same() {
        let left = Allowance { limit: 9, remaining: 7, reset: UnixSeconds(114), retry_after: None };
        let expected = ["9", "7", "114", "\"builder\";r=7;t=14", "\"builder\";q=9;w=60"];
        assert_eq!(written(Some(left)), expected);
        let used = Allowance { remaining: 0, retry_after: Some(3), ..left };
        assert_eq!(written(Some(used))[3], "\"builder\";r=0;t=3");
        assert!(written(None).is_empty());
    }
}
