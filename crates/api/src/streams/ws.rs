//! `GET /v5/ws`: the stream events over a WebSocket (RFC 6455), with many subscriptions per socket.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Map, Value, json};
use superroot_account::Entitlement;
use superroot_stream::Delivery;
use superroot_wire::{Case, paths};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::AbortHandle;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;

use super::ask::StreamAsk;
use super::listener::{HEARTBEAT, Listener, ListenerMessage};
use super::upgrade::{self, SocketClose, WebSocketUpgrade};
use crate::ApiError;
use crate::edge::{RequestId, problem_of};
use crate::input::caller::Keyed;
use crate::input::{BYTES_EACH, Caller, describe, only_members, parse_object};
use crate::service::Shared;
use crate::service::permits::StreamPermit;

/// Most subscriptions per socket.
const SUBSCRIPTIONS_MAX: usize = 16;
/// Most queued events, and most queued bytes, except for a single longer event; a slow reader delays only its
/// subscriptions.
const WAITING_MAX: usize = 64;
const WAITING_BYTES_MAX: usize = 32 << 10;
/// Most consecutive messages that are not a JSON object, and most consecutive messages over the limit, until a socket
/// is closed.
const MALFORMED_MAX: u32 = 4;
const LIMITED_MAX: u32 = 64;
/// Replacement for a binary frame: JSON, but not an object.
const BINARY: &[u8] = br#""a binary frame""#;
/// Longest subscription name in bytes.
const ID_BYTES_MAX: usize = 64;
/// Time limit for writing a message, and for a ping answer.
const PATIENCE: Duration = Duration::from_secs(30);
const MEMBERS: [&str; 14] = [
    "op", "id", "topics", "chain", "address", "topic0", "topic1", "topic2", "topic3", "finality",
    "partial", "tx", "order", "since",
];

pub(super) async fn socket(
    State(service): State<Shared>,
    caller: Caller,
    Keyed(entitlement): Keyed,
    Extension(request): Extension<RequestId>,
    upgrade: WebSocketUpgrade,
) -> Result<Response, ApiError> {
    let permit = service.permits.enter(&entitlement, service.api.accounts.plans())?;
    let socket = Socket {
        service,
        caller,
        entitlement,
        request,
        subscriptions: HashMap::new(),
        is_answered: true,
        malformed: 0,
        limited: 0,
        _permit: permit,
    };
    Ok(upgrade.run(move |web_socket| socket.run(web_socket)))
}

struct Socket {
    service: Shared,
    caller: Caller,
    entitlement: Arc<Entitlement>,
    /// Upgrade request, named in refusals.
    request: RequestId,
    subscriptions: HashMap<String, AbortHandle>,
    /// Whether the client has answered the last ping.
    is_answered: bool,
    /// Consecutive messages that are not a JSON object.
    malformed: u32,
    /// Consecutive messages over the limit.
    limited: u32,
    _permit: StreamPermit,
}

struct QueuedEvent {
    text: String,
    room: OwnedSemaphorePermit,
}

/// Output queue for subscriptions.
#[derive(Clone)]
struct Outlet {
    events: mpsc::Sender<QueuedEvent>,
    /// Remaining queue space in bytes.
    room: Arc<Semaphore>,
}

impl Outlet {
    /// Waits for about this much space in bytes and queues the event; returns whether anybody reads.
    async fn put(&self, bytes: usize, write: impl FnOnce() -> String) -> bool {
        let bytes = u32::try_from(bytes.min(WAITING_BYTES_MAX)).unwrap_or(u32::MAX);
        let Ok(room) = Arc::clone(&self.room).acquire_many_owned(bytes).await else { return false };
        self.events.send(QueuedEvent { text: write(), room }).await.is_ok()
    }
}

/// A socket's end: with a reason for the client, or `None` if nobody listens.
type End = Option<SocketClose>;

impl Socket {
    async fn run(mut self, mut web_socket: upgrade::Socket) {
        let (events, mut waiting) = mpsc::channel(WAITING_MAX);
        let outlet = Outlet { events, room: Arc::new(Semaphore::new(WAITING_BYTES_MAX)) };
        let mut beat = tokio::time::interval(HEARTBEAT);
        beat.tick().await;
        let end = loop {
            let next = tokio::select! {
                message = web_socket.next() => match message {
                    Some(Ok(message)) => match self.hear(message, &outlet).await {
                        Ok(Some(answer)) => write(&mut web_socket, answer).await,
                        Ok(None) => Ok(()),
                        Err(closing) => Err(Some(closing)),
                    },
                    Some(Err(error)) => Err(SocketClose::of(&error)),
                    None => Err(None),
                },
                Some(event) = waiting.recv() => {
                    let QueuedEvent { text, room } = event;
                    let written = write(&mut web_socket, Message::text(text)).await;
                    drop(room);
                    written
                }
                _ = beat.tick() => {
                    if std::mem::take(&mut self.is_answered) {
                        write(&mut web_socket, Message::Ping(Bytes::new())).await
                    } else {
                        Err(None)
                    }
                }
            };
            if let Err(end) = next {
                break end;
            }
        };
        drop(self); // its subscriptions end, and its stream is free
        if let Some(closing) = end {
            upgrade::close(web_socket, closing).await;
        }
    }

    async fn hear(
        &mut self,
        message: Message,
        outlet: &Outlet,
    ) -> Result<Option<Message>, SocketClose> {
        let is_awaited = !std::mem::replace(&mut self.is_answered, true);
        let bytes = match message {
            Message::Close(_) => return Ok(None),
            Message::Pong(_) if is_awaited => return Ok(None),
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => None,
            Message::Text(text) => Some(Bytes::from(text)),
            Message::Binary(_) => Some(Bytes::from_static(BINARY)),
        };
        let said = match self.count(bytes.as_ref().map_or(0, Bytes::len)) {
            Err(error) => Err((None, error)),
            Ok(()) => match bytes {
                None => return Ok(None),
                Some(bytes) => self.obey(bytes, outlet).await,
            },
        };
        if self.malformed >= MALFORMED_MAX {
            return Err(SocketClose::policy("messages are JSON objects, in text"));
        }
        if self.limited >= LIMITED_MAX {
            return Err(SocketClose::policy("more messages than the limit allows"));
        }
        let answer = said.unwrap_or_else(|(id, error)| self.refusal(id.as_deref(), &error));
        Ok(Some(Message::text(answer.to_string())))
    }

    fn count(&mut self, bytes: usize) -> Result<(), ApiError> {
        let requests = u32::try_from(1 + bytes / BYTES_EACH).unwrap_or(u32::MAX);
        let limiter = self.service.api.accounts.limiter();
        let counted = self.caller.count_message(limiter, requests);
        self.limited = if counted.is_err() { self.limited + 1 } else { 0 };
        counted
    }

    async fn obey(
        &mut self,
        bytes: Bytes,
        outlet: &Outlet,
    ) -> Result<Value, (Option<String>, ApiError)> {
        let members = match parse_object(&self.service, "message", bytes).await {
            Ok(Value::Object(members)) => members,
            other => {
                self.malformed += 1;
                return Err((None, other.err().unwrap_or_else(ApiError::internal)));
            }
        };
        self.malformed = 0;
        let given = members.get("id");
        let id = given.and_then(Value::as_str).map(str::to_owned);
        let at = |error: ApiError| (id.clone(), error);
        only_members(&members, "", &MEMBERS).map_err(at)?;
        match members.get("op").and_then(Value::as_str) {
            Some("ping") => Ok(json!({ "event": "pong" })),
            Some("subscribe") => {
                let id = named(given).map_err(at)?;
                self.subscribe(id, &members, outlet).await.map_err(at)
            }
            Some("unsubscribe") => {
                let id = named(given).map_err(at)?;
                let ended = self.subscriptions.remove(id);
                let ended = ended.ok_or_else(|| {
                    at(ApiError::parameter("id", id, "that of a subscription on this socket"))
                })?;
                ended.abort();
                Ok(json!({ "id": id, "event": "unsubscribed" }))
            }
            other => {
                let got = other.unwrap_or("missing");
                let expected = "subscribe, unsubscribe or ping";
                Err(at(ApiError::parameter("op", got, expected)))
            }
        }
    }

    async fn subscribe(
        &mut self,
        id: &str,
        members: &Map<String, Value>,
        outlet: &Outlet,
    ) -> Result<Value, ApiError> {
        self.subscriptions.retain(|_, running| !running.is_finished());
        if self.subscriptions.contains_key(id) {
            return Err(ApiError::parameter("id", id, "one that is not subscribed already"));
        }
        if self.subscriptions.len() >= SUBSCRIPTIONS_MAX {
            let expected = format!("at most {SUBSCRIPTIONS_MAX} subscriptions on one socket");
            return Err(ApiError::parameter("id", id, expected));
        }
        let ask = StreamAsk::read(&self.service.api, &self.caller, members)?;
        let entitlement = Arc::clone(&self.entitlement);
        let opened = Listener::open(&self.service, entitlement, paths::WEB_SOCKET, ask).await?;
        let (listener, ready) = opened;
        let data = listener.own(&ready);
        let task = tokio::spawn(tell(id.to_owned(), listener, outlet.clone()));
        self.subscriptions.insert(id.to_owned(), task.abort_handle());
        Ok(json!({ "id": id, "cursor": ready.cursor, "event": "ready",
            "data": data }))
    }

    fn refusal(&self, id: Option<&str>, error: &ApiError) -> Value {
        let api = &self.service.api;
        let anchor = api.prover.latest().map(|latest| api.anchor(&latest, error.chain, true));
        let problem = problem_of(error, &self.request);
        json!({ "id": id, "event": "refused", "data": problem.to_value(anchor.as_ref(), Case::Camel) })
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.subscriptions.values().for_each(AbortHandle::abort);
    }
}

fn named(id: Option<&Value>) -> Result<&str, ApiError> {
    let expected = format!("a text of 1 to {ID_BYTES_MAX} bytes");
    let id = id.ok_or_else(|| ApiError::missing("id", &expected))?;
    let text = id.as_str().filter(|text| (1..=ID_BYTES_MAX).contains(&text.len()));
    text.ok_or_else(|| match id {
        Value::String(text) => ApiError::parameter("id", text, expected),
        // without quotes, in which it would look like a text
        other => ApiError::invalid("id", describe(other), expected),
    })
}

/// Forwards a subscription's events until it ends or nobody reads.
async fn tell(id: String, mut listener: Listener, outlet: Outlet) {
    let id = Value::from(id).to_string();
    while let Some(word) = listener.next().await {
        let (name, data) = match word {
            ListenerMessage::Alive => continue,
            ListenerMessage::Told(Delivery::Event(item)) => {
                listener.delivers(&item);
                let data = item.data();
                let write = || {
                    let cursor = item.cursor;
                    let name = item.name();
                    let data = String::from_utf8_lossy(&data);
                    format!(r#"{{"id":{id},"cursor":"{cursor}","event":"{name}","data":{data}}}"#)
                };
                if !outlet.put(data.len(), write).await {
                    return;
                }
                continue;
            }
            ListenerMessage::Told(Delivery::Stale(stale)) => ("stale", listener.own(&stale)),
            ListenerMessage::Told(Delivery::Lagged(lagged)) => ("lagged", listener.own(&lagged)),
            ListenerMessage::Ended(ended) => ("ended", listener.own(&ended)),
        };
        let text = format!(r#"{{"id":{id},"event":"{name}","data":{data}}}"#);
        if !outlet.put(text.len(), || text).await {
            return;
        }
    }
}

/// Writes a message within the time limit.
async fn write(web_socket: &mut upgrade::Socket, message: Message) -> Result<(), End> {
    match timeout(PATIENCE, web_socket.send(message)).await {
        Ok(Ok(())) => Ok(()),
        _ => Err(None),
    }
}
