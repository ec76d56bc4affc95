//! Connections that cannot be held open for nothing.
//!
//! Time limits of requests begin with the request's head. This one is about what is around it: a
//! head that never ends, a connection kept open without a request, a client that does not read.
//!
//! ```text
//! accept --idle--> [ head | body | handler | answer written ] --idle--> next head ...
//! ```
//! Every exchange ends with an answer written, so one rule is enough: where no request came and nothing of an
//! answer could be written for `idle`, which is longer than any request may take, the connection is closed.
//! What keeps it alive beside that, such as `PING` of HTTP/2, buys no time.

use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use axum::{Router, ServiceExt};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpListener;
use tokio::time::{Instant, Sleep};

use super::places::{Place, Places, REFUSED};
use super::progress::{Noted, Peer, Progress};
use super::router;
use super::secured::SecuredListener;
use crate::Api;

/// What a connection may be idle beyond the time of one request.
const SLACK: Duration = Duration::from_secs(20);

/// A server, once it is awaited. Of no type, so that it is compiled here, and not in each crate that runs one.
///
/// # Errors
/// Those of the socket.
pub type Serving = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// Serves the routes on that socket until `shutdown`, then ends what has begun.
pub fn serve(
    listener: TcpListener,
    api: Api,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Serving {
    let (idle, places) = (idle(&api), places(&api));
    let listener = TimedListener { listener, idle, places };
    serve_plain(listener, router::router(api), Box::pin(shutdown))
}

/// As [`serve`], over TLS. The configuration names the protocols: `h2` for gRPC, and `http/1.1`.
///
/// # Errors
/// Those of the socket.
pub fn serve_secured(
    listener: TcpListener,
    tls: Arc<rustls::ServerConfig>,
    api: Api,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<Serving> {
    let (idle, places) = (idle(&api), places(&api));
    let listener = TimedListener { listener: SecuredListener::new(listener, tls)?, idle, places };
    Ok(serve_encrypted(listener, router::router(api), Box::pin(shutdown)))
}

/// As [`serve`], of [`router_without_accounts`](crate::router_without_accounts): for benchmarks.
#[doc(hidden)]
pub fn serve_without_accounts(
    listener: TcpListener,
    api: Api,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Serving {
    let idle = idle(&api);
    let router = router::router_without_accounts(api);
    serve_router(listener, router, idle, usize::MAX, shutdown)
}

fn places(api: &Api) -> Arc<Places> {
    Places::new(api.config.connections_max, api.config.trusted_proxies.clone())
}

const fn idle(api: &Api) -> Duration {
    SLACK.saturating_add(Duration::from_millis(api.config.request_timeout_ms))
}

/// Serves any routes on that socket until `shutdown`, then ends what has begun. A connection on which there is
/// no progress for `idle` is closed, and one beyond `connections_max` at once.
pub fn serve_router(
    listener: TcpListener,
    router: Router,
    idle: Duration,
    connections_max: usize,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Serving {
    let places = Places::new(connections_max, Vec::new());
    serve_plain(TimedListener { listener, idle, places }, router, Box::pin(shutdown))
}

/// Ready when serving ends.
type Shutdown = Pin<Box<dyn Future<Output = ()> + Send>>;

// Neither has a parameter of a type: whatever is called with one is compiled in the crate that calls.

fn serve_plain(
    listener: TimedListener<TcpListener>,
    router: Router,
    shutdown: Shutdown,
) -> Serving {
    serve_on(listener, router, shutdown)
}

fn serve_encrypted(
    listener: TimedListener<SecuredListener>,
    router: Router,
    shutdown: Shutdown,
) -> Serving {
    serve_on(listener, router, shutdown)
}

fn serve_on<L: Listener<Addr = SocketAddr>>(
    listener: TimedListener<L>,
    router: Router,
    shutdown: Shutdown,
) -> Serving
where
    L::Io: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = Noted(router.with_state::<()>(())).into_make_service_with_connect_info::<Peer>();
    Box::pin(async { axum::serve(listener, service).with_graceful_shutdown(shutdown).await })
}

impl<L: Listener<Addr = SocketAddr>> Connected<IncomingStream<'_, TimedListener<L>>> for Peer {
    fn connect_info(stream: IncomingStream<'_, TimedListener<L>>) -> Self {
        let progress = Arc::clone(&stream.io().progress);
        Self { address: *stream.remote_addr(), progress }
    }
}

/// Accepts connections for which there is a place, and which are closed when they are idle for too long.
struct TimedListener<L> {
    listener: L,
    idle: Duration,
    places: Arc<Places>,
}

impl<L: Listener<Addr = SocketAddr>> Listener for TimedListener<L> {
    type Io = Timed<L::Io>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let (stream, address) = self.listener.accept().await;
            match self.places.take(address.ip()) {
                Ok(place) => return (Timed::new(stream, self.idle, Some(place)), address),
                Err(why) => {
                    metrics::counter!(REFUSED, "of" => why).increment(1);
                }
            }
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

/// A stream that fails once there is no progress on it for `idle`.
struct Timed<S> {
    stream: S,
    idle: Duration,
    deadline: Pin<Box<Sleep>>,
    progress: Arc<Progress>,
    _place: Option<Place>,
}

impl<S> Timed<S> {
    fn new(stream: S, idle: Duration, place: Option<Place>) -> Self {
        let deadline = Box::pin(tokio::time::sleep(idle));
        Self { stream, idle, deadline, progress: Arc::default(), _place: place }
    }

    /// What to say instead of waiting on.
    fn wait<T>(&mut self, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if self.progress.take() {
            self.begin_anew();
        }
        self.deadline.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Notes what a write came to.
    fn written(
        &mut self,
        written: Poll<io::Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        let Poll::Ready(written) = written else { return self.wait(context) };
        if self.progress.is_of_answer(*written.as_ref().unwrap_or(&0)) {
            self.begin_anew();
        }
        Poll::Ready(written)
    }

    fn begin_anew(&mut self) {
        self.deadline.as_mut().reset(Instant::now() + self.idle);
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
        let written = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.written(written, context)
    }

    /// Without it every answer is copied into one piece first: a document that many read slowly would be
    /// in memory for each of them.
    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write_vectored(context, pieces);
        this.written(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
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
        (Timed::new(server, IDLE, None), client)
    }

    fn is_late<T: std::fmt::Debug>(result: io::Result<T>, begun: Instant) {
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(begun.elapsed().as_secs(), IDLE.as_secs());
    }

    /// Otherwise each answer is copied into one piece, and held so for each client that does not read.
    #[tokio::test]
    async fn pieces_of_an_answer_are_written_as_they_are() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (client, accepted) =
            tokio::join!(tokio::net::TcpStream::connect(address), listener.accept());
        let mut server = Timed::new(accepted.unwrap().0, IDLE, None);
        assert!(server.is_write_vectored());
        let pieces = [IoSlice::new(b"head "), IoSlice::new(b"body")];
        assert_eq!(server.write_vectored(&pieces).await.unwrap(), 9);
        drop(server);
        let mut got = String::new();
        client.unwrap().read_to_string(&mut got).await.unwrap();
        assert_eq!(got, "head body");
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
        let (mut server, mut client) = pair(128);
        let mut read = [0; 100];
        for _ in 0..5 {
            tokio::time::advance(Duration::from_secs(29)).await;
            server.progress.give(read.len());
            server.write_all(&read).await.unwrap();
            client.read_exact(&mut read).await.unwrap();
        }
        assert!(server.progress.take());
        let begun = Instant::now();
        is_late(server.read_u8().await, begun);
    }

    /// What a client makes the service write without asking for anything buys no time.
    #[tokio::test(start_paused = true)]
    async fn frames_that_answer_frames_keep_no_connection_open() {
        let (begun, (mut server, mut client)) = (Instant::now(), pair(64));
        let mut pong = [0; 17];
        for _ in 0..2 {
            tokio::time::advance(Duration::from_secs(10)).await;
            server.write_all(&pong).await.unwrap();
            client.read_exact(&mut pong).await.unwrap();
        }
        is_late(server.read_u8().await, begun);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_is_given_up() {
        let (begun, (mut server, _client)) = (Instant::now(), pair(4));
        is_late(server.write_all(b"longer than the pipe").await, begun);
    }
}
