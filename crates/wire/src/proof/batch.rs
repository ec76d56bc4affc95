//! Many proofs in one answer, each trie node and each path hash written once.
//!
//! ```text
//! { "nodes": ["0x..", "0x..", ..],
//!   "items": [ a V5 answer whose lists `siblings` and `receiptSiblings` hold indexes of nodes ] }
//! ```

use std::collections::HashMap;

use serde_json::{Map, Value};
use superroot_proof::bundle::{Bundle, Facts};

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

/// Stands before and after each shared node in the text of an item; no byte of UTF-8.
const MARK: u8 = 0xff;

/// A proof as an item of any batch: what is remembered of one that is asked for again and again. Its bytes are its JSON
/// text with each shared node between two bytes that no text has.
///
/// # Panics
/// Never: JSON is always text.
#[must_use]
pub fn render_item(item: &BatchItem<'_>) -> Vec<u8> {
    let mut rendered = render(item.bundle, item.facts, Shape::V5);
    if let Value::Object(members) = &mut rendered {
        for (name, value) in &item.extras {
            members.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    let mut out = Vec::with_capacity(8 << 10);
    write_marked(&rendered, &mut out);
    out
}

/// The JSON text of a batch of items that [`render_item`] made.
///
/// # Panics
/// With bytes that it did not make.
#[must_use]
pub fn join_batch(items: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let (mut nodes, mut places) = (b"{\"nodes\":[".to_vec(), HashMap::new());
    let mut out = b"],\"items\":[".to_vec();
    for (position, item) in items.iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        let (item, mut begins) = (item.as_ref(), 0);
        for (number, end) in memchr::memchr_iter(MARK, item).chain([item.len()]).enumerate() {
            let part = &item[begins..end];
            begins = end + 1;
            if number % 2 == 0 {
                out.extend_from_slice(part);
                continue;
            }
            let index = places.len();
            let index = *places.entry(part).or_insert_with(|| {
                if index > 0 {
                    nodes.push(b',');
                }
                nodes.extend_from_slice(part);
                index
            });
            out.extend_from_slice(index.to_string().as_bytes());
        }
    }
    nodes.append(&mut out);
    nodes.extend_from_slice(b"]}");
    nodes
}

/// The JSON form of many proofs.
///
/// # Panics
/// Never: what is rendered is always JSON.
#[must_use]
pub fn render_batch(items: &[BatchItem<'_>]) -> Value {
    let items: Vec<_> = items.iter().map(render_item).collect();
    serde_json::from_slice(&join_batch(&items)).expect("what was rendered is JSON")
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

/// Writes an answer, its shared nodes between marks: those that [`each_shared`] visits.
fn write_marked(answer: &Value, out: &mut Vec<u8>) {
    let plain = |value: &Value, out: &mut Vec<u8>| {
        serde_json::to_writer(out, value).expect("memory takes what is written");
    };
    let Value::Object(members) = answer else { return plain(answer, out) };
    for (place, (name, value)) in members.iter().enumerate() {
        out.push(if place == 0 { b'{' } else { b',' });
        serde_json::to_writer(&mut *out, name).expect("memory takes what is written");
        out.push(b':');
        match value {
            Value::Array(list) if is_among(&SHARED, &ledger::SHARED, name) => {
                out.push(b'[');
                for (place, node) in list.iter().enumerate() {
                    if place > 0 {
                        out.push(b',');
                    }
                    let is_node = node.is_string();
                    out.extend(is_node.then_some(MARK));
                    plain(node, out);
                    out.extend(is_node.then_some(MARK));
                }
                out.push(b']');
            }
            Value::Object(_) if is_among(&PARTS, &ledger::PARTS, name) => write_marked(value, out),
            value => plain(value, out),
        }
    }
    out.extend_from_slice(if members.is_empty() { b"{}" } else { b"}" });
}

fn is_among(names: &[&str], of_ledgers: &[&str], name: &str) -> bool {
    names.contains(&name) || of_ledgers.contains(&name)
}
