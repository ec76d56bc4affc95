use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

/// Returns the first `chars_max` characters, or the whole text if shorter.
#[must_use]
pub fn first_chars(text: &str, chars_max: usize) -> &str {
    let end = text.char_indices().nth(chars_max).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or(text)
}

/// Shortens a text above `chars_max` characters to the start and the length: `abcd… (9 bytes)`.
#[must_use]
pub fn shorten(text: &str, chars_max: usize) -> String {
    match first_chars(text, chars_max) {
        start if start.len() == text.len() => text.to_owned(),
        start => format!("{start}… ({} bytes)", text.len()),
    }
}

/// Returns the first `chars_max` characters on one line: a space replaces each character that [`plain`] escapes.
#[must_use]
pub fn one_line(text: &str, chars_max: usize) -> String {
    let harmless = |letter: char| if is_obeyed(letter) { ' ' } else { letter };
    first_chars(text, chars_max).chars().map(harmless).collect()
}

/// Makes outside text safe for a terminal, on one line: control characters, direction marks and invisible characters
/// are escaped as `\u{202e}`.
#[must_use]
pub fn plain(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_obeyed(letter) {
            safe.extend(letter.escape_unicode());
        } else {
            safe.push(letter);
        }
    }
    safe
}

/// Whether a character acts on the text around it instead of only being shown.
fn is_obeyed(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}' | '\u{061c}' | '\u{feff}' | '\u{ad}' | '\u{034f}' | '\u{115f}' | '\u{1160}'
            | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{3164}' | '\u{ffa0}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{e0000}'..='\u{e0fff}')
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
        assert_eq!(one_line("a\u{202e}b", 5), "a b");
    }

    #[test]
    fn a_terminal_obeys_nothing_from_outside() {
        assert_eq!(plain("simulated/a b é"), "simulated/a b é");
        assert_eq!(plain("\u{1b}[31m\r\n\u{9b}"), r"\u{1b}[31m\u{d}\u{a}\u{9b}");
        assert_eq!(plain("a\u{202e}b\u{feff}"), r"a\u{202e}b\u{feff}");
    }
}
