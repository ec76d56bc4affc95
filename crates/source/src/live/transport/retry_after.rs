//! Pause demanded by a node.

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

pub(super) fn retry_after_ms(headers: &HeaderMap) -> Option<u64> {
    let text = |name| headers.get(name)?.to_str().ok();
    let pause = superroot_types::retry_after(text(RETRY_AFTER)?, text(DATE), None)?;
    u64::try_from(pause.as_millis()).ok().or(Some(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_counted_from_the_clock_of_the_node() {
        let mut headers = HeaderMap::new();
        assert_eq!(retry_after_ms(&headers), None);
        headers.insert(RETRY_AFTER, "18446744073709551615".parse().unwrap());
        assert_eq!(retry_after_ms(&headers), Some(u64::MAX));
        headers.insert(RETRY_AFTER, "Sat, 01 Jan 2000 00:01:29 GMT".parse().unwrap());
        assert_eq!(retry_after_ms(&headers), None, "the node tells no time");
        headers.insert(DATE, "Fri, 31 Dec 1999 23:59:59 GMT".parse().unwrap());
        assert_eq!(retry_after_ms(&headers), Some(90_000));
    }
}
