//! Many proofs in one answer, each trie node and each path hash written once.
//!
//! ```text
//! { "nodes": ["0x..", "0x..", ..],
//!   "items": [ a V5 answer whose lists `siblings` and `receiptSiblings` hold indexes of nodes ] }
//! ```

use std::collections::HashMap;

use serde_json::{Map, Value};
use superroot_proof::bundle::{Bundle, Facts};

use super::body::Batch;
use super::{Shape, ledger, parse, render};
use crate::json::BODY_BYTES_MAX;
use crate::member::Member;
use crate::{Case, WireError};

/// Most items in one batch.
pub const BATCH_ITEMS_MAX: usize = 256;
/// Most nodes in one batch.
const BATCH_NODES_MAX: usize = 1 << 17;
/// The members whose items are shared.
const SHARED: [&str; 1] = ["siblings"];
/// The parts of an answer in which they may lie; what else is there is left as it is.
const PARTS: [&str; 6] = ["block", "twig", "miniMmr", "superRoot", "registry", "note"];

/// One proof of a batch.
#[derive(Clone, Debug)]
pub struct BatchItem<'a> {
    /// The proof.
    pub bundle: &'a Bundle,
    /// What it has shown.
    pub facts: &'a Facts,
    /// Members that are not proven, such as `finality`; none may have a name that the proof uses.
    pub extras: Map<String, Value>,
}

/// The JSON form of many proofs.
///
/// # Panics
/// Never: texts and JSON are always JSON.
#[must_use]
pub fn render_batch(items: &[BatchItem<'_>]) -> Value {
    let mut nodes = Vec::new();
    let mut places = HashMap::new();
    let mut share = |node: &mut Value| {
        if let Value::String(text) = node {
            let index = *places.entry(text.clone()).or_insert_with(|| {
                nodes.push(text.clone());
                nodes.len() - 1
            });
            *node = Value::from(index);
        }
    };
    let items = items.iter().map(|item| {
        let mut rendered = render(item.bundle, item.facts, Shape::V5);
        each_shared(&mut rendered, &mut |list| list.iter_mut().for_each(&mut share));
        if let Value::Object(members) = &mut rendered {
            let extras = item.extras.iter().filter(|(name, _)| !members.contains_key(*name));
            let extras: Vec<_> =
                extras.map(|(name, value)| (name.clone(), value.clone())).collect();
            members.extend(extras);
        }
        rendered
    });
    let items = items.collect();
    serde_json::to_value(Batch { nodes, items }).expect("texts and JSON are always JSON")
}

/// Each item of a batch as the V5 answer it stands for, with its nodes written out.
///
/// # Errors
/// [`WireError`] naming the member; [`WireError::TooLarge`] when the items written out would be
/// larger than a body may be, as when a few large nodes are named over and over.
pub fn expand_batch(body: &Value) -> Result<Vec<Value>, WireError> {
    let root = Member::root(body, Case::Camel);
    let nodes = root.get("nodes")?.items(BATCH_NODES_MAX)?;
    let nodes = nodes.iter().map(Member::text).collect::<Result<Vec<_>, _>>()?;
    let mut written_bytes = 0_usize;
    let mut fault = None;
    let mut expanded = Vec::new();
    for (position, item) in root.get("items")?.items(BATCH_ITEMS_MAX)?.iter().enumerate() {
        let mut item = item.value().clone();
        each_shared(&mut item, &mut |list| {
            for place in list.iter_mut().filter(|_| fault.is_none()) {
                let index = place.as_u64().and_then(|index| usize::try_from(index).ok());
                let Some(node) = index.and_then(|index| nodes.get(index)) else {
                    let (member, expected) = (format!("items[{position}]"), "indexes of nodes");
                    let got = crate::text::shorten(&place.to_string());
                    fault = Some(WireError::Member { member, got, expected });
                    return;
                };
                written_bytes = written_bytes.saturating_add(node.len());
                if written_bytes > BODY_BYTES_MAX {
                    let (what, got, max) = ("the batch", written_bytes, BODY_BYTES_MAX);
                    fault = Some(WireError::TooLarge { what, got, max });
                    return;
                }
                *place = Value::from(*node);
            }
        });
        if let Some(fault) = fault {
            return Err(fault);
        }
        expanded.push(item);
    }
    Ok(expanded)
}

/// Reads the proofs of a batch.
///
/// # Errors
/// As [`expand_batch`] and [`parse`].
pub fn parse_batch(body: &Value) -> Result<Vec<Bundle>, WireError> {
    expand_batch(body)?.iter().map(parse).collect()
}

/// Every list of shared nodes in an answer: its own members, those of its parts and of its block.
fn each_shared(answer: &mut Value, visit: &mut impl FnMut(&mut Vec<Value>)) {
    let Value::Object(members) = answer else { return };
    for (name, value) in members {
        match value {
            Value::Array(list) if is_among(&SHARED, &ledger::SHARED, name) => visit(list),
            Value::Object(_) if is_among(&PARTS, &ledger::PARTS, name) => each_shared(value, visit),
            _ => {}
        }
    }
}

fn is_among(names: &[&str], of_ledgers: &[&str], name: &str) -> bool {
    names.contains(&name) || of_ledgers.contains(&name)
}
