use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::UnixSeconds;

/// Requested pause: seconds, or an HTTP date. A date counts from the response `Date` (no comparison between two
/// clocks), otherwise from `now`. A past date means no pause. `None` for any other value, or for a date without a
/// reference time. Source: RFC 9110, 10.2.3.
#[must_use]
pub fn retry_after(value: &str, date: Option<&str>, now: Option<UnixSeconds>) -> Option<Duration> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // one past 64 bits asks for as long as can be said
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let parse = |text: &str| httpdate::parse_http_date(text.trim()).ok();
    let own = || now.and_then(|now| UNIX_EPOCH.checked_add(Duration::from_secs(now.0)));
    let (until, from): (SystemTime, _) = (parse(value)?, date.and_then(parse).or_else(own)?);
    Some(until.duration_since(from).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_read_in_both_forms_and_bounded() {
        let date = Some("Fri, 31 Dec 1999 23:59:59 GMT");
        let seconds = |value, date, now| retry_after(value, date, now).map(|pause| pause.as_secs());
        assert_eq!(seconds("7", None, None), Some(7));
        assert_eq!(seconds(" 7 ", None, None), Some(7));
        assert_eq!(seconds("18446744073709551616", None, None), Some(u64::MAX));
        let later = "Sat, 01 Jan 2000 00:01:29 GMT";
        assert_eq!(seconds(later, date, None), Some(90));
        assert_eq!(seconds("Saturday, 01-Jan-00 00:01:29 GMT", date, None), Some(90));
        assert_eq!(seconds("Fri, 31 Dec 1999 00:00:00 GMT", date, None), Some(0), "in the past");
        assert_eq!(seconds(later, None, None), None, "no clock to compare");
        let now = Some(UnixSeconds(946_684_800));
        assert_eq!(seconds(later, None, now), Some(89), "counted from our clock");
        assert_eq!(seconds(later, date, now), Some(90), "counted from its own clock");
        for value in ["", "-1", "soon", "1.5", "7 s"] {
            assert_eq!(retry_after(value, date, now), None, "{value}");
        }
    }
}
