//! What a message shows of a text from outside.

/// Characters of a wrong value that an error repeats.
const GOT_CHARS_MAX: usize = 80;

/// A text made short. Only plain characters of it: it comes from outside and goes to terminals.
pub(crate) fn shorten(text: &str) -> String {
    let plain = |letter: char| if matches!(letter, ' '..='~') { letter } else { '?' };
    let text: String = text.chars().map(plain).collect();
    superroot_types::shorten(&text, GOT_CHARS_MAX)
}
