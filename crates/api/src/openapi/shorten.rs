//! Removal of repetitions: keeps the document small, and gives client generators shared types.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

const FILLERS: [&str; 8] = ["a", "an", "in", "is", "it", "its", "of", "the"];

pub(super) fn shorten(schemas: &mut Value) {
    merge_alternatives(schemas);
    leave_out_repetitions(schemas);
}

/// Flattens nested alternatives and removes duplicates. Ledger objects have members with the same type and different
/// descriptions: the longest description stays.
fn merge_alternatives(schema: &mut Value) {
    match schema {
        Value::Array(parts) => parts.iter_mut().for_each(merge_alternatives),
        Value::Object(members) => {
            members.values_mut().for_each(merge_alternatives);
            let Some(Value::Array(parts)) = members.remove("anyOf") else { return };
            let mut alternatives = flat(parts);
            if alternatives.len() > 1 {
                members.insert("anyOf".to_owned(), alternatives.into());
            } else if let Some(Value::Object(only)) = alternatives.pop() {
                for (name, said) in only {
                    members.entry(name).or_insert(said);
                }
            }
        }
        _ => {}
    }
}

fn flat(parts: Vec<Value>) -> Vec<Value> {
    let mut alternatives: Vec<Value> = Vec::new();
    let each = parts.into_iter().flat_map(|part| match part {
        Value::Object(mut within) if within.len() == 1 && within.contains_key("anyOf") => {
            within["anyOf"].take().as_array().cloned().unwrap_or_default()
        }
        part => vec![part],
    });
    for part in each {
        let is_same = |other: &&mut Value| undescribed(other) == undescribed(&part);
        match alternatives.iter_mut().find(is_same) {
            Some(other) if description(other).len() < description(&part).len() => *other = part,
            Some(_) => {}
            None => alternatives.push(part),
        }
    }
    alternatives
}

fn description(schema: &Value) -> &str {
    schema["description"].as_str().unwrap_or_default()
}

/// Schema without descriptions.
fn undescribed(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let of_type =
                members.iter().filter(|(name, said)| *name != "description" || !said.is_string());
            of_type
                .map(|(name, part)| (name.clone(), undescribed(part)))
                .collect::<Map<_, _>>()
                .into()
        }
        Value::Array(parts) => parts.iter().map(undescribed).collect(),
        scalar => scalar.clone(),
    }
}

/// Removes a member description that only repeats its name or its type's description.
fn leave_out_repetitions(schema: &mut Value) {
    match schema {
        Value::Array(parts) => parts.iter_mut().for_each(leave_out_repetitions),
        Value::Object(members) => {
            let named = members.get_mut("properties").and_then(Value::as_object_mut);
            for (name, member) in named.into_iter().flatten() {
                let of_type = member["$ref"].as_str().and_then(|it| it.rsplit('/').next());
                let mut known = words(name);
                known.extend(words(of_type.unwrap_or_default()));
                let repeats = words(description(member)).is_subset(&known);
                if repeats && let Some(member) = member.as_object_mut() {
                    member.remove("description");
                }
            }
            members.values_mut().for_each(leave_out_repetitions);
        }
        _ => {}
    }
}

/// Singular words in a text or name, in either spelling, without fillers.
fn words(text: &str) -> BTreeSet<String> {
    let mut apart = String::new();
    for letter in text.chars() {
        if letter.is_ascii_uppercase() {
            apart.push(' ');
        }
        apart.push(if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { ' ' });
    }
    let singular = |word: &str| match word.strip_suffix('s') {
        Some(stem) if word.len() > 3 => stem.to_owned(),
        _ => word.to_owned(),
    };
    apart.split_whitespace().filter(|word| !FILLERS.contains(word)).map(singular).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_stand_beside_each_other_and_each_once() {
        let count = |about: &str| json!({ "type": "integer", "description": about });
        let nested = json!({ "anyOf": [{ "anyOf": [count("of all"), count("of all, bound")] }, count("all")] });
        let mut schema = json!({ "properties": { "count": nested } });
        shorten(&mut schema);
        assert_eq!(schema, json!({ "properties": { "count": count("of all, bound") } }));
        let text = json!({ "type": "string" });
        let mut two =
            json!({ "anyOf": [{ "anyOf": [text, count("a")] }, text], "description": "either" });
        merge_alternatives(&mut two);
        assert_eq!(two, json!({ "anyOf": [text, count("a")], "description": "either" }));
    }

    #[test]
    fn a_description_that_repeats_a_name_is_left_out_and_no_other() {
        let said = |name: &str, about: &str, of_type: &str| {
            let target = format!("#/components/schemas/{of_type}");
            let mut schema =
                json!({ "properties": { name: { "$ref": target, "description": about } } });
            leave_out_repetitions(&mut schema);
            schema["properties"][name]["description"].is_string()
        };
        for (name, about, of_type) in [
            ("chainId", "Chain id.", "ChainId"),
            ("chain_id", "The chain.", "ChainId"),
            ("number", "Block number.", "BlockNumber"),
            ("keys", "Its key.", "Row"),
        ] {
            assert!(!said(name, about, of_type), "{name}");
        }
        assert!(said("chain_id", "The chain it was seen on.", "ChainId"));
        assert!(said("timestamp", "Unix seconds.", "Text"));
    }
}
