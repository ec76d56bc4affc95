//! Many proofs in one answer, each trie node and each path hash written once.
//!
//! ```text
//! { "nodes": ["0x..", "0x..", ..],
//!   "items": [ a V5 answer whose lists `siblings` and `receiptSiblings` hold indexes of nodes ] }
//! ```

use std::collections::HashMap;

use serde_json::Value;
use superroot_proof::bundle::Bundle;

use super::{ledger, parse};
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

/// Stands before and after each shared node in the text of an item; no byte of UTF-8.
const MARK: u8 = 0xff;

/// An answer of the shape V5 as an item of any batch: what is remembered of one that is asked for again and again. Its
/// bytes are those of the answer with each shared node between two bytes that no text has.
///
/// # Panics
/// With what is no JSON object, or has white space between its parts.
#[must_use]
pub fn batch_item(answer: &[u8]) -> Vec<u8> {
    let mut marks = Vec::with_capacity(256);
    let end = Text(answer).mark(0, &mut marks);
    assert!(end == Some(answer.len()), "an answer is one object of JSON");
    let (mut out, mut begins) = (Vec::with_capacity(answer.len() + marks.len()), 0);
    for at in marks {
        out.extend_from_slice(&answer[begins..at]);
        out.push(MARK);
        begins = at;
    }
    out.extend_from_slice(&answer[begins..]);
    out
}

/// The JSON text of a batch of items that [`batch_item`] made.
///
/// # Panics
/// With bytes that it did not make.
#[must_use]
pub fn join_batch(items: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let bytes = items.iter().map(|item| item.as_ref().len() + 1).sum::<usize>();
    let (mut nodes, mut out) = (Vec::with_capacity(bytes + 32), Vec::with_capacity(bytes + 32));
    nodes.extend_from_slice(b"{\"nodes\":[");
    out.extend_from_slice(b"],\"items\":[");
    let mut places = HashMap::new();
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
            Value::Array(list) if holds_shared(name) => visit(list),
            Value::Object(_) if is_part(name) => each_shared(value, visit),
            _ => {}
        }
    }
}

/// JSON without white space between its parts, whose values are found without being read.
#[derive(Clone, Copy)]
struct Text<'a>(&'a [u8]);

impl Text<'_> {
    /// Finds where the shared nodes of the answer that begins at `at` begin and end: those that [`each_shared`] visits.
    /// Gives where the answer ends.
    fn mark(self, at: usize, marks: &mut Vec<usize>) -> Option<usize> {
        let mut at = self.past(at, b'{')?;
        while self.byte(at)? != b'}' {
            let ends = self.end(at)?;
            let name = core::str::from_utf8(self.0.get(at + 1..ends - 1)?).ok()?;
            at = self.past(ends, b':')?;
            at = match self.byte(at)? {
                b'[' if holds_shared(name) => self.mark_list(at, marks)?,
                b'{' if is_part(name) => self.mark(at, marks)?,
                _ => self.end(at)?,
            };
            at = self.past_comma(at)?;
        }
        Some(at + 1)
    }

    fn mark_list(self, at: usize, marks: &mut Vec<usize>) -> Option<usize> {
        let mut at = self.past(at, b'[')?;
        while self.byte(at)? != b']' {
            let ends = self.end(at)?;
            if self.byte(at)? == b'"' {
                marks.extend([at, ends]);
            }
            at = self.past_comma(ends)?;
        }
        Some(at + 1)
    }

    /// Where the value ends that begins at `at`.
    fn end(self, at: usize) -> Option<usize> {
        let (mut at, mut depth) = (at, 0_usize);
        loop {
            match self.byte(at)? {
                b'"' => at = self.end_of_text(at)?,
                b'{' | b'[' => (at, depth) = (at + 1, depth + 1),
                b'}' | b']' => (at, depth) = (at + 1, depth.checked_sub(1)?),
                b',' | b':' => {
                    at += 1;
                    continue;
                }
                _ => at += memchr::memchr3(b',', b'}', b']', self.0.get(at..)?)?,
            }
            if depth == 0 {
                return Some(at);
            }
        }
    }

    fn end_of_text(self, at: usize) -> Option<usize> {
        let mut at = at + 1;
        loop {
            at += memchr::memchr2(b'"', b'\\', self.0.get(at..)?)?;
            if self.byte(at)? == b'"' {
                return Some(at + 1);
            }
            at += 2;
        }
    }

    fn byte(self, at: usize) -> Option<u8> {
        self.0.get(at).copied()
    }

    /// The place after this byte, if it stands there.
    fn past(self, at: usize, byte: u8) -> Option<usize> {
        (self.byte(at)? == byte).then_some(at + 1)
    }

    fn past_comma(self, at: usize) -> Option<usize> {
        Some(at + usize::from(self.byte(at)? == b','))
    }
}

/// Whether a member of that name is a list of shared nodes.
pub(super) fn holds_shared(name: &str) -> bool {
    SHARED.contains(&name) || ledger::SHARED.contains(&name)
}

/// Whether it is a part in which such lists may lie.
pub(super) fn is_part(name: &str) -> bool {
    PARTS.contains(&name) || ledger::PARTS.contains(&name)
}
