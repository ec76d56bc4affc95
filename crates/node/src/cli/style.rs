//! How text looks on a terminal. Colours are dropped by the stream where it has none.

use core::fmt;
use std::io::Write;

use anstyle::{AnsiColor, Style};

/// What was checked and holds.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// What was checked and does not hold.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// What a reader must not overlook.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// What is there for completeness.
pub(crate) const FAINT: Style = Style::new().dimmed();
/// A heading.
pub(crate) const HEADING: Style = Style::new().bold();

/// Writes a line on standard error. One that nobody reads any more is no reason to stop: what runs for
/// long outlives the terminal or the pipe it was started from.
pub(crate) fn say(text: fmt::Arguments<'_>) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// The same on standard output.
pub(crate) fn put(text: fmt::Arguments<'_>) {
    let _ = writeln!(anstream::stdout(), "{text}");
}

/// A text in a style.
pub(crate) fn styled(style: Style, text: impl fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// A text from outside on one line, without anything that a terminal would obey: control characters
/// and marks that turn the direction of writing are spelled out.
pub(crate) fn plain(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        let turns = matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}' | '\u{061c}' | '\u{feff}');
        if character.is_control() || turns {
            safe.extend(character.escape_unicode());
        } else {
            safe.push(character);
        }
    }
    safe
}

/// At most `max` characters of a text, with its length in place of the rest.
pub(crate) fn shorten(text: &str, max: usize) -> String {
    let count = text.chars().count();
    if count <= max {
        return text.to_owned();
    }
    let head: String = text.chars().take(max).collect();
    format!("{head}.. ({count} characters)")
}

/// Unix seconds as ISO 8601 in UTC; the plain number beyond the year 9999.
pub(crate) fn iso_8601(unix_seconds: u64) -> String {
    const YEAR_10000: u64 = 253_402_300_800;
    if unix_seconds >= YEAR_10000 {
        return unix_seconds.to_string();
    }
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(unix_seconds);
    humantime::format_rfc3339_seconds(time).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_438_269_973, "2015-07-30T15:26:13Z"),
            (1_700_000_000, "2023-11-14T22:13:20Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
            (253_402_300_800, "253402300800"),
            (u64::MAX, "18446744073709551615"),
        ] {
            assert_eq!(iso_8601(seconds), text);
        }
    }

    #[test]
    fn a_terminal_obeys_nothing_from_outside() {
        assert_eq!(plain("simulated/a b é"), "simulated/a b é");
        assert_eq!(plain("\u{1b}[31m\r\n\u{9b}"), r"\u{1b}[31m\u{d}\u{a}\u{9b}");
        assert_eq!(plain("a\u{202e}b\u{feff}"), r"a\u{202e}b\u{feff}");
    }

    #[test]
    fn long_texts_tell_how_long_they_are() {
        assert_eq!(shorten("abcd", 4), "abcd");
        assert_eq!(shorten("äöüßx", 4), "äöüß.. (5 characters)");
    }

    #[test]
    fn a_style_ends_where_its_text_ends() {
        assert_eq!(styled(BAD, "no"), "\u{1b}[1m\u{1b}[31mno\u{1b}[0m");
    }
}
