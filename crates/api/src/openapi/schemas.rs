//! Document schemas, each once, from the schemas derived in `wire`.
//!
//! Types are written in `snake_case`. Under `/v5` and `/signals` members are in `camelCase`: a type with both spellings
//! has two schemas, the `snake_case` one with suffix `Snake`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use superroot_types::Family;
use superroot_wire::Case;

use crate::route::BodySchema;

const PREFIX: &str = "#/components/schemas/";

/// Types that omit empty members. Other answers have `null` there.
const SPARSE: [&str; 20] = [
    "BatchItem",
    "BatchRequest",
    "ConsistencyProof",
    "Entry",
    "EventPart",
    "EvmBloom",
    "EvmEvent",
    "EvmHeader",
    "EvmLog",
    "EvmReceipt",
    "EvmTransaction",
    "Expected",
    "LambdaPart",
    "Levels",
    "MiniMmrRow",
    "RegisterRequest",
    "RotateRequest",
    "Unproven",
    "VerifyRequest",
    "WebhookSubscription",
];

/// Bodies with further members: verification takes a proof unchanged, and a problem adds members by case.
const OPEN: [&str; 2] = ["Problem", "VerifyRequest"];

/// Parts of several answers, written once in the document.
const SHARED: [&str; 13] = [
    "BlockPart",
    "BlockReference",
    "ChainStanding",
    "Entry",
    "IcpOperation",
    "Levels",
    "OrderEvent",
    "Place",
    "SuperRootBlob",
    "SuperRootPart",
    "SuperRootRow",
    "Unproven",
    "WebhookSubscription",
];

/// Name prefix for schemas that differ in a batch item.
const OF_BATCH: &str = "Batch";

/// Whether a schema is of a ledger object outside the EVM: `docs/ledgers.md` describes their members.
fn is_of_other_ledger(schema: &str) -> bool {
    let mut others = Family::ALL.into_iter().filter(|family| *family != Family::Evm);
    others.any(|family| {
        let name = family.name();
        schema.get(..name.len()).is_some_and(|start| {
            start.starts_with(|first: char| first.is_ascii_uppercase())
                && start.eq_ignore_ascii_case(name)
        })
    })
}

#[derive(Default)]
pub(super) struct Schemas {
    derived: BTreeMap<String, Value>,
    spelled: BTreeSet<(String, bool)>,
}

impl Schemas {
    /// Adds a type and its parts. `is_answer`: nullable members are never omitted.
    pub(super) fn add(&mut self, schema: BodySchema, case: Case, is_answer: bool) {
        for (name, schema) in (schema.all)() {
            let mut schema = serde_json::to_value(schema).unwrap_or_default();
            if is_among(&SPARSE, &name) {
                forbid_null(&mut schema);
            } else if is_answer {
                require_nullable(&mut schema);
            }
            leave_usual_out(&mut schema, is_answer);
            self.spelled.insert((name.clone(), case == Case::Camel));
            let known = self.derived.entry(name).or_insert_with(|| schema.clone());
            debug_assert_eq!(*known, schema, "two types have one name");
        }
    }

    pub(super) fn reference(&self, schema: BodySchema, case: Case) -> Value {
        json!({ "$ref": format!("{PREFIX}{}", self.name(&(schema.name)(), case)) })
    }

    fn name(&self, name: &str, case: Case) -> String {
        let has_members = self.derived.get(name).is_some_and(|schema| !is_scalar(schema));
        let in_both = self.spelled.contains(&(name.to_owned(), true));
        if case == Case::Snake && has_members && in_both {
            return format!("{name}Snake");
        }
        name.to_owned()
    }

    pub(super) fn into_components(self) -> Map<String, Value> {
        let written = self.spelled.iter().filter_map(|(name, is_camel)| {
            let case = if *is_camel { Case::Camel } else { Case::Snake };
            let mut schema = self.merged(self.derived.get(name)?.clone());
            if OPEN.contains(&name.as_str()) {
                schema["additionalProperties"] = true.into();
            }
            let mut schema = self.spell(schema, case);
            let spelled = self.name(name, case);
            // what its members mean stands elsewhere: at the other one, or in the docs
            let other = name.strip_prefix(OF_BATCH);
            if spelled != *name
                || other.is_some_and(|other| self.derived.contains_key(other))
                || is_of_other_ledger(name)
            {
                leave_out_descriptions(&mut schema);
            }
            Some((spelled, schema))
        });
        written.collect()
    }

    /// Merges members of flattened parts into the type.
    fn merged(&self, schema: Value) -> Value {
        let Some(Value::Array(parts)) = schema.get("allOf").cloned() else { return schema };
        let mut properties = Map::new();
        let mut required = Vec::new();
        let mut shared = Vec::new();
        for part in parts {
            // one of two, where the other is null: there with all of its members, or not at all
            let one_of = part["oneOf"].as_array().into_iter().flatten();
            let optional = one_of.into_iter().find(|one| one["$ref"].is_string());
            let target = optional.unwrap_or(&part)["$ref"].as_str();
            let target = target.and_then(|target| target.strip_prefix(PREFIX));
            let is_optional = optional.is_some();
            if target.is_some_and(|name| is_among(&SHARED, name)) {
                shared.push(part);
                continue;
            }
            let mut part = match target.and_then(|name| self.derived.get(name)) {
                Some(part) => self.merged(part.clone()),
                None => part,
            };
            // what it shares with others stands beside the whole as well
            if let Some(Value::Array(mut parts)) = part.get_mut("allOf").map(Value::take) {
                part = parts.pop_if(|last| last["$ref"].is_null()).unwrap_or_default();
                shared.extend(parts);
            }
            // one of several forms: the members of all, which of them depends
            for form in part["oneOf"].as_array().into_iter().flatten() {
                self.add_form(form, &mut properties);
            }
            properties.extend(part["properties"].as_object().cloned().unwrap_or_default());
            if !is_optional {
                required.extend(part["required"].as_array().cloned().unwrap_or_default());
            }
        }
        let own = json!({ "type": "object", "properties": properties, "required": required });
        let mut whole = own;
        if !shared.is_empty() {
            if whole["properties"].as_object().is_some_and(|own| !own.is_empty()) {
                shared.push(whole);
            }
            whole = json!({ "allOf": shared });
        }
        for name in ["description", "example"] {
            if let Some(said) = schema.get(name) {
                whole[name] = said.clone();
            }
        }
        whole
    }

    /// Adds the members of one form; a member that differs between forms may be either.
    fn add_form(&self, form: &Value, properties: &mut Map<String, Value>) {
        let name = form["$ref"].as_str().and_then(|target| target.strip_prefix(PREFIX));
        let form = name.and_then(|name| self.derived.get(name)).cloned();
        let mut form = self.merged(form.unwrap_or_default());
        forbid_null(&mut form);
        for (name, member) in form["properties"].as_object().cloned().unwrap_or_default() {
            match properties.get_mut(&name) {
                Some(other) if *other != member => {
                    *other = json!({ "anyOf": [other.take(), member] });
                }
                Some(_) => {}
                None => drop(properties.insert(name, member)),
            }
        }
    }

    fn spell(&self, schema: Value, case: Case) -> Value {
        let Value::Object(members) = schema else {
            return match schema {
                Value::Array(items) => {
                    items.into_iter().map(|item| self.spell(item, case)).collect()
                }
                scalar => scalar,
            };
        };
        let spelled = members.into_iter().map(|(key, value)| {
            let value = match (key.as_str(), value) {
                ("properties", Value::Object(properties)) => properties
                    .into_iter()
                    .map(|(name, value)| (case.spell(&name), self.spell(value, case)))
                    .collect(),
                ("required", Value::Array(names)) => {
                    names.iter().filter_map(Value::as_str).map(|name| case.spell(name)).collect()
                }
                ("$ref", Value::String(target)) => {
                    let name = target.strip_prefix(PREFIX).unwrap_or_default();
                    Value::from(format!("{PREFIX}{}", self.name(name, case)))
                }
                (_, value) => self.spell(value, case),
            };
            (key, value)
        });
        Value::Object(spelled.collect())
    }
}

/// Whether a name is listed, as is or as a batch item's name.
fn is_among(names: &[&str], name: &str) -> bool {
    let of_item = name.strip_prefix(OF_BATCH).unwrap_or(name);
    names.contains(&name) || names.contains(&of_item)
}

fn is_scalar(schema: &Value) -> bool {
    ["properties", "allOf", "anyOf"].into_iter().all(|made_of| schema.get(made_of).is_none())
}

fn require_nullable(schema: &mut Value) {
    let parts = schema.get_mut("allOf").and_then(Value::as_array_mut);
    parts.into_iter().flatten().for_each(require_nullable);
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    let nullable = properties.into_iter().filter(|(_, schema)| allows_null(schema));
    let mut required: BTreeSet<String> = nullable.map(|(name, _)| name).collect();
    let known = schema["required"].as_array().into_iter().flatten();
    required.extend(known.filter_map(Value::as_str).map(str::to_owned));
    if !required.is_empty() {
        schema["required"] = required.into_iter().collect();
    }
}

fn forbid_null(schema: &mut Value) {
    let parts = schema.get_mut("allOf").and_then(Value::as_array_mut);
    parts.into_iter().flatten().for_each(forbid_null);
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(Map::values_mut) {
        let one_of = property["oneOf"].as_array().into_iter().flatten();
        if let Some(other) = one_of.into_iter().find(|one| one["type"] != "null").cloned() {
            *property = other;
        } else if let Some(kinds) = property["type"].as_array() {
            let kind = kinds.iter().find(|kind| *kind != "null").cloned();
            property["type"] = kind.unwrap_or_default();
        }
    }
}

/// Omits defaults: minimum 0 in answers, format `int32` for integers.
fn leave_usual_out(schema: &mut Value, is_answer: bool) {
    match schema {
        Value::Object(members) => {
            if is_answer && members.get("minimum") == Some(&json!(0)) {
                members.remove("minimum");
            }
            if members.get("format") == Some(&json!("int32")) {
                members.remove("format");
            }
            members.values_mut().for_each(|value| leave_usual_out(value, is_answer));
        }
        Value::Array(items) => {
            items.iter_mut().for_each(|value| leave_usual_out(value, is_answer));
        }
        _ => {}
    }
}

fn leave_out_descriptions(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.retain(|name, value| name != "description" || !value.is_string());
            members.values_mut().for_each(leave_out_descriptions);
        }
        Value::Array(items) => items.iter_mut().for_each(leave_out_descriptions),
        _ => {}
    }
}

fn allows_null(schema: &Value) -> bool {
    let one_of = schema["oneOf"].as_array().into_iter().flatten();
    let kinds = schema["type"].as_array().into_iter().flatten();
    one_of.map(|one| &one["type"]).chain(kinds).any(|kind| kind == "null")
}

/// Removes schemas without references.
pub(super) fn keep_used(document: &mut Value) {
    let mut used = BTreeSet::new();
    let components = &document["components"];
    let mut waiting = vec![
        document["paths"].clone(),
        document["channels"].clone(),
        components["responses"].clone(),
        components["messages"].clone(),
    ];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Object(members) => {
                if let Some(name) = members
                    .get("$ref")
                    .and_then(Value::as_str)
                    .and_then(|it| it.strip_prefix(PREFIX))
                    && used.insert(name.to_owned())
                {
                    waiting.push(document["components"]["schemas"][name].clone());
                }
                waiting.extend(members.into_iter().map(|(_, value)| value));
            }
            Value::Array(items) => waiting.extend(items),
            _ => {}
        }
    }
    if let Some(schemas) = document["components"]["schemas"].as_object_mut() {
        schemas.retain(|name, _| used.contains(name));
    }
}
