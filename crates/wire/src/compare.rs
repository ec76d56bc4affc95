//! Comparison of a body with proven values, member by member.

use serde_json::Value;

use crate::Case;
use crate::text::shorten;

/// Contradiction between a body and a proof about one member.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("member {member} says {said}, proven is {proven}")]
pub struct Disagreement {
    /// Member path.
    pub member: String,
    /// Value in the body, shortened.
    pub said: String,
    /// Proven value, shortened; `nothing` if the proof shows no such member.
    pub proven: String,
}

impl Disagreement {
    fn new(member: &str, said: &Value, proven: Option<&Value>) -> Self {
        let member = if member.is_empty() { "body" } else { member }.to_owned();
        let text = |value: &Value| shorten(&value.to_string());
        Self { member, said: text(said), proven: proven.map_or("nothing".to_owned(), text) }
    }
}

/// Members that a body may not have beyond the proof. Names are in camelCase.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BodyLimits<'a> {
    /// Names reserved for proven members.
    pub reserved: &'a [&'a str],
    /// Objects with only proven members: a reader trusts all of their content.
    pub closed: &'a [&'a str],
    /// Names allowed in a closed object, reported as not proven.
    pub free: &'a [&'a str],
    /// Paths allowed in each list item, without list positions; each path is reported once as not proven.
    pub free_in_lists: &'a [&'a str],
}

/// Compares `said` with `proven`. Members in both must be equal: hex in any letter case, integers as integers, lists
/// item by item. A non-null member only in `said` is refused if the name is reserved or the object is closed, because a
/// reader would take the member as proven; any other extra member is unproven, and the path is returned. Both spellings
/// of a name are treated alike, so no member escapes the check by spelling.
///
/// # Errors
/// [`Disagreement`] with the first member that differs.
pub(crate) fn compare_values(
    said: &Value,
    proven: &Value,
    limits: BodyLimits<'_>,
) -> Result<Vec<String>, Disagreement> {
    let mut comparison = Comparison { limits, unproven: Vec::new() };
    comparison.walk("", said, proven, false)?;
    Ok(comparison.unproven)
}

struct Comparison<'a> {
    limits: BodyLimits<'a>,
    unproven: Vec<String>,
}

impl<'a> Comparison<'a> {
    fn walk(
        &mut self,
        path: &str,
        said: &Value,
        proven: &Value,
        is_closed: bool,
    ) -> Result<(), Disagreement> {
        match (said, proven) {
            (Value::Object(said), Value::Object(proven)) => {
                for (name, value) in said {
                    let spelled = |case: Case| proven.get(&case.spell(name));
                    let found = proven.get(name).or_else(|| spelled(Case::Camel));
                    let path = join(path, name);
                    match found.or_else(|| spelled(Case::Snake)) {
                        Some(proven) => {
                            let is_closed = is_closed || has(self.limits.closed, name);
                            self.walk(&path, value, proven, is_closed)?;
                        }
                        None if value.is_null() || self.may_be_said(name, is_closed) => {
                            self.unproven.push(path);
                        }
                        None => match self.free_in_list(&path) {
                            Some(path) => self.call_once(path),
                            None => return Err(Disagreement::new(&path, value, None)),
                        },
                    }
                }
                Ok(())
            }
            (Value::Array(said), Value::Array(proven)) if said.len() == proven.len() => {
                let pairs = said.iter().zip(proven).enumerate();
                pairs.into_iter().try_for_each(|(index, (said, proven))| {
                    self.walk(&format!("{path}[{index}]"), said, proven, is_closed)
                })
            }
            (Value::String(said), Value::String(proven)) if same_text(said, proven) => Ok(()),
            (Value::Number(_) | Value::Bool(_) | Value::Null, _) if said == proven => Ok(()),
            _ => Err(Disagreement::new(path, said, Some(proven))),
        }
    }

    fn may_be_said(&self, name: &str, is_closed: bool) -> bool {
        let BodyLimits { reserved, free, .. } = self.limits;
        if is_closed { has(free, name) } else { !has(reserved, name) }
    }

    /// Returns the matching path from `free_in_lists`.
    fn free_in_list(&self, path: &str) -> Option<&'a str> {
        let path = Case::Camel.spell(&without_places(path));
        self.limits.free_in_lists.iter().copied().find(|free| *free == path)
    }

    fn call_once(&mut self, path: &str) {
        if !self.unproven.iter().any(|called| called == path) {
            self.unproven.push(path.to_owned());
        }
    }
}

/// Removes list positions from a path. External names that look like a position are quoted.
fn without_places(path: &str) -> String {
    let mut parts = path.split('[');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once(']').map_or(part, |(_, rest)| rest))
}

/// Whether `names` contains a name, in either spelling.
pub(crate) fn has(names: &[&str], name: &str) -> bool {
    names.contains(&name) || names.contains(&Case::Camel.spell(name).as_str())
}

/// Compares hex digits in any letter case, other texts exactly.
fn same_text(said: &str, proven: &str) -> bool {
    match (said.strip_prefix("0x"), proven.strip_prefix("0x")) {
        (Some(said), Some(proven)) => said.eq_ignore_ascii_case(proven),
        _ => said == proven,
    }
}

/// Appends a member name to a path. A name that is not a plain word is external: it is quoted, with lookalike letters
/// escaped.
fn join(path: &str, name: &str) -> String {
    let plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let name = if plain { shorten(name) } else { format!("\"{}\"", spelled_out(&shorten(name))) };
    if path.is_empty() { name } else { format!("{path}.{name}") }
}

fn spelled_out(text: &str) -> String {
    let spell = |letter: char| match letter.is_ascii() {
        true => letter.to_string(),
        false => letter.escape_unicode().to_string(),
    };
    text.chars().map(spell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn proven() -> Value {
        json!({ "blockHash": "0xab", "twig": { "slot": 7, "siblings": ["0x01", "0x02"] }, "live": true,
            "none": null, "name": "Abc", "place": { "row": 1, "runs": [{ "start": 2 }] } })
    }

    fn check(said: &Value) -> Result<Vec<String>, Disagreement> {
        let (reserved, closed, free) = (&["receipt", "blockHash"], &["place"], &["rowInAll"]);
        let free_in_lists = &["place.runs.endsAt"];
        compare_values(said, &proven(), BodyLimits { reserved, closed, free, free_in_lists })
    }

    #[test]
    fn what_is_proven_may_be_said_in_part_and_in_either_spelling() {
        assert_eq!(check(&proven()), Ok(vec![]));
        assert_eq!(check(&json!({})), Ok(vec![]));
        assert_eq!(check(&json!({ "block_hash": "0xAB", "twig": { "slot": 7 } })), Ok(vec![]));
    }

    #[test]
    fn anything_else_is_a_disagreement() {
        for (said, member) in [
            (json!({ "blockHash": "0xac" }), "blockHash"),
            (json!({ "blockHash": "ab" }), "blockHash"),
            (json!({ "block_hash": "0xac" }), "block_hash"),
            (json!({ "blockHash": null }), "blockHash"),
            (json!({ "blockHash": ["0xab"] }), "blockHash"),
            (json!({ "name": "abc" }), "name"),
            (json!({ "live": "true" }), "live"),
            (json!({ "twig": { "slot": "7" } }), "twig.slot"),
            (json!({ "twig": { "slot": 7.0 } }), "twig.slot"),
            (json!({ "twig": { "siblings": ["0x01"] } }), "twig.siblings"),
            (json!({ "twig": { "siblings": ["0x02", "0x01"] } }), "twig.siblings[0]"),
            (json!({ "twig": { "blockHash": "0xab" } }), "twig.blockHash"),
            (json!({ "twig": [] }), "twig"),
            (json!({ "receipt": {} }), "receipt"),
            (json!({ "none": 0 }), "none"),
            (json!({ "place": { "row": 1, "column": 2 } }), "place.column"),
            (json!({ "place": { "runs": [{ "start": 2, "end": 3 }] } }), "place.runs[0].end"),
            (json!({ "place": { "row_inall": 2 } }), "place.row_inall"),
            (json!({ "place": { "endsAt": 2 } }), "place.endsAt"),
            (json!({ "place": { "runs": [{ "runs": { "endsAt": 2 } }] } }), "place.runs[0].runs"),
            (json!({ "place": { "runs[0].endsAt": 2 } }), r#"place."runs[0].endsAt""#),
            (json!([]), "body"),
        ] {
            assert_eq!(check(&said).unwrap_err().member, member, "{said}");
        }
    }

    #[test]
    fn what_only_the_body_has_is_told_by_its_path() {
        let said = json!({ "receipt": null, "twig": { "age": [1], "slot": 7 }, "\u{1b}[\u{202e}m": 1,
            "place": { "row_in_all": 7, "column": null, "row": 1 } });
        let mut paths = check(&said).unwrap();
        paths.sort();
        assert_eq!(
            paths,
            [r#""\u{1b}[\u{202e}m""#, "place.column", "place.row_in_all", "receipt", "twig.age"]
        );
    }

    #[test]
    fn what_each_item_of_a_list_may_say_is_told_once() {
        for name in ["endsAt", "ends_at"] {
            let (said, proven) = (json!({ "start": 2, name: 3 }), json!({ "start": 2 }));
            let within = |item: Value| json!({ "place": { "runs": [item.clone(), item] } });
            let limits = BodyLimits {
                closed: &["place"],
                free_in_lists: &["place.runs.endsAt"],
                ..BodyLimits::default()
            };
            let paths = compare_values(&within(said), &within(proven), limits);
            assert_eq!(paths, Ok(vec!["place.runs.endsAt".to_owned()]));
        }
    }
}
