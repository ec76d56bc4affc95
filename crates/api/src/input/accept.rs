//! Answer form by `Accept`.

use axum::http::{HeaderMap, header};

/// Whether the caller accepts a file and does not name JSON.
pub(super) fn wants_file(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let types = accepted.flat_map(|value| value.split(','));
    let types = types.map(|one| one.split(';').next().unwrap_or_default().trim());
    let mut is_file = false;
    for media_type in types {
        match media_type.to_ascii_lowercase().as_str() {
            "application/json" => return false,
            "application/octet-stream" => is_file = true,
            _ => {}
        }
    }
    is_file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_for_those_who_ask_for_one() {
        for (accept, expected) in [
            ("application/octet-stream", true),
            ("Application/Octet-Stream;q=0.9, */*;q=0.1", true),
            ("application/json, application/octet-stream", false),
            ("*/*", false),
            ("text/plain", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().unwrap());
            assert_eq!(wants_file(&headers), expected, "{accept}");
        }
        assert!(!wants_file(&HeaderMap::new()));
    }
}
