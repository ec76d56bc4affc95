//! How text looks on a terminal. Colours are dropped by the stream where it has none.

use core::fmt;
use std::io::Write;

use anstyle::{AnsiColor, Style};
pub(crate) use superroot_types::plain;

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

/// A text in a style.
pub(crate) fn styled(style: Style, text: impl fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_style_ends_where_its_text_ends() {
        assert_eq!(styled(BAD, "no"), "\u{1b}[1m\u{1b}[31mno\u{1b}[0m");
    }
}
