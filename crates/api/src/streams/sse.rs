//! `GET /v5/stream`: events as they come, as server-sent events (WHATWG HTML, section 9.2).

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::Serialize;
use superroot_stream::Told;
use superroot_wire::{Case, case};

use super::ask::{StreamAsk, parse_cursor};
use super::listener::{Listener, Word};
use crate::ApiError;
use crate::input::caller::Keyed;
use crate::input::{Ask, Caller};
use crate::service::Shared;
use crate::service::passes::Pass;

/// Milliseconds after which a browser comes back.
const RETRY: &str = "retry: 2000\n";
/// Events that are handed on together hold so many bytes, about.
const TOGETHER_BYTES: usize = 16 << 10;
const LAST_EVENT_ID: &str = "last-event-id";

/// `GET /v5/stream`
pub(super) async fn stream(
    State(service): State<Shared>,
    caller: Caller,
    Keyed(entitlement): Keyed,
    headers: HeaderMap,
    ask: Ask,
) -> Result<Response, ApiError> {
    let mut wish = StreamAsk::read(&service.api, &caller, &ask)?;
    if let Some(id) = headers.get(LAST_EVENT_ID).filter(|id| !id.is_empty()) {
        let text = id.to_str().unwrap_or("not ASCII");
        wish.since = Some(parse_cursor("Last-Event-ID", text)?);
    }
    let pass = service.passes.enter(&entitlement, service.api.accounts.plans())?;
    let (listener, ready) = Listener::open(&service, entitlement, "/v5/stream", wish).await?;
    let first = [RETRY, &frame(&ready.cursor, "ready", &ready)].concat();
    let opened = Opened { listener, first: Some(first.into()), _pass: pass };
    let mut response = Body::from_stream(stream::unfold(opened, next)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // proxies that gather answers would hold events back
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

/// A stream that is open.
struct Opened {
    listener: Listener,
    first: Option<Bytes>,
    _pass: Pass,
}

async fn next(mut opened: Opened) -> Option<(Result<Bytes, Infallible>, Opened)> {
    if let Some(first) = opened.first.take() {
        return Some((Ok(first), opened));
    }
    let bytes = match opened.listener.next().await? {
        Word::Alive => Bytes::from_static(b":\n\n"),
        Word::Ended(ended) => frame("", "ended", &ended).into(),
        Word::Told(told) => {
            let first = bytes_of(told);
            match opened.listener.subscriber.next_now() {
                None => first,
                // what is there already goes out together
                Some(more) => {
                    let mut together = first.to_vec();
                    let mut more = Some(more);
                    while let Some(told) = more.take() {
                        together.extend_from_slice(&bytes_of(told));
                        if together.len() < TOGETHER_BYTES {
                            more = opened.listener.subscriber.next_now();
                        }
                    }
                    together.into()
                }
            }
        }
    };
    Some((Ok(bytes), opened))
}

fn bytes_of(told: Told) -> Bytes {
    match told {
        Told::Event(item) => item.frame(),
        Told::Stale(stale) => frame(&stale.oldest, "stale", &stale).into(),
        Told::Lagged(lagged) => frame("", "lagged", &lagged).into(),
    }
}

/// An event of its own; without an id the last one stands.
fn frame(id: &str, name: &str, data: &impl Serialize) -> String {
    let id = if id.is_empty() { String::new() } else { format!("id: {id}\n") };
    format!("{id}event: {name}\ndata: {}\n\n", case::write(data, Case::Camel))
}
