//! What counts as progress on a connection: a request, and an answer that is read.
//!
//! ```text
//! request begins ── touch ─┐
//! answer is asked for more ┴─► Progress ◄── bytes written of what was given out
//! ```
//! A frame that only keeps a connection alive, such as a `PING` of HTTP/2, is none.

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

/// A write of fewer bytes may be a frame that answers a frame.
const WRITE_MIN: usize = 64;

/// The other end of a connection.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Its address.
    pub address: SocketAddr,
    /// How far the connection has come.
    pub(crate) progress: Arc<Progress>,
}

/// How far a connection has come. All orders are relaxed: nothing else hangs on it.
#[derive(Debug)]
pub(crate) struct Progress {
    began: Instant,
    /// When there was progress last, in microseconds after that.
    last: AtomicU64,
    /// Bytes of answers that were given out and not written yet, about.
    outstanding: AtomicU64,
    is_upgraded: AtomicBool,
}

impl Default for Progress {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            last: AtomicU64::default(),
            outstanding: AtomicU64::default(),
            is_upgraded: AtomicBool::default(),
        }
    }
}

impl Progress {
    /// Notes progress.
    pub(crate) fn touch(&self) {
        let since = u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.last.store(since, Ordering::Relaxed);
    }

    /// When there was progress last; at first, when the connection began.
    pub(crate) fn last(&self) -> Instant {
        self.began + Duration::from_micros(self.last.load(Ordering::Relaxed))
    }

    pub(crate) fn give(&self, bytes: usize) {
        self.touch();
        self.outstanding.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Whether writing so many bytes is progress: they are of an answer, or the connection is one for messages, which has
    /// a limit of its own.
    pub(crate) fn is_of_answer(&self, bytes: usize) -> bool {
        if self.is_upgraded.load(Ordering::Relaxed) {
            return true;
        }
        let left = |outstanding: u64| Some(outstanding.saturating_sub(bytes as u64));
        let before = self.outstanding.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
        before.is_ok_and(|outstanding| outstanding > 0) && bytes >= WRITE_MIN
    }
}

/// Lets a connection know of its requests and answers. It stands around the router: as a layer of that it would cost each
/// request a copy of every box below.
#[derive(Clone)]
pub(crate) struct Noted<S>(pub(crate) S);

impl<S> Service<Request> for Noted<S>
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
            Ok(response.map(|body| Body::new(Given { body, progress })))
        })
    }
}

/// An answer that tells what is given out of it.
struct Given {
    body: Body,
    progress: Arc<Progress>,
}

impl HttpBody for Given {
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
        let progress = Progress::default();
        assert!(!progress.is_of_answer(4_096), "nothing was given out");
        progress.give(1_000);
        assert!(!progress.is_of_answer(17), "as long as a PING's answer");
        assert!(progress.is_of_answer(900));
        assert!(progress.is_of_answer(100));
        assert!(!progress.is_of_answer(100), "all of it was written");
    }
}
