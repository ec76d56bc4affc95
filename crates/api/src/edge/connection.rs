//! Connections that cannot be held open for nothing.
//!
//! Time limits of requests begin with the request's head. This one is about what is around it: a
//! head that never ends, a connection kept open without a request, a client that does not read.
//!
//! ```text
//! accept --idle--> [ head | body | handler | answer written ] --idle--> next head ...
//! ```
//! Every exchange ends with something written, so one rule is enough: where nothing could be written
//! for `idle`, which is longer than any request may take, the connection is closed.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpListener;
use tokio::time::{Instant, Sleep};

use super::client_address::Peer;
use super::router;
use super::secured::SecuredListener;
use crate::Api;

/// What a connection may be idle beyond the time of one request.
const SLACK: Duration = Duration::from_secs(20);

/// Serves the routes on that socket until `shutdown`, then ends what has begun.
///
/// # Errors
/// Those of the socket.
pub async fn serve(
    listener: TcpListener,
    api: Api,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let idle = idle(&api);
    serve_router(listener, router::router(api), idle, shutdown).await
}

/// As [`serve`], over TLS. The configuration names the protocols: `h2` for gRPC, and `http/1.1`.
///
/// # Errors
/// Those of the socket.
pub async fn serve_secured(
    listener: TcpListener,
    tls: Arc<rustls::ServerConfig>,
    api: Api,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let listener =
        TimedListener { listener: SecuredListener::new(listener, tls)?, idle: idle(&api) };
    axum::serve(listener, router::router(api).into_make_service_with_connect_info::<Peer>())
        .with_graceful_shutdown(shutdown)
        .await
}

/// As [`serve`], of [`router_without_accounts`](crate::router_without_accounts): for benchmarks.
///
/// # Errors
/// Those of the socket.
#[doc(hidden)]
pub async fn serve_without_accounts(
    listener: TcpListener,
    api: Api,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let idle = idle(&api);
    serve_router(listener, router::router_without_accounts(api), idle, shutdown).await
}

const fn idle(api: &Api) -> Duration {
    SLACK.saturating_add(Duration::from_millis(api.config.request_timeout_ms))
}

/// Serves any routes on that socket until `shutdown`, then ends what has begun. A connection on which
/// nothing could be written for `idle` is closed.
///
/// # Errors
/// Those of the socket.
pub async fn serve_router(
    listener: TcpListener,
    router: Router,
    idle: Duration,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let listener = TimedListener { listener, idle };
    axum::serve(listener, router.into_make_service_with_connect_info::<Peer>())
        .with_graceful_shutdown(shutdown)
        .await
}

impl<L: Listener<Addr = SocketAddr>> Connected<IncomingStream<'_, TimedListener<L>>> for Peer {
    fn connect_info(stream: IncomingStream<'_, TimedListener<L>>) -> Self {
        Self(*stream.remote_addr())
    }
}

/// Accepts connections that are closed when they are idle for too long.
struct TimedListener<L> {
    listener: L,
    idle: Duration,
}

impl<L: Listener> Listener for TimedListener<L> {
    type Io = Timed<L::Io>;
    type Addr = L::Addr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (stream, address) = self.listener.accept().await;
        (Timed::new(stream, self.idle), address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

/// A stream that fails once nothing could be written to it for `idle`.
struct Timed<S> {
    stream: S,
    idle: Duration,
    deadline: Pin<Box<Sleep>>,
}

impl<S> Timed<S> {
    fn new(stream: S, idle: Duration) -> Self {
        Self { stream, idle, deadline: Box::pin(tokio::time::sleep(idle)) }
    }

    /// What to say instead of waiting on.
    fn wait<T>(&mut self, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        self.deadline.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Timed<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        match Pin::new(&mut this.stream).poll_read(context, buffer) {
            Poll::Pending => this.wait(context),
            ready @ Poll::Ready(_) => ready,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Timed<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        match Pin::new(&mut this.stream).poll_write(context, bytes) {
            Poll::Pending => this.wait(context),
            written @ Poll::Ready(_) => {
                this.deadline.as_mut().reset(Instant::now() + this.idle);
                written
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        match Pin::new(&mut this.stream).poll_flush(context) {
            Poll::Pending => this.wait(context),
            ready @ Poll::Ready(_) => ready,
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        match Pin::new(&mut this.stream).poll_shutdown(context) {
            Poll::Pending => this.wait(context),
            ready @ Poll::Ready(_) => ready,
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    use super::*;

    const IDLE: Duration = Duration::from_secs(30);

    fn pair(bytes_max: usize) -> (Timed<DuplexStream>, DuplexStream) {
        let (server, client) = duplex(bytes_max);
        (Timed::new(server, IDLE), client)
    }

    fn is_late<T: std::fmt::Debug>(result: io::Result<T>, begun: Instant) {
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(begun.elapsed().as_secs(), IDLE.as_secs());
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_a_request_is_closed() {
        let (begun, (mut server, _client)) = (Instant::now(), pair(64));
        is_late(server.read_u8().await, begun);
    }

    /// A byte now and then buys no time: else one client could hold any number of connections.
    #[tokio::test(start_paused = true)]
    async fn a_head_that_drips_is_closed_as_soon_as_an_idle_one() {
        let (begun, (mut server, mut client)) = (Instant::now(), pair(64));
        let drip = tokio::spawn(async move {
            while client.write_all(b"a").await.is_ok() {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        });
        let mut head = Vec::new();
        is_late(server.read_to_end(&mut head).await, begun);
        assert_eq!(head.len(), 30);
        drop(server);
        drip.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_begins_the_time_anew() {
        let (mut server, mut client) = pair(64);
        for _ in 0..5 {
            tokio::time::advance(Duration::from_secs(29)).await;
            server.write_all(b"x").await.unwrap();
            assert_eq!(client.read_u8().await.unwrap(), b'x');
        }
        let begun = Instant::now();
        is_late(server.read_u8().await, begun);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_is_given_up() {
        let (begun, (mut server, _client)) = (Instant::now(), pair(4));
        is_late(server.write_all(b"longer than the pipe").await, begun);
    }
}
