//! Label of a key or account: short, and safe to print.

use core::fmt;

use serde::{Deserialize, Serialize};

use crate::AccountError;
use crate::secret::shows_key;

/// Most characters of a label.
pub const LABEL_CHARS_MAX: usize = 64;

/// Label: 1 to [`LABEL_CHARS_MAX`] printable characters on one line, without spaces at its ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Label(String);

impl Label {
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Label> for String {
    fn from(label: Label) -> Self {
        label.0
    }
}

impl TryFrom<String> for Label {
    type Error = AccountError;

    fn try_from(text: String) -> Result<Self, AccountError> {
        check_text("label", &text, LABEL_CHARS_MAX)?;
        Ok(Self(text))
    }
}

/// Refuses a stored and displayed text: empty, too long, edged with spaces, with unprintable or direction-changing
/// characters, or with much of a key.
pub fn check_text(field: &'static str, text: &str, chars_max: usize) -> Result<(), AccountError> {
    let is_within = text.len() <= 4 * chars_max && text.chars().count() <= chars_max;
    if text.is_empty() || !is_within || text.trim() != text || text.chars().any(is_hidden) {
        return Err(AccountError::Text { field, chars_max });
    }
    if shows_key(text) { Err(AccountError::KeyInText { field }) } else { Ok(()) }
}

/// Control characters, line and paragraph ends, and invisible or direction-changing characters.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(text: &str) -> Result<Label, AccountError> {
        Label::try_from(text.to_owned())
    }

    #[test]
    fn labels_of_any_script_are_kept_as_they_are() {
        for text in ["a", "build server 3", "Ключ", "鍵 1", "=1+1", &"é".repeat(64)] {
            assert_eq!(label(text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn what_could_fool_a_reader_is_refused() {
        for text in [
            "",
            " a",
            "a ",
            "a\nb",
            "a\rb",
            "\u{1b}[31m",
            "a\u{0}",
            "a\u{202e}b",
            "a\u{200b}b",
            "a\u{2028}b",
            "\u{feff}a",
            &"a".repeat(65),
            &"é".repeat(65),
        ] {
            let error = label(text).unwrap_err();
            assert!(matches!(error, AccountError::Text { field: "label", .. }), "{text:?}");
        }
    }

    #[test]
    fn a_text_that_holds_much_of_a_key_is_refused() {
        let key = "svc_test_00000000000000000000000000000000000000000001ysabI";
        let (start, end) = key.split_at(34);
        for text in [
            format!("my {key}"),
            format!("svc_{key}."),
            format!("{start} {end}"),
            format!("{}-", &key[..57]),
            key[..26].to_owned(),
        ] {
            let refused = label(&text);
            assert!(matches!(refused, Err(AccountError::KeyInText { field: "label" })), "{text}");
        }
        for text in ["svc_live_", "svc_test_é", "svc_live_rotation_of_2028", &key[..25]] {
            assert!(label(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn a_stored_label_is_checked_when_it_is_read() {
        assert!(serde_json::from_str::<Label>("\"ok\"").is_ok());
        assert!(serde_json::from_str::<Label>("\"a\\nb\"").is_err());
    }
}
