//! JSON-RPC as nodes speak it: calls written, envelopes checked, ids matched, counts bounded, and what a
//! failure means.
//!
//! A ledger whose nodes have a path for each call (REST, whatever its bodies are written in) has its
//! calls sent one a request, and their answers given on as they came.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use superroot_types::first_chars;

use crate::Lease;
use crate::error::Fault;
use crate::live::transport::{Path, Request, TransportError};

/// How requests and answers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// JSON-RPC 2.0.
    JsonRpc,
    /// The same, whose answers need not say which it is, as those of `bitcoind` before 28.
    JsonRpcUnnamed,
    /// A path for each call, answered by the bytes of a body.
    #[allow(dead_code, reason = "of ledgers whose nodes have a path for each call")]
    Paths,
    /// A path for each call, posted and answered as one message of gRPC.
    Grpc,
}

/// What is sent for a call.
#[allow(dead_code, reason = "of ledgers whose nodes have a path for each call")]
#[derive(Clone, Debug)]
pub(crate) enum Sent {
    /// The parameters of a JSON-RPC call.
    Params(Value),
    /// A request of its own.
    Path { path: Path, body: Vec<u8> },
}

/// A call of a node.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// Its method, or what a path asks for: a name of a closed set.
    pub(crate) method: &'static str,
    pub(crate) sent: Sent,
    /// Whether the answer is as large as a block.
    pub(crate) is_large: bool,
}

#[allow(dead_code, reason = "of ledgers whose nodes have a path for each call")]
impl Call {
    pub(crate) const fn new(method: &'static str, params: Value) -> Self {
        Self { method, sent: Sent::Params(params), is_large: false }
    }

    /// One whose answer is as large as a block.
    pub(crate) const fn large(method: &'static str, params: Value) -> Self {
        Self { method, sent: Sent::Params(params), is_large: true }
    }

    /// One that gets a path, answered in that media type.
    pub(crate) const fn get(method: &'static str, path: String, accept: &'static str) -> Self {
        let path = Path { path, content_type: None, accept };
        Self { method, sent: Sent::Path { path, body: Vec::new() }, is_large: false }
    }

    /// One that posts a body of that media type to a path, answered in the same.
    pub(crate) const fn post(
        method: &'static str,
        path: String,
        media_type: &'static str,
        body: Vec<u8>,
    ) -> Self {
        let path = Path { path, content_type: Some(media_type), accept: media_type };
        Self { method, sent: Sent::Path { path, body }, is_large: false }
    }

    /// One of gRPC: a message to a method of a service.
    pub(crate) fn grpc(method: &'static str, service: &'static str, message: Vec<u8>) -> Self {
        Self::post(method, format!("/{service}/{method}"), GRPC, message)
    }

    /// The same, whose answer is as large as a block.
    pub(crate) fn with_large_answer(self) -> Self {
        Self { is_large: true, ..self }
    }

    /// Whether it is a request of its own, and never one of a batch.
    pub(crate) const fn has_path(&self) -> bool {
        matches!(self.sent, Sent::Path { .. })
    }
}

/// Media type of gRPC.
pub(crate) const GRPC: &str = "application/grpc";

/// The request for one call, or a batch.
pub(crate) fn request_of(calls: &[&Call], ids: &[u64]) -> Request {
    if let [Call { sent: Sent::Path { path, body }, .. }] = calls {
        let (path, body) = (Some(path.clone()), body.clone());
        return Request { path, body, answer_bytes_max: 0 };
    }
    Request { path: None, body: request_body(calls, ids), answer_bytes_max: 0 }
}

fn request_body(calls: &[&Call], ids: &[u64]) -> Vec<u8> {
    let written = |(call, id): (&&Call, &u64)| {
        let params = match &call.sent {
            Sent::Params(params) => params,
            Sent::Path { .. } => &Value::Null,
        };
        json!({ "jsonrpc": "2.0", "id": id, "method": call.method, "params": params })
    };
    let mut calls: Vec<Value> = calls.iter().zip(ids).map(written).collect();
    let body = if calls.len() == 1 { calls.swap_remove(0) } else { Value::Array(calls) };
    body.to_string().into_bytes()
}

/// An answer's bytes, with the leave to have them in hand.
#[derive(Debug)]
pub(crate) struct Body {
    bytes: Vec<u8>,
    _lease: Option<Lease>,
}

/// The bytes of one call's result, in the answer that it came with: nothing is copied.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    body: Arc<Body>,
    range: Range<usize>,
}

impl Found {
    /// A part of that body.
    fn part(body: &Arc<Body>, part: &str) -> Self {
        let start = (part.as_ptr() as usize).saturating_sub(body.bytes.as_ptr() as usize);
        Self { body: Arc::clone(body), range: start..start + part.len() }
    }

    /// A whole body.
    fn whole(bytes: Vec<u8>, lease: Option<Lease>) -> Self {
        let range = 0..bytes.len();
        Self { body: Arc::new(Body { bytes, _lease: lease }), range }
    }

    /// What was answered: of JSON-RPC the JSON of the result, else a body as it came.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.body.bytes.get(self.range.clone()).unwrap_or_default()
    }
}

/// What one call gave.
pub(crate) type Outcome = Result<Found, Fault>;

/// A whole answer.
#[derive(Debug)]
pub(crate) enum Decoded {
    /// One outcome per id asked for, in that order.
    Each(Vec<Outcome>),
    /// One error object where a batch was asked: the node takes no batches, or not this one.
    BatchRefused(Fault),
}

#[derive(Deserialize)]
struct Reply<'a> {
    #[serde(default)]
    jsonrpc: Value,
    #[serde(default)]
    id: Value,
    #[serde(default, borrow, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<ErrorObject>,
}

/// Tells a `result` of `null` from none.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
struct ErrorObject {
    code: i64,
    #[serde(default)]
    message: String,
    /// Some say there what they mean, and in `message` only what kind of thing it is.
    #[serde(default)]
    data: Value,
}

impl ErrorObject {
    /// What it means; bytes in `data` are no words.
    fn into_fault(self, clean: &dyn Fn(&str) -> String) -> Fault {
        let Self { code, message, data } = self;
        match data.as_str().filter(|data| !data.is_empty() && !data.starts_with("0x")) {
            Some(data) => of_error_object(code, &format!("{message}: {data}"), clean),
            None => of_error_object(code, &message, clean),
        }
    }
}

/// Reads the answer to the calls of those ids; one id means a call that was sent outside of a batch.
pub(crate) fn decode(
    bytes: Vec<u8>,
    lease: Option<Lease>,
    ids: &[u64],
    protocol: Protocol,
    clean: &dyn Fn(&str) -> String,
) -> Result<Decoded, Fault> {
    let foreign = |bytes: &[u8]| {
        let start = bytes.get(..bytes.len().min(2_000)).unwrap_or_default();
        Fault::NotJsonRpc(clean(&String::from_utf8_lossy(start)))
    };
    if matches!(protocol, Protocol::Paths | Protocol::Grpc) {
        return Ok(Decoded::Each(vec![Ok(Found::whole(bytes, lease))]));
    }
    let body = Arc::new(Body { bytes, _lease: lease });
    let Ok(text) = std::str::from_utf8(&body.bytes) else { return Err(foreign(&body.bytes)) };
    let foreign = || foreign(text.as_bytes());
    match (text.trim_ascii_start().as_bytes().first(), ids) {
        (Some(b'{'), [id]) => {
            let reply: Reply<'_> = serde_json::from_str(text).map_err(|_| foreign())?;
            check_envelope(&reply, *id, protocol, clean)?;
            Ok(Decoded::Each(vec![outcome(&body, reply, clean)]))
        }
        (Some(b'{'), _) => {
            let reply: Reply<'_> = serde_json::from_str(text).map_err(|_| foreign())?;
            match reply.error {
                Some(error) => Ok(Decoded::BatchRefused(error.into_fault(clean))),
                None => Err(foreign()),
            }
        }
        (Some(b'['), [_, _, ..]) => {
            decode_batch(&body, text, ids, protocol, clean).ok_or_else(foreign)
        }
        _ => Err(foreign()),
    }
}

/// The error object in a body that came with another status than 200, if it is one.
pub(crate) fn error_object(body: &[u8], clean: &dyn Fn(&str) -> String) -> Option<Fault> {
    if body.trim_ascii_start().first() != Some(&b'{') {
        return None;
    }
    let reply: Reply<'_> = serde_json::from_slice(body).ok()?;
    reply.error.map(|error| error.into_fault(clean))
}

fn check_envelope(
    reply: &Reply<'_>,
    id: u64,
    protocol: Protocol,
    clean: &dyn Fn(&str) -> String,
) -> Result<(), Fault> {
    let mismatch = |field, got: &Value, expected: String| {
        Err(Fault::Mismatch { field, got: clean(&got.to_string()), expected })
    };
    let is_unnamed =
        protocol == Protocol::JsonRpcUnnamed && (reply.jsonrpc.is_null() || reply.jsonrpc == "1.0");
    if reply.jsonrpc != "2.0" && !is_unnamed {
        return mismatch("jsonrpc", &reply.jsonrpc, "\"2.0\"".into());
    }
    // a node that could not read the call does not know its id
    let is_ours = reply.id == id || (reply.id.is_null() && reply.error.is_some());
    if is_ours { Ok(()) } else { mismatch("id", &reply.id, id.to_string()) }
}

fn outcome(body: &Arc<Body>, reply: Reply<'_>, clean: &dyn Fn(&str) -> String) -> Outcome {
    match (reply.error, reply.result) {
        (Some(error), _) => Err(error.into_fault(clean)),
        (None, Some(result)) => Ok(Found::part(body, result.get())),
        (None, None) => Err(Fault::Shape("neither result nor error".into())),
    }
}

/// Reads a list of replies in any order; `None` when it is none, or longer than could be.
fn decode_batch(
    body: &Arc<Body>,
    text: &str,
    ids: &[u64],
    protocol: Protocol,
    clean: &dyn Fn(&str) -> String,
) -> Option<Decoded> {
    let replies = replies_of(text, ids.len() * 2).ok()?;
    let lacking = || Err(Fault::Missing("the batch's answer lacks this call"));
    let mut outcomes: Vec<Outcome> = ids.iter().map(|_| lacking()).collect();
    let mut seen = vec![false; ids.len()];
    for reply in replies {
        let place = ids.iter().position(|id| reply.id == *id);
        let Some(place) = place else { continue };
        let (Some(slot), Some(seen)) = (outcomes.get_mut(place), seen.get_mut(place)) else {
            continue;
        };
        *slot = if *seen {
            Err(Fault::Missing("the batch's answer has this call twice"))
        } else {
            check_envelope(&reply, ids.get(place).copied()?, protocol, clean)
                .and_then(|()| outcome(body, reply, clean))
        };
        *seen = true;
    }
    Some(Decoded::Each(outcomes))
}

/// The replies in a list. One pass reads a list of nothing else; what is no reply does not spoil those beside it.
fn replies_of(text: &str, most: usize) -> serde_json::Result<Vec<Reply<'_>>> {
    if let Ok(all) = list_of::<Object<Reply<'_>>>(text, most) {
        return Ok(all.into_iter().map(|Object(reply)| reply).collect());
    }
    let entries = list_of::<&RawValue>(text, most)?;
    let replies = entries.into_iter().filter_map(|entry| serde_json::from_str(entry.get()).ok());
    Ok(replies.map(|Object(reply)| reply).collect())
}

/// What is read from an object alone: serde would read a list as an object's values in turn.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData)).map(Self)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(members))
    }
}

/// A whole text that is a list, not longer than `most`.
pub(crate) fn list_of<'a, T: Deserialize<'a>>(
    text: &'a str,
    most: usize,
) -> serde_json::Result<Vec<T>> {
    let mut list = serde_json::Deserializer::from_str(text);
    let entries = list.deserialize_seq(Entries { most, of: PhantomData })?;
    list.end()?;
    Ok(entries)
}

/// Reads a list, not longer than `most`.
struct Entries<T> {
    most: usize,
    of: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {} answers", self.most)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = list.next_element()? {
            if entries.len() == self.most {
                return Err(serde::de::Error::invalid_length(self.most, &self));
            }
            entries.push(entry);
        }
        Ok(entries)
    }
}

impl Fault {
    /// Label of a metric.
    pub(crate) const fn label(&self) -> &'static str {
        match self {
            Self::Unreachable(_) => "unreachable",
            Self::Timeout(_) => "timeout",
            Self::Status { .. } => "status",
            Self::TooLarge(_) => "too_large",
            Self::NotJsonRpc(_) => "not_json_rpc",
            Self::Limited(_) => "limited",
            Self::Refused { .. } => "refused",
            Self::Missing(_) => "missing",
            Self::Mismatch { .. } => "mismatch",
            Self::Shape(_) => "shape",
            Self::NoReceipts => "no_receipts",
            Self::NoBody(_) => "no_body",
        }
    }

    /// Whether the node has no such method.
    pub(crate) fn is_no_method(&self) -> bool {
        let Self::Refused { code, message } = self else { return false };
        let message = message.to_lowercase();
        let words = [
            "method not found",
            "does not exist",
            "not supported",
            "unsupported",
            "not available",
            "not whitelisted",
            "not allowed",
        ];
        *code == -32601
            || (message.contains("method") && words.iter().any(|word| message.contains(word)))
    }

    /// Whether the node has nothing under the path, or no block of the height, asked for.
    pub(crate) fn is_not_there(&self) -> bool {
        let Self::Refused { code, message } = self else { return false };
        *code == 404 || NO_HEIGHT_WORDS.iter().any(|words| message.contains(words))
    }

    /// Whether the node says that it cannot read the call's parameters.
    pub(crate) const fn is_bad_params(&self) -> bool {
        matches!(self, Self::Refused { code: -32602, .. })
    }
}

/// What a transport failed with, read as what it means.
pub(crate) fn of_transport(error: TransportError, clean: &dyn Fn(&str) -> String) -> Fault {
    match error {
        TransportError::Unreachable { why } => Fault::Unreachable(why),
        TransportError::TooLarge { expected } => Fault::TooLarge(expected),
        TransportError::Status { got: 429, retry_after_ms, .. } => Fault::Limited(retry_after_ms),
        TransportError::Status { got: 503, retry_after_ms: Some(ms), .. } => {
            Fault::Limited(Some(ms))
        }
        TransportError::Status { got, text, .. } => {
            // some gateways send the error object of JSON-RPC under a status of its own
            error_object(&text, clean).unwrap_or_else(|| {
                let text = clean(String::from_utf8_lossy(&text).trim());
                Fault::Status { got, text }
            })
        }
    }
}

/// Codes of gateways that want fewer calls.
const LIMIT_CODES: [i64; 5] = [-32005, -32029, -32016, -32097, 429];

/// Words of `CometBFT` about heights that a chain has not reached, or that the node no longer has.
const NO_HEIGHT_WORDS: [&str; 3] = [
    "must be less than or equal to the current blockchain height",
    "is not available, lowest height is",
    "can't be greater than max height",
];

/// Words of gateways that want fewer calls.
const LIMIT_WORDS: [&str; 9] = [
    "rate limit",
    "rate-limit",
    "ratelimit",
    "too many request",
    "request limit",
    "limit exceeded",
    "compute units per second",
    "throttle",
    "quota",
];

/// An error object, read as what it means.
pub(crate) fn of_error_object(code: i64, message: &str, clean: &dyn Fn(&str) -> String) -> Fault {
    let lower: String = first_chars(message, 2_000).to_lowercase();
    if LIMIT_CODES.contains(&code) || LIMIT_WORDS.iter().any(|words| lower.contains(words)) {
        return Fault::Limited(None);
    }
    Fault::Refused { code, message: clean(message) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(body: &str, ids: &[u64]) -> Result<Decoded, Fault> {
        decode(body.into(), None, ids, Protocol::JsonRpc, &|text| {
            superroot_types::first_chars(text, 200).to_owned()
        })
    }

    fn each(body: &str, ids: &[u64]) -> Vec<Outcome> {
        match read(body, ids) {
            Ok(Decoded::Each(outcomes)) => outcomes,
            other => panic!("{body}: {other:?}"),
        }
    }

    fn shown(outcomes: &[Outcome]) -> Vec<&str> {
        let text = |outcome: &Outcome| match outcome {
            Ok(result) => str::from_utf8(result.bytes()).unwrap().to_owned().leak() as &str,
            Err(fault) => fault.label(),
        };
        outcomes.iter().map(text).collect()
    }

    #[test]
    fn one_call_has_one_outcome() {
        for (rest, expected) in [
            (r#""result":7"#, "7"),
            (r#""result":null"#, "null"),
            (r#""result":7,"error":null"#, "7"),
            (r#""result":7,"error":{"code":1}"#, "refused"),
            (r#""error":{"code":-32005,"message":"x"}"#, "limited"),
            (r#""other":1"#, "shape"),
        ] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":1,{rest}}}"#);
            assert_eq!(shown(&each(&body, &[1])), [expected], "{body}");
        }
    }

    #[test]
    fn what_is_no_json_rpc_is_shown_by_its_start() {
        let (as_list, deep) = (r#"["2.0",1,"0x1",null]"#, "[".repeat(90_000));
        for body in ["<html>", "", "{", "null", "[]", as_list, "\u{0}", "{\"jsonrpc\":", &deep] {
            let start = superroot_types::first_chars(body, 200).to_owned();
            assert_eq!(read(body, &[1]).unwrap_err(), Fault::NotJsonRpc(start));
        }
    }

    #[test]
    fn an_answer_to_another_call_is_refused() {
        for id in ["0", "\"1\"", "1.5", "null", "99"] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":7}}"#);
            assert!(matches!(read(&body, &[1]), Err(Fault::Mismatch { field: "id", .. })), "{id}");
        }
        for version in ["\"1.0\"", "2.0", "null"] {
            let body = format!(r#"{{"jsonrpc":{version},"id":1,"result":7}}"#);
            let refused = read(&body, &[1]);
            assert!(matches!(refused, Err(Fault::Mismatch { field: "jsonrpc", .. })), "{version}");
        }
    }

    #[test]
    fn a_batch_is_matched_by_ids_in_any_order() {
        let one = |id: u64| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{id}}}"#);
        let list = |ids: &[u64]| {
            format!("[{}]", ids.iter().map(|id| one(*id)).collect::<Vec<_>>().join(","))
        };
        for (answered, expected) in [
            (&[4, 5, 6][..], ["4", "5", "6"]),
            (&[6, 4, 5], ["4", "5", "6"]),
            (&[6, 5], ["missing", "5", "6"]),
            (&[4, 5, 6, 4], ["missing", "5", "6"]),
            (&[4, 5, 6, 4, 4], ["missing", "5", "6"]),
            (&[7, 8, 5], ["missing", "5", "missing"]),
            (&[], ["missing"; 3]),
        ] {
            assert_eq!(shown(&each(&list(answered), &[4, 5, 6])), expected, "{answered:?}");
        }
        assert!(matches!(read(&list(&[9; 7]), &[4, 5, 6]), Err(Fault::NotJsonRpc(_))), "too many");
        let mixed = format!(r#"[1,null,"x",[],["2.0",4],{{}},{}]"#, one(6));
        assert!(read(&mixed, &[4, 5, 6]).is_err(), "seven entries");
        let mixed = format!(r#"[1,["2.0",4],{{}},{}]"#, one(6));
        assert_eq!(shown(&each(&mixed, &[4, 5, 6])), ["missing", "missing", "6"]);
        let other = r#"[{"id":4,"result":1},{"jsonrpc":"2.0","id":5,"result":2}]"#;
        assert_eq!(shown(&each(other, &[4, 5])), ["mismatch", "2"], "of another protocol");
    }

    #[test]
    fn the_old_protocol_is_read_where_it_is_spoken() {
        let body = br#"{"result":7,"error":null,"id":1}"#;
        let read = |protocol| decode(body.to_vec(), None, &[1], protocol, &|text| text.to_owned());
        assert!(matches!(read(Protocol::JsonRpc), Err(Fault::Mismatch { field: "jsonrpc", .. })));
        assert!(matches!(read(Protocol::JsonRpcUnnamed), Ok(Decoded::Each(_))));
    }

    #[test]
    fn one_error_to_a_batch_refuses_it_whole() {
        let body = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}"#;
        assert!(matches!(read(body, &[1, 2]), Ok(Decoded::BatchRefused(Fault::Refused { .. }))));
        assert!(read(r#"{"jsonrpc":"2.0","id":1,"result":1}"#, &[1, 2]).is_err());
        assert!(read(r#"[{"jsonrpc":"2.0","id":1,"result":1}]"#, &[1]).is_err());
    }

    proptest! {
        /// Whatever a node sends, every call has one outcome, or the answer is refused whole.
        #[test]
        fn any_bytes_are_outcomes_or_a_fault(
            bytes: Vec<u8>,
            text in r#"[\[\]{}:,"a-z0-9]{0,60}"#,
            entries in proptest::collection::vec((0_u64..5, 0_u8..5), 0..12),
            count in 1_u64..4,
        ) {
            let ids: Vec<u64> = (1..=count).collect();
            let entry = |(id, kind): &(u64, u8)| match kind {
                0 => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{text:?}}}"#),
                1 => format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{id}}}}}"#),
                2 => format!(r#"{{"jsonrpc":"2.0","id":{id}}}"#),
                3 => format!(r#"{{"id":{id},"result":[{id}]}}"#),
                _ => format!("{id}"),
            };
            let list = entries.iter().map(entry).collect::<Vec<_>>().join(",");
            let bodies = [bytes, text.clone().into_bytes(), format!("[{list}]").into_bytes(),
                entries.first().map(entry).unwrap_or_default().into_bytes()];
            for body in bodies {
                match decode(body, None, &ids, Protocol::JsonRpc, &|text| text.to_owned()) {
                    Ok(Decoded::Each(outcomes)) => assert_eq!(outcomes.len(), ids.len()),
                    Ok(Decoded::BatchRefused(_)) => assert!(ids.len() > 1),
                    Err(fault) => assert!(!fault.label().is_empty()),
                }
            }
        }
    }

    fn object(code: i64, message: &str) -> Fault {
        of_error_object(code, message, &|text| text.to_owned())
    }

    #[test]
    fn limits_are_known_by_code_and_by_words() {
        for (code, message) in [
            (-32005, "no"),
            (-32029, ""),
            (429, ""),
            (-32000, "Too Many Requests"),
            (-32000, "you have reached the rate limit"),
            (1015, "daily request limit reached"),
        ] {
            assert_eq!(object(code, message), Fault::Limited(None), "{code} {message}");
        }
        for (code, message) in [(-32000, "header not found"), (-32601, "no"), (i64::MIN, "")] {
            assert!(matches!(object(code, message), Fault::Refused { .. }), "{code}");
        }
    }

    #[test]
    fn a_missing_method_is_told_from_a_missing_block() {
        assert!(object(-32601, "").is_no_method());
        assert!(object(-32000, "The method eth_x does not exist/is not available").is_no_method());
        assert!(!object(-32000, "header not found").is_no_method());
        assert!(!object(-32000, "block does not exist").is_no_method());
        assert!(!Fault::Timeout(1).is_no_method());
    }

    #[test]
    fn a_status_is_read_by_what_it_means() {
        let status = |got, retry_after_ms, text: &str| {
            let error = TransportError::Status { got, retry_after_ms, text: text.into() };
            of_transport(error, &|text| text.to_owned())
        };
        assert_eq!(status(429, None, ""), Fault::Limited(None));
        assert_eq!(status(429, Some(7), "{}"), Fault::Limited(Some(7)));
        assert_eq!(status(503, Some(7), ""), Fault::Limited(Some(7)));
        let text = "<html>".to_owned();
        assert_eq!(status(503, None, " <html>\n"), Fault::Status { got: 503, text });
        let object = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}"#;
        assert!(status(400, None, object).is_no_method());
    }
}
