//! `vectors/prices/`: the arithmetic of prices, and answers about prices and launches with their proofs, good
//! and bad, each bad one with the step at which it must fail. `make vectors` writes them anew.

mod answers;
mod arithmetic;
mod events;
mod launches;
mod usage;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use superroot_types::Hash;

/// An answer: whole, or another one with changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerVector {
    /// What it is, or what was done to it.
    name: String,
    /// Why it must be refused, or what it shows.
    reason: String,
    /// The step; null where it holds.
    refused_at: Option<String>,
    /// SuperRoot hash that the verifier trusts.
    trusted: Hash,
    /// Pools that were judged, of a price that holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pools: Option<usize>,
    /// The answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body: Option<Value>,
    /// Name of the answer that is changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// Its changes, as a JSON Patch (RFC 6902) of `add`, `remove` and `replace`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    patch: Option<Vec<Change>>,
}

/// A change of a JSON Patch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    op: String,
    path: String,
    /// What is put there; `null` is a value too.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
}

/// A member that is there, whatever its value.
fn present<'de, D: Deserializer<'de>>(member: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(member).map(Some)
}

fn replace(path: &str, value: impl Into<Value>) -> Change {
    Change { op: "replace".to_owned(), path: path.to_owned(), value: Some(value.into()) }
}

fn add(path: &str, value: impl Into<Value>) -> Change {
    Change { op: "add".to_owned(), path: path.to_owned(), value: Some(value.into()) }
}

fn remove(path: &str) -> Change {
    Change { op: "remove".to_owned(), path: path.to_owned(), value: None }
}

/// The body with these changes.
fn patched(body: &Value, patch: &[Change]) -> Value {
    let mut body = body.clone();
    for Change { op, path, value } in patch {
        let (parent, last) = path.rsplit_once('/').unwrap();
        let parent = body.pointer_mut(parent).unwrap_or_else(|| panic!("there is no {path}"));
        match (op.as_str(), parent, value) {
            ("remove", Value::Object(members), None) => drop(members.remove(last).unwrap()),
            ("remove", Value::Array(items), None) => drop(items.remove(last.parse().unwrap())),
            ("add", Value::Array(items), Some(value)) if last == "-" => items.push(value.clone()),
            ("add", Value::Array(items), Some(value)) => {
                items.insert(last.parse().unwrap(), value.clone());
            }
            ("add" | "replace", parent, Some(value)) => match parent {
                Value::Object(members) => drop(members.insert(last.to_owned(), value.clone())),
                Value::Array(items) => items[last.parse::<usize>().unwrap()] = value.clone(),
                other => panic!("{path} is in {other}"),
            },
            _ => panic!("{op} of {path}"),
        }
    }
    body
}

/// The body of each vector.
fn bodies(vectors: &[AnswerVector]) -> Vec<Value> {
    let whole = |name: &str| {
        let vector = vectors.iter().find(|one| one.name == name).unwrap();
        vector.body.clone().unwrap()
    };
    vectors
        .iter()
        .map(|one| match (&one.body, &one.from, &one.patch) {
            (Some(body), None, None) => body.clone(),
            (None, Some(from), Some(patch)) => patched(&whole(from), patch),
            _ => panic!("{} has not one body", one.name),
        })
        .collect()
}

/// Collects answers.
struct Answers<J> {
    trusted: Hash,
    /// The pools that an answer counts where it holds, or its step.
    judge: J,
    all: Vec<AnswerVector>,
}

impl<J: Fn(&Value) -> Result<Option<usize>, &'static str>> Answers<J> {
    fn push(&mut self, name: &str, reason: &str, body: &Value, change: Option<(&str, &[Change])>) {
        let judged = (self.judge)(body);
        let (from, patch) = change.unzip();
        self.all.push(AnswerVector {
            name: name.to_owned(),
            reason: reason.to_owned(),
            refused_at: judged.err().map(str::to_owned),
            trusted: self.trusted,
            pools: judged.ok().flatten(),
            body: from.is_none().then(|| body.clone()),
            from: from.map(str::to_owned),
            patch: patch.map(<[Change]>::to_vec),
        });
    }

    fn good(&mut self, name: &str, reason: &str, body: &Value) {
        self.push(name, reason, body, None);
        let refused = self.all.last().unwrap().refused_at.as_ref();
        assert_eq!(refused, None, "{name}");
    }

    fn bad(&mut self, name: &str, reason: &str, body: &Value) {
        self.push(name, reason, body, None);
        assert!(self.all.last().unwrap().refused_at.is_some(), "{name} was accepted");
    }

    /// A good answer with changes.
    fn bent(&mut self, from: &str, name: &str, reason: &str, patch: &[Change]) {
        let good = self.all.iter().find(|one| one.name == from).unwrap();
        let body = patched(good.body.as_ref().unwrap(), patch);
        self.push(&format!("{from}: {name}"), reason, &body, Some((from, patch)));
        assert!(self.all.last().unwrap().refused_at.is_some(), "{name} was accepted");
    }
}

/// Whether the vectors of a file are judged as they say, and have every one of these steps.
fn check(
    vectors: &[AnswerVector],
    steps: &[&str],
    judge: impl Fn(&Value) -> Result<Option<usize>, &'static str>,
) {
    for (vector, body) in vectors.iter().zip(bodies(vectors)) {
        let judged = judge(&body);
        assert_eq!(judged.err(), vector.refused_at.as_deref(), "{}", vector.name);
        assert_eq!(judged.ok().flatten(), vector.pools, "{}", vector.name);
    }
    for step in steps {
        let is_there = vectors.iter().any(|one| one.refused_at.as_deref() == Some(*step));
        assert!(is_there, "no answer is refused at {step}");
    }
}
