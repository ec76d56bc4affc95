//! Progress of a connection: a request, or answer bytes read by the client.
//!
//! ```text
//! request begins ── touch ─┐
//! answer is asked for more ┴─► Progress ◄── bytes written of what was given out
//! ```
//! Keep-alive frames, such as HTTP/2 `PING`, are not progress.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{ConnectInfo, Request};
use axum::http::StatusCode;
use axum::response::Response;
use http_body::{Frame, SizeHint};
use tokio::time::Instant;
use tower::Service;

/// Shorter writes may be control frames in reply to control frames.
const WRITE_MIN: usize = 64;

/// A connection's remote end.
#[derive(Clone, Debug)]
pub struct Peer {
    pub address: SocketAddr,
    pub(crate) progress: Arc<ConnectionProgress>,
}

/// A connection's progress. Relaxed ordering throughout: no other data depends on the values.
#[derive(Debug)]
pub(crate) struct ConnectionProgress {
    began: Instant,
    /// Last progress, in microseconds after `began`.
    last: AtomicU64,
    /// Answer bytes handed out and not yet written (approximate).
    outstanding: AtomicU64,
    is_upgraded: AtomicBool,
}

impl Default for ConnectionProgress {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            last: AtomicU64::default(),
            outstanding: AtomicU64::default(),
            is_upgraded: AtomicBool::default(),
        }
    }
}

impl ConnectionProgress {
    pub(crate) fn touch(&self) {
        let since = u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.last.store(since, Ordering::Relaxed);
    }

    /// Last progress; initially the start of the connection.
    pub(crate) fn last(&self) -> Instant {
        self.began + Duration::from_micros(self.last.load(Ordering::Relaxed))
    }

    pub(crate) fn give(&self, bytes: usize) {
        self.touch();
        self.outstanding.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Whether a write of `bytes` bytes is progress: answer bytes, or any write on an upgraded (message) connection,
    /// where a separate limit applies.
    pub(crate) fn is_of_answer(&self, bytes: usize) -> bool {
        if self.is_upgraded.load(Ordering::Relaxed) {
            return true;
        }
        let left = |outstanding: u64| Some(outstanding.saturating_sub(bytes as u64));
        let before = self.outstanding.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
        before.is_ok_and(|outstanding| outstanding > 0) && bytes >= WRITE_MIN
    }
}

/// Reports requests and answers to the connection. Wraps the router: as a router layer, each request would pay for a
/// copy of every inner box.
#[derive(Clone)]
pub(crate) struct ProgressLayer<S>(pub(crate) S);

impl<S> Service<Request> for ProgressLayer<S>
where
    S: Service<Request, Response = Response, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let peer = request.extensions().get::<ConnectInfo<Peer>>();
        let Some(progress) = peer.map(|peer| Arc::clone(&peer.0.progress)) else {
            return Box::pin(self.0.call(request));
        };
        progress.touch();
        let answer = self.0.call(request);
        Box::pin(async move {
            let response = answer.await?;
            progress.touch();
            if response.status() == StatusCode::SWITCHING_PROTOCOLS {
                progress.is_upgraded.store(true, Ordering::Relaxed);
            }
            Ok(response.map(|body| Body::new(WatchedAnswer { body, progress })))
        })
    }
}

/// Answer body that counts the bytes handed out.
struct WatchedAnswer {
    body: Body,
    progress: Arc<ConnectionProgress>,
}

impl HttpBody for WatchedAnswer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &polled {
            this.progress.give(frame.data_ref().map_or(0, Bytes::len));
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_that_keep_a_connection_alive_are_no_progress() {
        let progress = ConnectionProgress::default();
        assert!(!progress.is_of_answer(4_096), "nothing was given out");
        progress.give(1_000);
        assert!(!progress.is_of_answer(17), "as long as a PING's answer");
        assert!(progress.is_of_answer(900));
        assert!(progress.is_of_answer(100));
        assert!(!progress.is_of_answer(100), "all of it was written");
    }
}
