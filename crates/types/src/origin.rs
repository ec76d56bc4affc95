use alloc::string::String;

/// Whether an origin has only lower-case letters, digits and `.-_/:~`: no lookalike letters, no capitals, no direction
/// marks or hidden characters.
#[must_use]
pub fn is_plain_origin(origin: &str) -> bool {
    !origin.is_empty()
        && origin.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-_/:~".contains(&byte)
        })
}

/// Returns an origin safe for display: capitals and all characters except plain ones are escaped.
#[must_use]
pub fn shown_origin(origin: &str) -> String {
    let mut shown = String::with_capacity(origin.len());
    for letter in origin.chars() {
        if letter.is_ascii_graphic() && !letter.is_ascii_uppercase() && letter != '\\' {
            shown.push(letter);
        } else {
            shown.extend(letter.escape_unicode());
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_that_may_be_taken_for_another_is_told() {
        for plain in ["log.example.org", "live/0f3a", "simulated/demo", "host:8080/a_b~c"] {
            assert!(is_plain_origin(plain));
            assert_eq!(shown_origin(plain), plain);
        }
        for (other, shown) in [
            ("Log.example.org", r"\u{4c}og.example.org"),
            ("l\u{43e}g.example.org", r"l\u{43e}g.example.org"),
            ("log\u{202e}gro", r"log\u{202e}gro"),
            ("log\u{7f}", r"log\u{7f}"),
            (r"log\u{41}", r"log\u{5c}u{41}"),
        ] {
            assert!(!is_plain_origin(other));
            assert_eq!(shown_origin(other), shown);
        }
        assert!(!is_plain_origin(""));
    }
}
