//! JSON-RPC 2.0 envelope: single calls, batches, notifications, faults.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use superroot_types::ChainKey;

use super::methods::{Methods, Outcome, RpcFault};
use crate::ledger;
use crate::recorded::Recordings;

pub(super) const BATCH_CALLS_MAX: usize = 100;

/// Most bytes in a batch answer; further calls are rejected.
const BATCH_BYTES_MAX: usize = 256 << 20;

#[derive(Serialize)]
struct ReplayReply {
    jsonrpc: &'static str,
    id: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<RpcFault>,
}

#[derive(Deserialize)]
struct ReplayRequest {
    jsonrpc: String,
    /// Absent in a notification, which gets no answer.
    #[serde(default, deserialize_with = "present")]
    id: Option<Value>,
    method: String,
    #[serde(default)]
    params: Option<Value>,
}

/// Distinguishes a `null` id from an absent id.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// JSON answer to a request body; `None` for notifications only.
pub(super) fn answer(recordings: &Recordings, chain: ChainKey, body: &[u8]) -> Option<Vec<u8>> {
    let methods = Methods::new(recordings, chain);
    answer_with(body, &|method, params| call(&methods, method, params))
}

/// JSON error for every call in a body.
pub(super) fn refuse(body: &[u8], why: &str) -> Option<Vec<u8>> {
    answer_with(body, &|_, _| Err(RpcFault::not_recorded(why)))
}

type Answering<'a> = &'a dyn Fn(&str, &[Value]) -> Outcome;

fn answer_with(body: &[u8], answering: Answering<'_>) -> Option<Vec<u8>> {
    let Ok(request) = serde_json::from_slice::<Value>(body) else {
        return Some(reply(Value::Null, Err(RpcFault::parse())));
    };
    let Value::Array(batch) = request else { return answer_one(answering, request) };
    if batch.is_empty() || batch.len() > BATCH_CALLS_MAX {
        let message = format!("a batch has 1 to {BATCH_CALLS_MAX} calls, got {}", batch.len());
        return Some(reply(Value::Null, Err(RpcFault::request(message))));
    }
    let mut answers: Vec<u8> = Vec::new();
    for request in batch {
        let answer = if answers.len() > BATCH_BYTES_MAX {
            Some(reply(Value::Null, Err(RpcFault::too_large())))
        } else {
            answer_one(answering, request)
        };
        if let Some(answer) = answer {
            answers.push(if answers.is_empty() { b'[' } else { b',' });
            answers.extend(answer);
        }
    }
    if answers.is_empty() {
        return None;
    }
    answers.push(b']');
    Some(answers)
}

fn answer_one(answering: Answering<'_>, request: Value) -> Option<Vec<u8>> {
    // serde would read a list as an object's values in turn
    let parsed = if request.is_object() { serde_json::from_value(request).ok() } else { None };
    let Some(ReplayRequest { jsonrpc, id, method, params }) = parsed else {
        let message = "a request is an object of jsonrpc, id, method and params";
        return Some(reply(Value::Null, Err(RpcFault::request(message))));
    };
    let id = id?;
    if !matches!(id, Value::String(_) | Value::Number(_) | Value::Null) {
        let message = "the id is no string, number or null";
        return Some(reply(Value::Null, Err(RpcFault::request(message))));
    }
    if jsonrpc != "2.0" {
        return Some(reply(id, Err(RpcFault::request("jsonrpc is not 2.0"))));
    }
    let outcome = match params {
        None => answering(&method, &[]),
        Some(Value::Array(params)) => answering(&method, &params),
        Some(_) => Err(RpcFault::params("params is no list")),
    };
    Some(reply(id, outcome))
}

fn call(methods: &Methods<'_>, method: &str, params: &[Value]) -> Outcome {
    ledger::replay(methods, method, params).unwrap_or_else(|| Err(RpcFault::method(method)))
}

fn reply(id: Value, outcome: Outcome) -> Vec<u8> {
    let (result, error) = match outcome {
        Ok(result) => (Some(result), None),
        Err(fault) => (None, Some(fault)),
    };
    serde_json::to_vec(&ReplayReply { jsonrpc: "2.0", id, result, error })
        .expect("text, numbers and json that was read before are json")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use superroot_types::{ChainId, Family};

    const CHAIN: ChainKey = ChainKey { family: Family::Evm, id: ChainId(1) };

    fn nothing_recorded() -> Recordings {
        Recordings::open(&[""; 0], superroot_chain::ChainRegistry::builtin()).unwrap()
    }

    fn check(answer: Option<Vec<u8>>) {
        let Some(answer) = answer else { return };
        let answers = match serde_json::from_slice(&answer).unwrap() {
            Value::Array(list) => list,
            single => vec![single],
        };
        assert!(!answers.is_empty());
        for answer in answers {
            assert_eq!(answer["jsonrpc"], "2.0");
            assert!(answer.get("id").is_some());
            assert!(answer.get("result").is_some() != answer.get("error").is_some(), "{answer}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_get_an_answer_of_json_rpc(
            bytes: Vec<u8>,
            text in r#"[\[\]{}:,"0-9]{0,60}"#,
            params in r#"[\[\]{}:,"a-z0-9]{0,20}"#,
        ) {
            let call = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":{params}}}"#);
            for body in [bytes, text.into_bytes(), format!("[{call}]").into_bytes(), call.into_bytes()] {
                check(answer(&nothing_recorded(), CHAIN, &body));
            }
        }
    }

    #[test]
    fn a_chain_that_is_not_recorded_is_an_internal_fault() {
        let body = br#"{"jsonrpc":"2.0","id":null,"method":"eth_blockNumber"}"#;
        let answer = answer(&nothing_recorded(), CHAIN, body).unwrap();
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &Value::from(-32603)));
    }

    #[test]
    fn a_long_method_name_is_not_repeated_whole() {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "x".repeat(100_000));
        let answer = answer(&nothing_recorded(), CHAIN, body.as_bytes()).unwrap();
        assert!(answer.len() < 200);
    }
}
