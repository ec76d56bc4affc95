//! Safe display of external text.

/// Maximum characters of a wrong value in an error.
const GOT_CHARS_MAX: usize = 80;

/// Shortens and sanitises external text for terminals.
pub(crate) fn shorten(text: &str) -> String {
    superroot_types::plain(&superroot_types::shorten(text, GOT_CHARS_MAX))
}
