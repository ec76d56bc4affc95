//! Bounded open streams: limited in total, per address, and in lifetime.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::BoxError;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use http_body_util::{BodyExt, BodyStream, StreamBody};
use superroot_account::limit::AddressPrefix;
use tower::Service;

use crate::ApiError;
use crate::edge::prefix_of;
use crate::error::codes::RATE_LIMITED;
use crate::service::Shared;

/// Most open streams of one method; `OPEN_OF_ADDRESS_MAX` per address.
const OPEN_MAX: usize = 256;
const OPEN_OF_ADDRESS_MAX: usize = 32;
/// Extra time for a stream to finish after its lifetime.
const SLACK: Duration = Duration::from_secs(10);

/// Method whose streams end after `lifetime`; streams above the limit are refused.
#[derive(Clone)]
pub(super) struct BoundedStreams<S> {
    service: Shared,
    method: S,
    open: Arc<OpenStreams>,
    lifetime: Duration,
}

impl<S> BoundedStreams<S> {
    pub(super) fn new(service: &Shared, method: S, lifetime: Duration) -> Self {
        Self { service: Shared::clone(service), method, open: Arc::default(), lifetime }
    }
}

#[derive(Default)]
struct OpenStreams(Mutex<HashMap<AddressPrefix, usize>>);

/// Slot for an open stream, released on drop.
struct StreamSlot {
    open: Arc<OpenStreams>,
    from: AddressPrefix,
}

impl OpenStreams {
    fn lock(&self) -> MutexGuard<'_, HashMap<AddressPrefix, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a slot for a stream from this address; 429 `rate_limited` if no slot is free.
    fn take(self: &Arc<Self>, from: AddressPrefix) -> Result<StreamSlot, ApiError> {
        let mut open = self.lock();
        let refuse = |detail| Err(ApiError::new(RATE_LIMITED, detail));
        if open.values().sum::<usize>() >= OPEN_MAX {
            return refuse(format!(
                "{OPEN_MAX} streams of this method are open, which is the most"
            ));
        }
        let own = open.entry(from).or_default();
        if *own >= OPEN_OF_ADDRESS_MAX && from != nowhere() {
            return refuse(format!(
                "{OPEN_OF_ADDRESS_MAX} streams of this method are open from this address, which is the most"
            ));
        }
        *own += 1;
        Ok(StreamSlot { open: Arc::clone(self), from })
    }
}

/// Address prefix for requests without a socket.
fn nowhere() -> AddressPrefix {
    IpAddr::V4(Ipv4Addr::UNSPECIFIED).into()
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        let mut open = self.open.lock();
        if let Some(own) = open.get_mut(&self.from) {
            *own -= 1;
            if *own == 0 {
                open.remove(&self.from);
            }
        }
    }
}

type Opening = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

impl<S, B> Service<Request> for BoundedStreams<S>
where
    S: Service<Request, Response = axum::http::Response<B>, Error = Infallible>,
    S::Future: Send + 'static,
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Opening;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.method.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Opening {
        let from = prefix_of(&self.service, request.extensions(), request.headers());
        let place = match self.open.take(from) {
            Ok(place) => place,
            Err(error) => return Box::pin(async { Ok(error.into_response()) }),
        };
        let lifetime = self.lifetime;
        // where no more is asked, the stream ends by itself
        let opening = self.method.call(request.map(|body| cut(body, lifetime)));
        Box::pin(async move {
            let response = opening.await?;
            Ok(response.map(|body| {
                let body = cut(body, lifetime + SLACK);
                Body::new(body.map_frame(move |frame| {
                    let _open = &place;
                    frame
                }))
            }))
        })
    }
}

fn cut<B>(body: B, lifetime: Duration) -> Body
where
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    let frames = BodyStream::new(Box::pin(body)).take_until(tokio::time::sleep(lifetime));
    Body::new(StreamBody::new(frames))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_has_an_eighth_of_the_places_and_a_stream_that_ends_makes_room() {
        let open = Arc::new(OpenStreams::default());
        let from = |text: &str| AddressPrefix::from(text.parse::<IpAddr>().unwrap());
        let take =
            |text: &str, times| (0..times).map_while(|_| open.take(from(text)).ok()).collect();
        let one: Vec<StreamSlot> = take("192.0.2.1", 300);
        assert_eq!(one.len(), OPEN_OF_ADDRESS_MAX);
        let same: Vec<StreamSlot> = take("2001:db8::1", 20);
        let network: Vec<StreamSlot> = take("2001:db8::2", 20);
        assert_eq!(same.len() + network.len(), OPEN_OF_ADDRESS_MAX, "a /64 is one caller");
        let others: Vec<Vec<StreamSlot>> =
            (0..20).map(|other| take(&format!("198.51.100.{other}"), 20)).collect();
        let all = others.iter().map(Vec::len).sum::<usize>() + 2 * OPEN_OF_ADDRESS_MAX;
        assert_eq!(all, OPEN_MAX);
        drop(one);
        assert_eq!(take("203.0.113.1", 300).len(), OPEN_OF_ADDRESS_MAX);
        drop((same, network, others));
        assert!(open.lock().is_empty());
    }
}
