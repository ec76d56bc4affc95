//! For how long a node asks to be left alone.

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

/// For how long a node asks to be left alone, in milliseconds. A date counts from the node's own: two clocks are not
/// compared. Source: RFC 9110, 10.2.3.
pub(super) fn retry_after_ms(headers: &HeaderMap) -> Option<u64> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(seconds.saturating_mul(1_000));
    }
    let date = |text: &str| httpdate::parse_http_date(text).ok();
    let (until, now) = (date(text)?, date(headers.get(DATE)?.to_str().ok()?)?);
    // a date that has passed asks for nothing
    let pause = until.duration_since(now).unwrap_or_default();
    u64::try_from(pause.as_millis()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(retry_after: &str, date: Option<&str>) -> Option<u64> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, retry_after.parse().unwrap());
        if let Some(date) = date {
            headers.insert(DATE, date.parse().unwrap());
        }
        retry_after_ms(&headers)
    }

    #[test]
    fn retry_after_is_read_in_both_forms_and_bounded() {
        let now = Some("Fri, 31 Dec 1999 23:59:59 GMT");
        assert_eq!(asked("7", None), Some(7_000));
        assert_eq!(asked(" 7 ", None), Some(7_000));
        assert_eq!(asked("18446744073709551615", None), Some(u64::MAX));
        assert_eq!(asked("Sat, 01 Jan 2000 00:01:29 GMT", now), Some(90_000));
        assert_eq!(asked("Fri, 31 Dec 1999 00:00:00 GMT", now), Some(0), "in the past");
        assert_eq!(asked("Sat, 01 Jan 2000 00:01:29 GMT", None), None, "no clock to compare");
        for text in ["", "-1", "soon", "1.5", "18446744073709551616"] {
            assert_eq!(asked(text, now), None, "{text}");
        }
        assert_eq!(retry_after_ms(&HeaderMap::new()), None);
    }
}
