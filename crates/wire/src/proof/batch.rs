//! Many proofs in one answer, with each trie node and path hash written once.
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

/// Maximum number of items in a batch.
pub const BATCH_ITEMS_MAX: usize = 256;
const BATCH_NODES_MAX: usize = 1 << 17;
const SHARED: [&str; 1] = ["siblings"];
/// Answer parts that may contain shared lists; other members stay unchanged.
const PARTS: [&str; 6] = ["block", "twig", "miniMmr", "superRoot", "registry", "note"];

/// Marker before and after each shared node in item text; never a UTF-8 byte.
const MARK: u8 = 0xff;

/// Converts a V5 answer to an item for any batch: the cacheable form for frequent requests. The result is the answer
/// text with each shared node between two marker bytes.
///
/// # Panics
/// If the answer is not a JSON object, or has white space between parts.
#[must_use]
pub fn batch_item(answer: &[u8]) -> Vec<u8> {
    let mut marks = Vec::with_capacity(256);
    let end = CompactJson(answer).mark(0, &mut marks);
    assert!(end == Some(answer.len()), "an answer is one object of JSON");
    let mut out = Vec::with_capacity(answer.len() + marks.len());
    let mut begins = 0;
    for at in marks {
        out.extend_from_slice(&answer[begins..at]);
        out.push(MARK);
        begins = at;
    }
    out.extend_from_slice(&answer[begins..]);
    out
}

/// Joins items from [`batch_item`] to the JSON text of a batch.
///
/// # Panics
/// If the bytes are not from [`batch_item`].
#[must_use]
pub fn join_batch(items: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let bytes = items.iter().map(|item| item.as_ref().len() + 1).sum::<usize>();
    let mut nodes = Vec::with_capacity(bytes + 32);
    let mut out = Vec::with_capacity(bytes + 32);
    nodes.extend_from_slice(b"{\"nodes\":[");
    out.extend_from_slice(b"],\"items\":[");
    let mut places = HashMap::new();
    for (position, item) in items.iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        let item = item.as_ref();
        let mut begins = 0;
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

/// Expands each batch item to a V5 answer with full nodes.
///
/// # Errors
/// [`WireError`] with the member; [`WireError::TooLarge`] if the expanded items exceed the maximum body size, for
/// example by naming a few large nodes many times.
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
                    let member = format!("items[{position}]");
                    let expected = "indexes of nodes";
                    let got = crate::text::shorten(&place.to_string());
                    fault = Some(WireError::Member { member, got, expected });
                    return;
                };
                written_bytes = written_bytes.saturating_add(node.len());
                if written_bytes > BODY_BYTES_MAX {
                    let what = "the batch";
                    let got = written_bytes;
                    let max = BODY_BYTES_MAX;
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

/// Parses the proofs of a batch.
///
/// # Errors
/// As [`expand_batch`] and [`parse`].
pub fn parse_batch(body: &Value) -> Result<Vec<Bundle>, WireError> {
    expand_batch(body)?.iter().map(parse).collect()
}

/// Visits every list of shared nodes in an answer, including parts and block.
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

/// JSON without white space between parts; values are located without parsing.
#[derive(Clone, Copy)]
struct CompactJson<'a>(&'a [u8]);

impl CompactJson<'_> {
    /// Marks the start and end of each shared node in the answer at `at`, as visited by [`each_shared`]. Returns the
    /// end of the answer.
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

    /// Returns the end of the value at `at`.
    fn end(self, at: usize) -> Option<usize> {
        let mut at = at;
        let mut depth = 0_usize;
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

    /// Returns the position after the given byte, if present.
    fn past(self, at: usize, byte: u8) -> Option<usize> {
        (self.byte(at)? == byte).then_some(at + 1)
    }

    fn past_comma(self, at: usize) -> Option<usize> {
        Some(at + usize::from(self.byte(at)? == b','))
    }
}

/// Whether a member with this name is a list of shared nodes.
pub(super) fn holds_shared(name: &str) -> bool {
    SHARED.contains(&name) || ledger::SHARED.contains(&name)
}

/// Whether a member with this name is a part that may contain shared lists.
pub(super) fn is_part(name: &str) -> bool {
    PARTS.contains(&name) || ledger::PARTS.contains(&name)
}
