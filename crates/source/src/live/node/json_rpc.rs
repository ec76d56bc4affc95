//! JSON-RPC as spoken by nodes: encoding, envelope checks, id matching, size limits, fault classification.
//!
//! For ledgers with a path per call (REST, any body encoding), calls are sent individually and answers are passed on
//! unchanged.

mod call;
mod fault;

use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::Value;
use serde_json::value::RawValue;

pub(crate) use self::call::{Call, GRPC, RpcProtocol, request_of};
pub(crate) use self::fault::of_error_object;

use self::fault::ErrorObject;
use crate::Lease;
use crate::error::CallFault;
use crate::live::json_list::{ObjectReader, list_of};
use crate::live::transport::TransportError;

/// Answer bytes with the memory lease.
#[derive(Debug)]
pub(crate) struct AnswerBytes {
    bytes: Vec<u8>,
    _lease: Option<Lease>,
}

/// Result bytes of a single call, inside the shared answer: no copy.
#[derive(Clone, Debug)]
pub(crate) struct CallResultBytes {
    body: Arc<AnswerBytes>,
    range: Range<usize>,
}

impl CallResultBytes {
    fn part(body: &Arc<AnswerBytes>, part: &str) -> Self {
        let start = (part.as_ptr() as usize).saturating_sub(body.bytes.as_ptr() as usize);
        Self { body: Arc::clone(body), range: start..start + part.len() }
    }

    fn whole(bytes: Vec<u8>, lease: Option<Lease>) -> Self {
        let range = 0..bytes.len();
        Self { body: Arc::new(AnswerBytes { bytes, _lease: lease }), range }
    }

    /// Result as JSON for JSON-RPC, otherwise the body as received.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.body.bytes.get(self.range.clone()).unwrap_or_default()
    }
}

pub(crate) type Outcome = Result<CallResultBytes, CallFault>;

#[derive(Debug)]
pub(crate) enum DecodedAnswer {
    /// Outcome per requested id, in request order.
    Each(Vec<Outcome>),
    /// Single error object for a batch: the node rejects batches, or this batch.
    BatchRefused(CallFault),
}

#[derive(Deserialize)]
struct RpcReply<'a> {
    #[serde(default)]
    jsonrpc: Value,
    #[serde(default)]
    id: Value,
    #[serde(default, borrow, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<ErrorObject>,
}

/// Distinguishes a `null` result from an absent result.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Decodes the answer to calls with these ids; a single id means a call without a batch.
pub(crate) fn decode(
    bytes: Vec<u8>,
    lease: Option<Lease>,
    ids: &[u64],
    protocol: RpcProtocol,
    clean: &dyn Fn(&str) -> String,
) -> Result<DecodedAnswer, CallFault> {
    let foreign = |bytes: &[u8]| {
        let start = bytes.get(..bytes.len().min(2_000)).unwrap_or_default();
        CallFault::NotJsonRpc(clean(&String::from_utf8_lossy(start)))
    };
    if matches!(protocol, RpcProtocol::Paths | RpcProtocol::Grpc) {
        return Ok(DecodedAnswer::Each(vec![Ok(CallResultBytes::whole(bytes, lease))]));
    }
    let body = Arc::new(AnswerBytes { bytes, _lease: lease });
    let Ok(text) = std::str::from_utf8(&body.bytes) else { return Err(foreign(&body.bytes)) };
    let foreign = || foreign(text.as_bytes());
    match (text.trim_ascii_start().as_bytes().first(), ids) {
        (Some(b'{'), [id]) => {
            let reply: RpcReply<'_> = serde_json::from_str(text).map_err(|_| foreign())?;
            check_envelope(&reply, *id, protocol, clean)?;
            Ok(DecodedAnswer::Each(vec![outcome(&body, reply, clean)]))
        }
        (Some(b'{'), _) => {
            let reply: RpcReply<'_> = serde_json::from_str(text).map_err(|_| foreign())?;
            match reply.error {
                Some(error) => Ok(DecodedAnswer::BatchRefused(error.into_fault(clean))),
                None => Err(foreign()),
            }
        }
        (Some(b'['), [_, _, ..]) => {
            decode_batch(&body, text, ids, protocol, clean).ok_or_else(foreign)
        }
        _ => Err(foreign()),
    }
}

/// Error object in a body with a status other than 200, if any.
pub(crate) fn error_object(body: &[u8], clean: &dyn Fn(&str) -> String) -> Option<CallFault> {
    if body.trim_ascii_start().first() != Some(&b'{') {
        return None;
    }
    let reply: RpcReply<'_> = serde_json::from_slice(body).ok()?;
    reply.error.map(|error| error.into_fault(clean))
}

fn check_envelope(
    reply: &RpcReply<'_>,
    id: u64,
    protocol: RpcProtocol,
    clean: &dyn Fn(&str) -> String,
) -> Result<(), CallFault> {
    let mismatch = |field, got: &Value, expected: String| {
        Err(CallFault::Mismatch { field, got: clean(&got.to_string()), expected })
    };
    let is_unnamed = protocol == RpcProtocol::JsonRpcUnnamed
        && (reply.jsonrpc.is_null() || reply.jsonrpc == "1.0");
    if reply.jsonrpc != "2.0" && !is_unnamed {
        return mismatch("jsonrpc", &reply.jsonrpc, "\"2.0\"".into());
    }
    // a node that could not read the call does not know its id
    let is_ours = reply.id == id || (reply.id.is_null() && reply.error.is_some());
    if is_ours { Ok(()) } else { mismatch("id", &reply.id, id.to_string()) }
}

fn outcome(
    body: &Arc<AnswerBytes>,
    reply: RpcReply<'_>,
    clean: &dyn Fn(&str) -> String,
) -> Outcome {
    match (reply.error, reply.result) {
        (Some(error), _) => Err(error.into_fault(clean)),
        (None, Some(result)) => Ok(CallResultBytes::part(body, result.get())),
        (None, None) => Err(CallFault::Shape("neither result nor error".into())),
    }
}

/// Decodes replies in any order; `None` if not a list, or longer than possible.
fn decode_batch(
    body: &Arc<AnswerBytes>,
    text: &str,
    ids: &[u64],
    protocol: RpcProtocol,
    clean: &dyn Fn(&str) -> String,
) -> Option<DecodedAnswer> {
    let replies = replies_of(text, ids.len() * 2).ok()?;
    let lacking = || Err(CallFault::Missing("the batch's answer lacks this call"));
    let mut outcomes: Vec<Outcome> = ids.iter().map(|_| lacking()).collect();
    let mut seen = vec![false; ids.len()];
    for reply in replies {
        let place = ids.iter().position(|id| reply.id == *id);
        let Some(place) = place else { continue };
        let (Some(slot), Some(seen)) = (outcomes.get_mut(place), seen.get_mut(place)) else {
            continue;
        };
        *slot = if *seen {
            Err(CallFault::Missing("the batch's answer has this call twice"))
        } else {
            check_envelope(&reply, ids.get(place).copied()?, protocol, clean)
                .and_then(|()| outcome(body, reply, clean))
        };
        *seen = true;
    }
    Some(DecodedAnswer::Each(outcomes))
}

/// Replies in a list. Pure reply lists take a single pass; an invalid entry does not affect the others.
fn replies_of(text: &str, most: usize) -> serde_json::Result<Vec<RpcReply<'_>>> {
    if let Ok(all) = list_of::<ObjectReader<RpcReply<'_>>>(text, most) {
        return Ok(all.into_iter().map(|ObjectReader(reply)| reply).collect());
    }
    let entries = list_of::<&RawValue>(text, most)?;
    let replies = entries.into_iter().filter_map(|entry| serde_json::from_str(entry.get()).ok());
    Ok(replies.map(|ObjectReader(reply)| reply).collect())
}

pub(crate) fn of_transport(error: TransportError, clean: &dyn Fn(&str) -> String) -> CallFault {
    match error {
        TransportError::Unreachable { why } => CallFault::Unreachable(why),
        TransportError::TooLarge { expected } => CallFault::TooLarge(expected),
        TransportError::Status { got: 429, retry_after_ms, .. } => {
            CallFault::Limited(retry_after_ms)
        }
        TransportError::Status { got: 503, retry_after_ms: Some(ms), .. } => {
            CallFault::Limited(Some(ms))
        }
        TransportError::Status { got, text, .. } => {
            // some gateways send the error object of JSON-RPC under a status of its own
            error_object(&text, clean).unwrap_or_else(|| {
                let text = clean(String::from_utf8_lossy(&text).trim());
                CallFault::Status { got, text }
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(body: &str, ids: &[u64]) -> Result<DecodedAnswer, CallFault> {
        decode(body.into(), None, ids, RpcProtocol::JsonRpc, &|text| {
            superroot_types::first_chars(text, 200).to_owned()
        })
    }

    fn each(body: &str, ids: &[u64]) -> Vec<Outcome> {
        match read(body, ids) {
            Ok(DecodedAnswer::Each(outcomes)) => outcomes,
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
            assert_eq!(read(body, &[1]).unwrap_err(), CallFault::NotJsonRpc(start));
        }
    }

    #[test]
    fn an_answer_to_another_call_is_refused() {
        for id in ["0", "\"1\"", "1.5", "null", "99"] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":7}}"#);
            assert!(
                matches!(read(&body, &[1]), Err(CallFault::Mismatch { field: "id", .. })),
                "{id}"
            );
        }
        for version in ["\"1.0\"", "2.0", "null"] {
            let body = format!(r#"{{"jsonrpc":{version},"id":1,"result":7}}"#);
            let refused = read(&body, &[1]);
            assert!(
                matches!(refused, Err(CallFault::Mismatch { field: "jsonrpc", .. })),
                "{version}"
            );
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
        assert!(
            matches!(read(&list(&[9; 7]), &[4, 5, 6]), Err(CallFault::NotJsonRpc(_))),
            "too many"
        );
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
        assert!(matches!(
            read(RpcProtocol::JsonRpc),
            Err(CallFault::Mismatch { field: "jsonrpc", .. })
        ));
        assert!(matches!(read(RpcProtocol::JsonRpcUnnamed), Ok(DecodedAnswer::Each(_))));
    }

    #[test]
    fn one_error_to_a_batch_refuses_it_whole() {
        let body = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}"#;
        assert!(matches!(
            read(body, &[1, 2]),
            Ok(DecodedAnswer::BatchRefused(CallFault::Refused { .. }))
        ));
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
                match decode(body, None, &ids, RpcProtocol::JsonRpc, &|text| text.to_owned()) {
                    Ok(DecodedAnswer::Each(outcomes)) => assert_eq!(outcomes.len(), ids.len()),
                    Ok(DecodedAnswer::BatchRefused(_)) => assert!(ids.len() > 1),
                    Err(fault) => assert!(!fault.label().is_empty()),
                }
            }
        }
    }

    #[test]
    fn a_status_is_read_by_what_it_means() {
        let status = |got, retry_after_ms, text: &str| {
            let error = TransportError::Status { got, retry_after_ms, text: text.into() };
            of_transport(error, &|text| text.to_owned())
        };
        assert_eq!(status(429, None, ""), CallFault::Limited(None));
        assert_eq!(status(429, Some(7), "{}"), CallFault::Limited(Some(7)));
        assert_eq!(status(503, Some(7), ""), CallFault::Limited(Some(7)));
        let text = "<html>".to_owned();
        assert_eq!(status(503, None, " <html>\n"), CallFault::Status { got: 503, text });
        let object = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}"#;
        assert!(status(400, None, object).is_no_method());
    }
}
