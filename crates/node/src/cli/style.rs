//! Terminal text styles. The stream drops colours without a terminal.

use core::fmt;
use std::io::Write;

use anstyle::{AnsiColor, Style};
pub(crate) use superroot_types::plain;

/// Checked and valid.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// Checked and invalid.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// Must not be overlooked.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();
pub(crate) const HEADING: Style = Style::new().bold();

/// Writes a line on standard error. A failure is ignored, because a service may outlive the terminal or pipe.
pub(crate) fn say(text: fmt::Arguments<'_>) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

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
