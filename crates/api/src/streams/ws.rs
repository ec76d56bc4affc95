//! `GET /v5/ws`: the same events over a WebSocket (RFC 6455), many subscriptions on one.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use serde_json::{Map, Value, json};
use superroot_account::Entitlement;
use superroot_stream::Told;
use superroot_wire::Case;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::ask::StreamAsk;
use super::listener::{HEARTBEAT, Listener, Word};
use crate::ApiError;
use crate::edge::{RequestId, problem_of};
use crate::input::caller::Keyed;
use crate::input::{Caller, describe, only_members};
use crate::service::Shared;
use crate::service::passes::Pass;

/// Longest message of a client, in bytes.
const MESSAGE_BYTES_MAX: usize = 64 << 10;
/// Subscriptions on one socket, at most.
const SUBSCRIPTIONS_MAX: usize = 16;
/// Messages that wait to be written; whoever reads slower holds its own subscriptions back.
const WAITING_MAX: usize = 64;
/// Longest name of a subscription.
const ID_BYTES_MAX: usize = 64;
/// Time in which a message has to be written, and in which a client has to answer a ping.
const PATIENCE: Duration = Duration::from_secs(30);
/// The members of a message.
const MEMBERS: [&str; 14] = [
    "op", "id", "topics", "chain", "address", "topic0", "topic1", "topic2", "topic3", "finality",
    "partial", "tx", "order", "since",
];

/// `GET /v5/ws`
pub(super) async fn socket(
    State(service): State<Shared>,
    caller: Caller,
    Keyed(entitlement): Keyed,
    Extension(request): Extension<RequestId>,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let upgrade = upgrade.map_err(|rejection| {
        ApiError::invalid("Upgrade", "not that of a WebSocket", rejection.body_text())
    })?;
    let pass = service.passes.enter(&entitlement, service.api.accounts.plans())?;
    let upgrade = upgrade.max_message_size(MESSAGE_BYTES_MAX).max_frame_size(MESSAGE_BYTES_MAX);
    let socket = Socket {
        service,
        caller,
        entitlement,
        request,
        subscriptions: HashMap::new(),
        is_answered: true,
        _pass: pass,
    };
    Ok(upgrade.on_upgrade(move |web_socket| socket.run(web_socket)))
}

/// A socket that is open.
struct Socket {
    service: Shared,
    caller: Caller,
    entitlement: Arc<Entitlement>,
    /// The request that became the socket: refusals name it.
    request: RequestId,
    subscriptions: HashMap<String, AbortHandle>,
    /// Whether the client has answered the last ping.
    is_answered: bool,
    _pass: Pass,
}

/// Whether a socket goes on.
enum Next {
    On,
    Close(&'static str),
}

impl Socket {
    async fn run(mut self, mut web_socket: WebSocket) {
        let (sender, mut waiting) = mpsc::channel::<Utf8Bytes>(WAITING_MAX);
        let mut beat = tokio::time::interval(HEARTBEAT);
        beat.tick().await;
        loop {
            let next = tokio::select! {
                message = web_socket.recv() => match message {
                    Some(Ok(message)) => {
                        let (answer, next) = self.hear(message, &sender).await;
                        if let Some(answer) = answer
                            && !write(&mut web_socket, answer).await
                        {
                            return;
                        }
                        next
                    }
                    Some(Err(_)) | None => return,
                },
                Some(text) = waiting.recv() => {
                    if write(&mut web_socket, Message::Text(text)).await { Next::On } else { return }
                }
                _ = beat.tick() => {
                    if !std::mem::take(&mut self.is_answered) {
                        return;
                    }
                    if write(&mut web_socket, Message::Ping(Vec::new().into())).await {
                        Next::On
                    } else {
                        return;
                    }
                }
            };
            if let Next::Close(why) = next {
                let frame = CloseFrame { code: 1008, reason: Utf8Bytes::from_static(why) };
                write(&mut web_socket, Message::Close(Some(frame))).await;
                return;
            }
        }
    }

    /// Does what a message says; gives what to answer.
    async fn hear(
        &mut self,
        message: Message,
        sender: &mpsc::Sender<Utf8Bytes>,
    ) -> (Option<Message>, Next) {
        self.is_answered = true;
        match message {
            Message::Text(text) => {
                let said = self.obey(text.as_str(), sender).await;
                let answer = said.unwrap_or_else(|(id, error)| self.refusal(id.as_deref(), &error));
                (Some(Message::Text(answer.to_string().into())), Next::On)
            }
            Message::Binary(_) => (None, Next::Close("messages are text")),
            Message::Ping(_) | Message::Pong(_) | Message::Close(_) => (None, Next::On),
        }
    }

    async fn obey(
        &mut self,
        text: &str,
        sender: &mpsc::Sender<Utf8Bytes>,
    ) -> Result<Value, (Option<String>, ApiError)> {
        let unreadable = |error: &dyn std::fmt::Display| {
            (None, ApiError::unreadable("message", &error.to_string()))
        };
        let value = superroot_wire::parse_json(text.as_bytes());
        let value = value.map_err(|error| unreadable(&error))?;
        let Value::Object(members) = value else { return Err(unreadable(&"it is no object")) };
        let given = members.get("id");
        let id = given.and_then(Value::as_str).map(str::to_owned);
        let at = |error: ApiError| (id.clone(), error);
        only_members(&members, "", &MEMBERS).map_err(at)?;
        match members.get("op").and_then(Value::as_str) {
            Some("ping") => Ok(json!({ "event": "pong" })),
            Some("subscribe") => {
                let id = named(given).map_err(at)?;
                self.subscribe(id, &members, sender).await.map_err(at)
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
        sender: &mpsc::Sender<Utf8Bytes>,
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
        let opened = Listener::open(&self.service, entitlement, "/v5/ws", ask).await?;
        let (listener, ready) = opened;
        let data = listener.own(&ready);
        let task = tokio::spawn(tell(id.to_owned(), listener, sender.clone()));
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

/// Hands on what a subscription is told, until it ends or nobody reads.
async fn tell(id: String, mut listener: Listener, sender: mpsc::Sender<Utf8Bytes>) {
    let id = Value::from(id).to_string();
    while let Some(word) = listener.next().await {
        let text = match word {
            Word::Alive => continue,
            Word::Told(Told::Event(item)) => {
                listener.delivers(&item);
                let data = item.data();
                let data = String::from_utf8_lossy(&data);
                let (cursor, name) = (item.cursor, item.name());
                format!(r#"{{"id":{id},"cursor":"{cursor}","event":"{name}","data":{data}}}"#)
            }
            Word::Told(Told::Stale(stale)) => own(&id, "stale", &listener.own(&stale)),
            Word::Told(Told::Lagged(lagged)) => own(&id, "lagged", &listener.own(&lagged)),
            Word::Ended(ended) => own(&id, "ended", &listener.own(&ended)),
        };
        if sender.send(text.into()).await.is_err() {
            return;
        }
    }
}

fn own(id: &str, name: &str, data: &Value) -> String {
    format!(r#"{{"id":{id},"event":"{name}","data":{data}}}"#)
}

/// Writes a message; says whether it could be.
async fn write(web_socket: &mut WebSocket, message: Message) -> bool {
    timeout(PATIENCE, web_socket.send(message)).await.is_ok_and(|sent| sent.is_ok())
}
