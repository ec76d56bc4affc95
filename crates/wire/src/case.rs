//! Spellings of member names: camelCase under `/v5` and `/signals`, `snake_case` elsewhere.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

/// Initial capacity for text: enough for most answers. From 16 KB up, the allocator is slower.
const TEXT_BYTES: usize = 12 << 10;

/// Spelling of member names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Case {
    /// `superRootHash`.
    Camel,
    /// `super_root_hash`.
    Snake,
}

impl Case {
    /// Returns a name in this spelling; accepts both spellings.
    #[must_use]
    pub fn spell(self, name: &str) -> String {
        let mut spelled = Vec::with_capacity(name.len() + 4);
        self.spell_to(name, &mut spelled).expect("memory is written to");
        String::from_utf8(spelled).expect("letters of ASCII alone are changed")
    }

    /// Writes the respelled name piece by piece. In camelCase an underscore before a letter is removed and the letter
    /// capitalised; other underscores stay.
    #[inline]
    fn spell_to<W: ?Sized + Write>(self, name: &str, out: &mut W) -> io::Result<()> {
        let name = name.as_bytes();
        let mut written = 0;
        for (at, letter) in name.iter().enumerate() {
            match (self, letter, name.get(at + 1)) {
                (Self::Snake, b'A'..=b'Z', _) => {
                    out.write_all(&name[written..at])?;
                    out.write_all(&[b'_', letter.to_ascii_lowercase()])?;
                    written = at + 1;
                }
                (Self::Camel, b'_', Some(raised @ b'a'..=b'z')) => {
                    out.write_all(&name[written..at])?;
                    out.write_all(&[raised.to_ascii_uppercase()])?;
                    written = at + 2;
                }
                _ => {}
            }
        }
        out.write_all(&name[written..])
    }

    fn is_of(self, name: &str) -> bool {
        match self {
            Self::Camel => {
                !name.as_bytes().windows(2).any(|two| two[0] == b'_' && two[1].is_ascii_lowercase())
            }
            Self::Snake => !name.bytes().any(|letter| letter.is_ascii_uppercase()),
        }
    }
}

/// Renders a body in one spelling.
///
/// # Panics
/// Never: bodies are texts, numbers and lists under names.
#[must_use]
pub fn write(body: &impl Serialize, case: Case) -> Value {
    convert(serde_json::to_value(body).expect("a body is JSON"), case)
}

/// Renders a body as JSON text in one spelling, or with unchanged names if `case` is `None`. No intermediate value tree
/// is built.
///
/// # Panics
/// As [`write()`].
#[must_use]
pub fn text(body: &impl Serialize, case: Option<Case>) -> Vec<u8> {
    let mut text = Vec::with_capacity(TEXT_BYTES);
    append(&mut text, body, case);
    text
}

/// Appends the JSON text of a body to `out`.
pub(crate) fn append(out: &mut Vec<u8>, body: &impl Serialize, case: Option<Case>) {
    let mut serializer = Serializer::with_formatter(out, Spelling { case, is_in_name: false });
    body.serialize(&mut serializer).expect("a body is JSON, and memory is written to");
}

/// JSON formatter that respells names only.
struct Spelling {
    case: Option<Case>,
    is_in_name: bool,
}

impl Formatter for Spelling {
    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        is_first: bool,
    ) -> io::Result<()> {
        self.is_in_name = true;
        if is_first { Ok(()) } else { writer.write_all(b",") }
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.is_in_name = false;
        Ok(())
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        match self.case {
            Some(case) if self.is_in_name => case.spell_to(fragment, writer),
            _ => writer.write_all(fragment.as_bytes()),
        }
    }
}

/// Respells all member names of a value, at every depth.
#[must_use]
pub fn convert(mut value: Value, case: Case) -> Value {
    respell(&mut value, case);
    value
}

/// Objects with all names in the right spelling stay unchanged.
fn respell(value: &mut Value, case: Case) {
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(|value| respell(value, case));
            if members.keys().any(|name| !case.is_of(name)) {
                let old = std::mem::take(members);
                members.extend(old.into_iter().map(|(name, value)| (case.spell(&name), value)));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| respell(item, case)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_lead_back() {
        let pairs = [
            ("superRootHash", "super_root_hash"),
            ("miniMmr", "mini_mmr"),
            ("v5Anchor", "v5_anchor"),
            ("sha3Uncles", "sha3_uncles"),
            ("l1Superroot", "l1_superroot"),
            ("yParity", "y_parity"),
            ("hash", "hash"),
            // longer than any that there is
            (&format!("aB{}", "c".repeat(200)), &format!("a_b{}", "c".repeat(200))),
        ];
        for (camel, snake) in pairs {
            assert_eq!(Case::Snake.spell(camel), snake);
            assert_eq!(Case::Camel.spell(snake), camel);
            assert_eq!(Case::Camel.spell(camel), camel);
            assert_eq!(Case::Snake.spell(snake), snake);
            for case in [Case::Camel, Case::Snake] {
                for name in [camel, snake] {
                    assert_eq!(case.is_of(name), case.spell(name) == name, "{name}");
                }
            }
        }
    }

    #[test]
    fn names_change_at_every_depth_and_values_never() {
        let body = json!({ "aB": [{ "cD": "eF" }, "gH", 1, null] });
        assert_eq!(
            convert(body.clone(), Case::Snake),
            json!({ "a_b": [{ "c_d": "eF" }, "gH", 1, null] })
        );
        assert_eq!(convert(convert(body.clone(), Case::Snake), Case::Camel), body);
        for case in [Case::Snake, Case::Camel] {
            let text = text(&body, Some(case));
            assert_eq!(
                serde_json::from_slice::<Value>(&text).unwrap(),
                convert(body.clone(), case)
            );
        }
        assert_eq!(text(&body, None), body.to_string().as_bytes());
    }
}
