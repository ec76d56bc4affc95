//! Transport of requests and answers: HTTP, gRPC, WebSocket, or in memory.

mod address;
mod grpc;
mod http;
mod retry_after;
mod socket;
mod tls;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::config::{EndpointConfig, LiveConfig};
use crate::BoxFuture;
use crate::error::SourceError;
use address::Address;
use grpc::GrpcTransport;
use http::HttpTransport;
use socket::SocketTransport;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Request path below a node address, for protocols with paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Path from the slash on, with query: `/v1/blocks/by_height/5?with_transactions=true`.
    pub path: String,
    /// Media type of the posted body; `None`: GET without a body.
    pub content_type: Option<&'static str>,
    /// Desired media type of the answer.
    pub accept: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRequest {
    /// Request path; `None`: JSON is posted to the node address, as in JSON-RPC.
    pub path: Option<Path>,
    /// Posted body: a call, or a batch.
    pub body: Vec<u8>,
    /// Most answer bytes read, if the transport supports a limit; a longer answer is [`TransportError::TooLarge`]. The
    /// caller checks the size again.
    pub answer_bytes_max: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeAnswer {
    /// Body after decompression.
    pub body: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    #[error("cannot be reached: {why}")]
    Unreachable {
        /// Reason, without secret parts of the address.
        why: String,
    },
    /// HTTP status other than 200.
    #[error("answered with http status {got}")]
    Status {
        got: u16,
        /// Pause demanded by the node, in milliseconds.
        retry_after_ms: Option<u64>,
        /// The body's beginning, as received.
        text: Vec<u8>,
    },
    /// The answer is larger than allowed.
    #[error("answered with more than {expected} bytes")]
    TooLarge {
        /// Largest allowed size, in bytes.
        expected: usize,
    },
}

/// Connection to a single node. The transport bounds the answer size; the caller bounds the time by dropping the
/// future, so implementations must be cancel-safe at any point.
pub trait Transport: Send + Sync {
    /// Display name, without any secret part of the address.
    fn name(&self) -> &str;

    /// Sends a request and returns the answer bytes.
    fn exchange(&self, request: NodeRequest) -> BoxFuture<'_, Result<NodeAnswer, TransportError>>;

    /// Counter, increased with every announced head; `None` if unsupported.
    fn announcements(&self) -> Option<watch::Receiver<u64>> {
        None
    }

    /// Keys that identify the operator: nodes with a shared key belong to the same operator and count once in an
    /// agreement. Without keys, the node is separate.
    fn operator_keys(&self) -> Vec<String> {
        Vec::new()
    }

    /// Operator's display name; `None`: the node name is used.
    fn operator_name(&self) -> Option<String> {
        None
    }

    /// Number of reconnects, for persistent connections: learned facts about the node are checked again after each.
    fn connection_count(&self) -> u64 {
        0
    }

    /// Makes a node's text safe to show: short, on a single line, without secret parts of the address.
    fn clean(&self, text: &str) -> String {
        address::shown(text)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CarrierProtocol {
    /// HTTP, or a WebSocket; the subscription is sent on every WebSocket connection to receive new heads.
    HttpOrSocket {
        subscription: Option<&'static str>,
    },
    Http,
    Grpc,
}

pub(crate) fn transport_to(
    endpoint: &EndpointConfig,
    carrier: CarrierProtocol,
    config: &LiveConfig,
) -> Result<Arc<dyn Transport>, SourceError> {
    let address = Address::parse(&endpoint.url)?.run_by(endpoint.operator.as_deref());
    let name = endpoint.name.as_deref().unwrap_or_else(|| address.shown());
    let name: Arc<str> = address.clean(name).into();
    match carrier {
        CarrierProtocol::HttpOrSocket { subscription } if address.is_socket() => {
            Ok(Arc::new(SocketTransport::new(address, name, subscription, config)?))
        }
        CarrierProtocol::Http | CarrierProtocol::Grpc if address.is_socket() => {
            let why = "is a WebSocket's, expected http or https";
            Err(SourceError::setup("the node's url", why))
        }
        CarrierProtocol::HttpOrSocket { .. } | CarrierProtocol::Http => {
            Ok(Arc::new(HttpTransport::new(address, name, config)?))
        }
        CarrierProtocol::Grpc => Ok(Arc::new(GrpcTransport::new(address, name, config)?)),
    }
}
