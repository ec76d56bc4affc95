//! Calls to a node, and the requests that carry them.

use serde_json::{Value, json};

use crate::live::transport::{NodeRequest, Path};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RpcProtocol {
    /// JSON-RPC 2.0.
    JsonRpc,
    /// JSON-RPC with optional version in answers, as from `bitcoind` before 28.
    JsonRpcUnnamed,
    /// Path per call; the answer is the body.
    #[allow(dead_code, reason = "of ledgers whose nodes have a path for each call")]
    Paths,
    /// Path per call; a single gRPC message is posted and returned.
    Grpc,
}

#[allow(dead_code, reason = "of ledgers whose nodes have a path for each call")]
#[derive(Clone, Debug)]
pub(crate) enum RpcPayload {
    Params(Value),
    Path { path: Path, body: Vec<u8> },
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// Method, or a name for the path; from a closed set.
    pub(crate) method: &'static str,
    pub(crate) sent: RpcPayload,
    /// Whether the answer may be as large as a block.
    pub(crate) is_large: bool,
}

#[allow(dead_code, reason = "of ledgers whose nodes have a path for each call")]
impl Call {
    pub(crate) const fn new(method: &'static str, params: Value) -> Self {
        Self { method, sent: RpcPayload::Params(params), is_large: false }
    }

    /// Call with a block-sized answer.
    pub(crate) const fn large(method: &'static str, params: Value) -> Self {
        Self { method, sent: RpcPayload::Params(params), is_large: true }
    }

    /// GET call with this answer media type.
    pub(crate) const fn get(method: &'static str, path: String, accept: &'static str) -> Self {
        let path = Path { path, content_type: None, accept };
        Self { method, sent: RpcPayload::Path { path, body: Vec::new() }, is_large: false }
    }

    /// POST call with the same media type for body and answer.
    pub(crate) const fn post(
        method: &'static str,
        path: String,
        media_type: &'static str,
        body: Vec<u8>,
    ) -> Self {
        let path = Path { path, content_type: Some(media_type), accept: media_type };
        Self { method, sent: RpcPayload::Path { path, body }, is_large: false }
    }

    /// gRPC call: a message to a service method.
    pub(crate) fn grpc(method: &'static str, service: &'static str, message: Vec<u8>) -> Self {
        Self::post(method, format!("/{service}/{method}"), GRPC, message)
    }

    /// Expects a block-sized answer.
    pub(crate) fn with_large_answer(self) -> Self {
        Self { is_large: true, ..self }
    }

    /// Whether the call is a separate request, never part of a batch.
    pub(crate) const fn has_path(&self) -> bool {
        matches!(self.sent, RpcPayload::Path { .. })
    }
}

pub(crate) const GRPC: &str = "application/grpc";

pub(crate) fn request_of(calls: &[&Call], ids: &[u64]) -> NodeRequest {
    if let [Call { sent: RpcPayload::Path { path, body }, .. }] = calls {
        let path = Some(path.clone());
        let body = body.clone();
        return NodeRequest { path, body, answer_bytes_max: 0 };
    }
    NodeRequest { path: None, body: request_body(calls, ids), answer_bytes_max: 0 }
}

fn request_body(calls: &[&Call], ids: &[u64]) -> Vec<u8> {
    let written = |(call, id): (&&Call, &u64)| {
        let params = match &call.sent {
            RpcPayload::Params(params) => params,
            RpcPayload::Path { .. } => &Value::Null,
        };
        json!({ "jsonrpc": "2.0", "id": id, "method": call.method, "params": params })
    };
    let mut calls: Vec<Value> = calls.iter().zip(ids).map(written).collect();
    let body = if calls.len() == 1 { calls.swap_remove(0) } else { Value::Array(calls) };
    body.to_string().into_bytes()
}
