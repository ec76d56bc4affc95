//! WebSocket node: a single connection for all requests, reopened after a failure; the node may also announce new
//! heads.
//!
//! A separate task owns the connection. The task starts with the first request or announcement listener, and ends with
//! the transport.

mod connect;
mod incoming;
mod session;

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{sleep, timeout};

use super::address::Address;
use super::{CONNECT_TIMEOUT, NodeAnswer, NodeRequest, Transport, TransportError};
use crate::BoxFuture;
use crate::error::SourceError;
use crate::live::config::LiveConfig;
use connect::Connector;
use session::{Session, SessionEnd};

const OUTBOX_MAX: usize = 64;

/// First pause before a reconnect for announcements only; doubles each time.
const PAUSE_MIN: Duration = Duration::from_secs(1);
const PAUSE_MAX: Duration = Duration::from_secs(30);

type Reply = oneshot::Sender<Result<NodeAnswer, TransportError>>;

enum SocketCommand {
    Listen,
    Send { body: Vec<u8>, first_id: u64, last_id: u64, reply: Reply },
}

pub(crate) struct SocketTransport {
    name: Arc<str>,
    address: Address,
    outbox: OnceLock<mpsc::Sender<SocketCommand>>,
    link: SocketState,
}

#[derive(Clone)]
struct SocketState {
    connector: Arc<Connector>,
    connection_count: Arc<AtomicU64>,
    heads: Arc<watch::Sender<u64>>,
    /// Subscription to heads, sent on every new connection.
    subscription: Option<&'static str>,
    send_timeout: Duration,
}

impl SocketTransport {
    pub(crate) fn new(
        address: Address,
        name: Arc<str>,
        subscription: Option<&'static str>,
        config: &LiveConfig,
    ) -> Result<Self, SourceError> {
        let link = SocketState {
            connector: Arc::new(Connector::new(address.clone(), config)?),
            connection_count: Arc::default(),
            heads: Arc::new(watch::Sender::new(0)),
            subscription,
            send_timeout: Duration::from_millis(config.timeout_ms),
        };
        Ok(Self { name, address, outbox: OnceLock::new(), link })
    }

    /// Channel to the task, started on first use.
    fn outbox(&self) -> &mpsc::Sender<SocketCommand> {
        self.outbox.get_or_init(|| {
            let (outbox, orders) = mpsc::channel(OUTBOX_MAX);
            tokio::spawn(run(self.link.clone(), orders));
            outbox
        })
    }

    async fn send(&self, body: Vec<u8>) -> Result<NodeAnswer, TransportError> {
        let gone = |_| TransportError::Unreachable { why: "shutting down".into() };
        let Some((first_id, last_id)) = incoming::ids_of(&body) else {
            return Err(TransportError::Unreachable { why: "the request has no ids".into() });
        };
        let (reply, answer) = oneshot::channel();
        let order = SocketCommand::Send { body, first_id, last_id, reply };
        if self.outbox().send(order).await.is_err() {
            return Err(TransportError::Unreachable { why: "shutting down".into() });
        }
        answer.await.unwrap_or_else(|error| Err(gone(error)))
    }
}

impl Transport for SocketTransport {
    fn name(&self) -> &str {
        &self.name
    }

    fn exchange(&self, request: NodeRequest) -> BoxFuture<'_, Result<NodeAnswer, TransportError>> {
        Box::pin(self.send(request.body))
    }

    fn announcements(&self) -> Option<watch::Receiver<u64>> {
        self.link.subscription?;
        // a full outbox means that a connection is being made anyway
        let _ = self.outbox().try_send(SocketCommand::Listen);
        Some(self.link.heads.subscribe())
    }

    fn connection_count(&self) -> u64 {
        self.link.connection_count.load(Ordering::Acquire)
    }

    fn operator_keys(&self) -> Vec<String> {
        self.address.operator_keys()
    }

    fn operator_name(&self) -> Option<String> {
        self.address.operator_name(&self.name)
    }

    fn clean(&self, text: &str) -> String {
        self.address.clean(text)
    }
}

/// Runs the connection until every handle is dropped.
async fn run(link: SocketState, mut orders: mpsc::Receiver<SocketCommand>) {
    let mut listens = false;
    let mut pause = PAUSE_MIN;
    loop {
        let order = tokio::select! {
            order = orders.recv() => match order {
                None => return,
                Some(order) => Some(order),
            },
            () = sleep(pause), if listens => None,
        };
        let request = match order {
            Some(SocketCommand::Listen) if listens => continue,
            Some(SocketCommand::Listen) => {
                listens = true;
                None
            }
            None => None,
            Some(request) => Some(request),
        };
        let connected = timeout(CONNECT_TIMEOUT, link.connector.connect()).await;
        let stream = match connected {
            Ok(Ok(stream)) => stream,
            failed => {
                let error = failed.map_or_else(
                    |_| TransportError::Unreachable { why: "no connection in time".into() },
                    |result| result.err().unwrap_or_else(lost),
                );
                if let Some(SocketCommand::Send { reply, .. }) = request {
                    let _ = reply.send(Err(error));
                }
                pause = (pause * 2).min(PAUSE_MAX);
                continue;
            }
        };
        link.connection_count.fetch_add(1, Ordering::AcqRel);
        let mut session = Session::new(&link, stream);
        let ended = session.run(request, &mut orders, &mut listens).await;
        let error = match ended {
            SessionEnd::Unwanted => return,
            SessionEnd::Lost(error) => error,
        };
        if session.was_of_use() {
            pause = PAUSE_MIN;
        } else {
            pause = (pause * 2).min(PAUSE_MAX);
        }
        session.fail_all(&error);
    }
}

fn lost() -> TransportError {
    TransportError::Unreachable { why: "the connection was lost".into() }
}
