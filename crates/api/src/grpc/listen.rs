//! Event streams.

use futures_util::stream::{self, StreamExt};
use serde_json::{Map, Value};
use superroot_stream::Delivery;
use superroot_wire::grpc::{ListenRequest, StreamEvent};
use tonic::{Response, Status};

use super::answer::Answered;
use super::asked::GrpcCaller;
use super::method::Messages;
use crate::ApiError;
use crate::service::Shared;
use crate::service::permits::StreamPermit;
use crate::streams::{Listener, ListenerMessage, StreamAsk};

pub(super) const LISTEN: &str = "/superroot.v5.Streams/Listen";

pub(super) async fn listen(
    service: Shared,
    asked: GrpcCaller,
    message: ListenRequest,
) -> Answered<Messages<StreamEvent>> {
    let entitlement = asked.caller.entitlement().cloned().ok_or_else(ApiError::needs_key)?;
    let ask = StreamAsk::read(&service.api, &asked.caller, &members(&message))?;
    let permit = service.permits.enter(&entitlement, service.api.accounts.plans())?;
    let (listener, ready) = Listener::open(&service, entitlement, LISTEN, ask).await?;
    let first = own(&ready.cursor, "ready", &listener.own(&ready));
    let opened = GrpcListener { listener, first: Some(first), _permit: permit };
    Ok(Response::new(stream::unfold(opened, next).boxed()))
}

struct GrpcListener {
    listener: Listener,
    first: Option<StreamEvent>,
    _permit: StreamPermit,
}

async fn next(mut opened: GrpcListener) -> Option<(Result<StreamEvent, Status>, GrpcListener)> {
    if let Some(first) = opened.first.take() {
        return Some((Ok(first), opened));
    }
    let event = match opened.listener.next().await? {
        // what is silent for long counts as gone
        ListenerMessage::Alive => {
            StreamEvent { event: "alive".to_owned(), ..StreamEvent::default() }
        }
        ListenerMessage::Ended(ended) => own("", "ended", &opened.listener.own(&ended)),
        ListenerMessage::Told(Delivery::Stale(stale)) => {
            own(&stale.oldest, "stale", &opened.listener.own(&stale))
        }
        ListenerMessage::Told(Delivery::Lagged(lagged)) => {
            own("", "lagged", &opened.listener.own(&lagged))
        }
        ListenerMessage::Told(Delivery::Event(item)) => {
            opened.listener.delivers(&item);
            StreamEvent {
                cursor: item.cursor.to_string(),
                event: item.name().to_owned(),
                data_json: String::from_utf8_lossy(&item.data()).into_owned(),
            }
        }
    };
    Some((Ok(event), opened))
}

fn own(cursor: &str, name: &str, data: &Value) -> StreamEvent {
    StreamEvent { cursor: cursor.to_owned(), event: name.to_owned(), data_json: data.to_string() }
}

/// Converts the request to the members used by SSE and WebSocket.
fn members(message: &ListenRequest) -> Map<String, Value> {
    let mut members = Map::new();
    let mut put = |name: &str, list: Vec<String>| {
        if !list.is_empty() {
            members.insert(name.to_owned(), Value::from(list));
        }
    };
    let hex = |list: &[Vec<u8>]| list.iter().map(const_hex::encode_prefixed).collect::<Vec<_>>();
    let word = |text: &str| (!text.is_empty()).then(|| text.to_owned()).into_iter().collect();
    put("topics", message.topics.clone());
    put("chain", message.chain.clone());
    put("address", hex(&message.address));
    put("topic0", hex(&message.topic0));
    put("topic1", hex(&message.topic1));
    put("topic2", hex(&message.topic2));
    put("topic3", hex(&message.topic3));
    put("finality", word(&message.finality));
    put("partial", word(if message.partial { "1" } else { "" }));
    put("tx", message.tx.iter().map(const_hex::encode_prefixed).collect());
    put("order", word(&message.order));
    put("since", word(&message.since));
    members
}
