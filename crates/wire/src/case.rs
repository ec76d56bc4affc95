//! The two spellings of member names: camelCase under `/v5` and `/signals`, `snake_case` elsewhere.

use serde::Serialize;
use serde_json::Value;

/// A spelling of member names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Case {
    /// `superRootHash`.
    Camel,
    /// `super_root_hash`.
    Snake,
}

impl Case {
    /// A name in this spelling, given in either.
    #[must_use]
    pub fn spell(self, name: &str) -> String {
        match self {
            Self::Camel => to_camel(name),
            Self::Snake => to_snake(name),
        }
    }

    /// Whether a name is spelled so already.
    fn is_of(self, name: &str) -> bool {
        match self {
            Self::Camel => {
                !name.as_bytes().windows(2).any(|two| two[0] == b'_' && two[1].is_ascii_lowercase())
            }
            Self::Snake => !name.bytes().any(|letter| letter.is_ascii_uppercase()),
        }
    }
}

/// A body in one spelling.
///
/// # Panics
/// Never: bodies are texts, numbers and lists of them under names.
#[must_use]
pub fn write(body: &impl Serialize, case: Case) -> Value {
    convert(serde_json::to_value(body).expect("a body is JSON"), case)
}

/// The same value with the names of all its members, at every depth, in one spelling.
#[must_use]
pub fn convert(mut value: Value, case: Case) -> Value {
    respell(&mut value, case);
    value
}

/// Objects whose names all stand in that spelling stay as they are.
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

fn to_snake(name: &str) -> String {
    let mut spelled = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            spelled.push('_');
        }
        spelled.push(letter.to_ascii_lowercase());
    }
    spelled
}

/// An underscore before a letter is taken out and the letter raised; any other one stays.
fn to_camel(name: &str) -> String {
    let mut spelled = String::with_capacity(name.len());
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        match letters.peek() {
            Some(next) if letter == '_' && next.is_ascii_lowercase() => {
                spelled.push(next.to_ascii_uppercase());
                letters.next();
            }
            _ => spelled.push(letter),
        }
    }
    spelled
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
    }
}
