//! How one request reaches a node and its answer comes back: over HTTP, gRPC, a WebSocket, or in memory.

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

/// Time for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Where below a node's address a request goes, of a protocol whose calls have paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// From the slash on, with its query: `/v1/blocks/by_height/5?with_transactions=true`.
    pub path: String,
    /// Media type of the body, which is posted; `None` gets the path, without a body.
    pub content_type: Option<&'static str>,
    /// Media type that the answer should have.
    pub accept: &'static str,
}

/// A request to a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Where it goes; `None` posts JSON to the node's own address, as JSON-RPC has it.
    pub path: Option<Path>,
    /// What is posted: a call, or a batch of them.
    pub body: Vec<u8>,
    /// Bytes of the answer that are read at most, where the way allows it; a longer one is
    /// [`TransportError::TooLarge`]. The caller checks the size again.
    pub answer_bytes_max: usize,
}

/// An answer of a node, as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its bytes, unzipped.
    pub body: Vec<u8>,
}

/// Why no answer came.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// No connection, or a broken one.
    #[error("cannot be reached: {why}")]
    Unreachable {
        /// What went wrong, without secrets of the address.
        why: String,
    },
    /// An HTTP status other than 200.
    #[error("answered with http status {got}")]
    Status {
        /// The status.
        got: u16,
        /// How long the node asks to be left alone, in milliseconds.
        retry_after_ms: Option<u64>,
        /// How its body begins, as it came.
        text: Vec<u8>,
    },
    /// The answer is larger than allowed.
    #[error("answered with more than {expected} bytes")]
    TooLarge {
        /// Largest size allowed, in bytes.
        expected: usize,
    },
}

/// The way to one node. It bounds the size of an answer; its caller bounds the time by dropping the
/// future. An implementation must bear that at any point.
pub trait Transport: Send + Sync {
    /// Name of the node as it may be shown: no secret of its address.
    fn name(&self) -> &str;

    /// Sends one request and gives back the bytes of its answer.
    fn exchange(&self, request: Request) -> BoxFuture<'_, Result<Answer, TransportError>>;

    /// A count that rises whenever the node announces a new head; `None` where it cannot.
    fn announcements(&self) -> Option<watch::Receiver<u64>> {
        None
    }

    /// What tells whose node it is: nodes that share a key are one operator's, and count once where
    /// nodes must agree. Without a key it is nobody else's.
    fn operator_keys(&self) -> Vec<String> {
        Vec::new()
    }

    /// Name of who runs it, as it may be shown; `None` where the node's own name must do.
    fn operator_name(&self) -> Option<String> {
        None
    }

    /// How often a connection was made anew, where connections last: what was found out about the
    /// node is asked again after a new one.
    fn connection_count(&self) -> u64 {
        0
    }

    /// A text of the node as it may be shown: short, on one line, no secret of its address.
    fn clean(&self, text: &str) -> String {
        address::shown(text)
    }
}

/// How a protocol is carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// Over HTTP, or over a WebSocket, which sends the subscription on every connection to have new
    /// heads announced.
    HttpOrSocket { subscription: Option<&'static str> },
    /// Over HTTP alone.
    Http,
    /// As unary calls of gRPC.
    Grpc,
}

/// The way to a node.
pub(crate) fn transport_to(
    endpoint: &EndpointConfig,
    carrier: Carrier,
    config: &LiveConfig,
) -> Result<Arc<dyn Transport>, SourceError> {
    let address = Address::parse(&endpoint.url)?.run_by(endpoint.operator.as_deref());
    let name = endpoint.name.as_deref().unwrap_or_else(|| address.shown());
    let name: Arc<str> = address.clean(name).into();
    match carrier {
        Carrier::HttpOrSocket { subscription } if address.is_socket() => {
            Ok(Arc::new(SocketTransport::new(address, name, subscription, config)?))
        }
        Carrier::Http | Carrier::Grpc if address.is_socket() => {
            let why = "is a WebSocket's, expected http or https";
            Err(SourceError::setup("the node's url", why))
        }
        Carrier::HttpOrSocket { .. } | Carrier::Http => {
            Ok(Arc::new(HttpTransport::new(address, name, config)?))
        }
        Carrier::Grpc => Ok(Arc::new(GrpcTransport::new(address, name, config)?)),
    }
}
