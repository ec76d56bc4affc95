//! Schemas for batch items: answers of the other routes, with node indexes in the sibling lists. Schema `X` with
//! sibling lists, directly or in a part, becomes `BatchX`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AnyOfBuilder, Ref, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::answer::{AbsenceProof, BlockProof, EventProof, TransactionProof};
use crate::Case;
use crate::proof::batch::{holds_shared, is_part};

const PREFIX: &str = "#/components/schemas/";

/// Answer of another proof route, as a batch item.
pub struct BatchProof;

impl PartialSchema for BatchProof {
    fn schema() -> RefOr<Schema> {
        let forms = ["BlockProof", "EventProof", "TransactionProof", "AbsenceProof"];
        let named = forms.map(|form| Ref::from_schema_name(format!("Batch{form}")));
        named.into_iter().fold(AnyOfBuilder::new(), AnyOfBuilder::item).into()
    }
}

impl ToSchema for BatchProof {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        let mut all = vec![
            ("EventProof".to_owned(), EventProof::schema()),
            ("TransactionProof".to_owned(), TransactionProof::schema()),
            ("AbsenceProof".to_owned(), AbsenceProof::schema()),
            ("BlockProof".to_owned(), BlockProof::schema()),
        ];
        EventProof::schemas(&mut all);
        TransactionProof::schemas(&mut all);
        AbsenceProof::schemas(&mut all);
        BlockProof::schemas(&mut all);
        let values = all.iter().map(|(name, schema)| (name.as_str(), json!(schema)));
        let mut values: BTreeMap<&str, Value> = values.collect();
        let mut changed = BTreeSet::new();
        while let Some(name) = next_changed(&mut values, &changed) {
            changed.insert(name);
        }
        for name in &changed {
            let schema = values.get_mut(name.as_str()).expect("it was found there");
            each_place(schema, &mut |place| match place {
                BatchVariance::Items(items) => *items = json!({ "type": "integer" }),
                BatchVariance::Name(name) if changed.contains(name) => name.insert_str(0, "Batch"),
                BatchVariance::Name(_) => {}
            });
            let schema = serde_json::from_value(schema.take()).expect("a schema is one still");
            schemas.push((format!("Batch{name}"), schema));
        }
        schemas.extend(all);
    }
}

/// Finds a schema that differs in a batch, directly or through a known changed part.
fn next_changed(schemas: &mut BTreeMap<&str, Value>, changed: &BTreeSet<String>) -> Option<String> {
    let unknown = schemas.iter_mut().filter(|(name, _)| !changed.contains(**name));
    for (name, schema) in unknown {
        let mut differs = false;
        each_place(schema, &mut |place| {
            differs |= match place {
                BatchVariance::Items(_) => true,
                BatchVariance::Name(name) => changed.contains(name),
            };
        });
        if differs {
            return Some((*name).to_owned());
        }
    }
    None
}

/// Schema part that may differ in a batch.
enum BatchVariance<'a> {
    /// A node list's items.
    Items(&'a mut Value),
    /// Schema name of a part or sibling object.
    Name(&'a mut String),
}

fn each_place(schema: &mut Value, visit: &mut impl FnMut(BatchVariance<'_>)) {
    let members = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, member) in members.into_iter().flatten() {
        let name = Case::Camel.spell(name);
        if holds_shared(&name) {
            visit(BatchVariance::Items(&mut member["items"]));
        } else if is_part(&name) {
            each_name(member, visit);
        }
    }
    for together in ["allOf", "oneOf", "anyOf"] {
        let parts = schema.get_mut(together).and_then(Value::as_array_mut);
        for part in parts.into_iter().flatten() {
            each_name(part, visit);
            each_place(part, visit);
        }
    }
}

fn each_name(member: &mut Value, visit: &mut impl FnMut(BatchVariance<'_>)) {
    let named = member["$ref"].as_str().and_then(|named| named.strip_prefix(PREFIX));
    if let Some(mut name) = named.map(str::to_owned) {
        visit(BatchVariance::Name(&mut name));
        member["$ref"] = format!("{PREFIX}{name}").into();
    }
    let parts = member.get_mut("oneOf").and_then(Value::as_array_mut);
    for part in parts.into_iter().flatten() {
        each_name(part, visit);
    }
}
