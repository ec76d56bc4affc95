//! `GET /v5/stream`: live events, as server-sent events (WHATWG HTML, section 9.2).

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};
use serde_json::Value;
use superroot_account::Entitlement;
use superroot_stream::{Delivery, PreparedEvent};
use superroot_wire::paths;

use super::ask::{StreamAsk, parse_cursor};
use super::listener::{Listener, ListenerMessage};
use super::paced::paced;
use crate::ApiError;
use crate::input::caller::Keyed;
use crate::input::{Caller, RequestInput};
use crate::route::EVENT_STREAM;
use crate::service::Shared;
use crate::service::permits::StreamPermit;

/// Browser reconnection delay in milliseconds.
const RETRY: &str = "retry: 2000\n";
/// Most event bytes sent together; a longer event is sent alone.
const TOGETHER_BYTES: usize = 16 << 10;
const LAST_EVENT_ID: &str = "last-event-id";

pub(super) async fn stream(
    State(service): State<Shared>,
    caller: Caller,
    Keyed(entitlement): Keyed,
    headers: HeaderMap,
    ask: RequestInput,
) -> Result<Response, ApiError> {
    let wish = StreamAsk::read(&service.api, &caller, &ask)?;
    open((&service, entitlement, paths::STREAM), wish, &headers, |item| Some(item.frame())).await
}

/// Opens an event stream: `show` renders an event, or skips it.
pub(crate) async fn open(
    (service, entitlement, path): (&Shared, Arc<Entitlement>, &'static str),
    mut wish: StreamAsk,
    headers: &HeaderMap,
    show: impl Fn(&PreparedEvent) -> Option<Bytes> + Send + 'static,
) -> Result<Response, ApiError> {
    if let Some(id) = headers.get(LAST_EVENT_ID).filter(|id| !id.is_empty()) {
        let text = id.to_str().unwrap_or("not ASCII");
        wish.since = Some(parse_cursor("Last-Event-ID", text)?);
    }
    let permit = service.permits.enter(&entitlement, service.api.accounts.plans())?;
    let (listener, ready) = Listener::open(service, entitlement, path, wish).await?;
    let first = [RETRY, &frame(&ready.cursor, "ready", &listener.own(&ready))].concat();
    let ready = Some(first.into());
    let opened = SseListener { listener, ready, show: Box::new(show), _permit: permit };
    Ok(event_stream(stream::unfold(opened, next)))
}

/// Event stream response, sent without buffering.
pub(crate) fn event_stream(
    events: impl Stream<Item = Result<Bytes, Infallible>> + Send + 'static,
) -> Response {
    let mut response = paced(Body::from_stream(events)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // proxies that gather answers would hold events back
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

type Show = Box<dyn Fn(&PreparedEvent) -> Option<Bytes> + Send>;

struct SseListener {
    listener: Listener,
    /// Next bytes, if already known.
    ready: Option<Bytes>,
    show: Show,
    _permit: StreamPermit,
}

async fn next(mut opened: SseListener) -> Option<(Result<Bytes, Infallible>, SseListener)> {
    loop {
        if let Some(ready) = opened.ready.take() {
            return Some((Ok(ready), opened));
        }
        let bytes = match opened.listener.next().await? {
            ListenerMessage::Alive => Bytes::from_static(b":\n\n"),
            ListenerMessage::Ended(ended) => {
                frame("", "ended", &opened.listener.own(&ended)).into()
            }
            ListenerMessage::Told(told) => opened.together(told),
        };
        // what is passed over is no reason to send anything
        if !bytes.is_empty() {
            return Some((Ok(bytes), opened));
        }
    }
}

impl SseListener {
    /// Joins a delivery with further ready events. Large events are sent alone, since all listeners share their memory.
    fn together(&mut self, told: Delivery) -> Bytes {
        let first = self.bytes_of(told);
        let mut together = Vec::new();
        while let Some(told) = self.listener.subscriber.next_now() {
            let more = self.bytes_of(told);
            if first.len().max(together.len()) + more.len() > TOGETHER_BYTES {
                self.ready = Some(more);
                break;
            }
            if together.is_empty() {
                together.reserve_exact(TOGETHER_BYTES);
                together.extend_from_slice(&first);
            }
            together.extend_from_slice(&more);
        }
        if together.is_empty() { first } else { together.into() }
    }

    fn bytes_of(&self, told: Delivery) -> Bytes {
        match told {
            Delivery::Event(item) => {
                let shown = (self.show)(&item);
                if shown.is_some() {
                    self.listener.delivers(&item);
                }
                shown.unwrap_or_default()
            }
            Delivery::Stale(stale) => {
                frame(&stale.oldest, "stale", &self.listener.own(&stale)).into()
            }
            Delivery::Lagged(lagged) => frame("", "lagged", &self.listener.own(&lagged)).into(),
        }
    }
}

/// Frame for a service event; without an id the client keeps the last one.
pub(crate) fn frame(id: &str, name: &str, data: &Value) -> String {
    let id = if id.is_empty() { String::new() } else { format!("id: {id}\n") };
    format!("{id}event: {name}\ndata: {data}\n\n")
}
