//! Texts made short: for messages, logs and pages, whoever wrote them.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

/// The first `chars_max` characters of a text; all of it where it has no more.
#[must_use]
pub fn first_chars(text: &str, chars_max: usize) -> &str {
    let end = text.char_indices().nth(chars_max).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or(text)
}

/// A text of at most `chars_max` characters as it is; of a longer one the start and its length:
/// `abcd… (9 bytes)`.
#[must_use]
pub fn shorten(text: &str, chars_max: usize) -> String {
    match first_chars(text, chars_max) {
        start if start.len() == text.len() => text.to_owned(),
        start => format!("{start}… ({} bytes)", text.len()),
    }
}

/// The first `chars_max` characters of a text on one line: a space for each control character.
#[must_use]
pub fn one_line(text: &str, chars_max: usize) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    first_chars(text, chars_max).chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        for (max, start) in [(0, ""), (1, "ä"), (4, "äöüß"), (5, "äöüßx"), (9, "äöüßx")]
        {
            assert_eq!(first_chars("äöüßx", max), start);
        }
    }

    #[test]
    fn a_shortened_text_says_how_long_it_was() {
        assert_eq!(shorten("abcd", 4), "abcd");
        assert_eq!(shorten("äöüßx", 4), "äöüß… (9 bytes)");
    }

    #[test]
    fn one_line_has_no_control_character() {
        assert_eq!(one_line("a\nb\u{1b}[31m", 5), "a b [");
    }
}
