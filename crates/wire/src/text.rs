//! What a message shows of a text from outside.

/// Characters of a wrong value that an error repeats.
const GOT_CHARS_MAX: usize = 80;

/// A text made short, and harmless: it comes from outside and goes to terminals.
pub(crate) fn shorten(text: &str) -> String {
    superroot_types::plain(&superroot_types::shorten(text, GOT_CHARS_MAX))
}
