//! How one request reaches a node and its answer comes back.

use tokio::sync::watch;

use super::address::shown;
use crate::BoxFuture;

/// An answer of a node, as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its bytes, unzipped.
    pub body: Vec<u8>,
}

/// Why no answer came.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
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

    /// Sends one request, a JSON-RPC call or batch, and gives back the bytes of its answer.
    fn exchange(&self, body: Vec<u8>) -> BoxFuture<'_, Result<Answer, TransportError>>;

    /// As [`Transport::exchange`], reading no more than so many bytes where the way allows it; a
    /// longer answer is [`TransportError::TooLarge`]. The caller checks the size again.
    fn exchange_within(
        &self,
        body: Vec<u8>,
        bytes_max: usize,
    ) -> BoxFuture<'_, Result<Answer, TransportError>> {
        let _ = bytes_max;
        self.exchange(body)
    }

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
        shown(text)
    }
}
