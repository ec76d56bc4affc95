//! Connections with a deadline for progress.

use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, Sleep};
use tokio_rustls::server::TlsStream;
use tokio_util::either::Either;

use crate::places::{ConnectionSlot, ConnectionSlots, REFUSED};
use crate::progress::{ConnectionProgress, Peer};
use crate::secured::SecuredListener;

/// Plain or TLS listener. A single type, so the protocol code is compiled once.
pub(crate) enum Accepting {
    Plain(TcpListener),
    Secured(SecuredListener),
}

type Accepted = Either<TcpStream, TlsStream<TcpStream>>;

impl Accepting {
    async fn accept(&mut self) -> (Accepted, SocketAddr) {
        match self {
            Self::Plain(listener) => {
                let (stream, address) = Listener::accept(listener).await;
                (Either::Left(stream), address)
            }
            Self::Secured(listener) => {
                let (stream, address) = listener.accept().await;
                (Either::Right(stream), address)
            }
        }
    }
}

impl Connected<IncomingStream<'_, TimedListener>> for Peer {
    fn connect_info(stream: IncomingStream<'_, TimedListener>) -> Self {
        let progress = Arc::clone(&stream.io().progress);
        Self { address: *stream.remote_addr(), progress }
    }
}

/// Accepts connections while slots are free and closes idle connections.
pub(crate) struct TimedListener {
    pub(crate) accepting: Accepting,
    pub(crate) idle: Duration,
    pub(crate) places: Arc<ConnectionSlots>,
}

impl Listener for TimedListener {
    type Io = Timed<Accepted>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let (stream, address) = self.accepting.accept().await;
            match self.places.take(address.ip()) {
                Ok(place) => return (Timed::new(stream, self.idle, Some(place)), address),
                Err(why) => {
                    metrics::counter!(REFUSED, "of" => why).increment(1);
                }
            }
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        match &self.accepting {
            Accepting::Plain(listener) => listener.local_addr(),
            Accepting::Secured(listener) => Ok(listener.address()),
        }
    }
}

/// Stream that fails after `idle` without progress.
pub(crate) struct Timed<S> {
    stream: S,
    idle: Duration,
    deadline: Pin<Box<Sleep>>,
    progress: Arc<ConnectionProgress>,
    _place: Option<ConnectionSlot>,
}

impl<S> Timed<S> {
    fn new(stream: S, idle: Duration, place: Option<ConnectionSlot>) -> Self {
        let deadline = Box::pin(tokio::time::sleep(idle));
        Self { stream, idle, deadline, progress: Arc::default(), _place: place }
    }

    /// Pending, or a timeout error after `idle`. The timer is reset only when it fires, because progress is frequent.
    fn wait<T>(&mut self, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        while self.deadline.as_mut().poll(context).is_ready() {
            let due = self.progress.last() + self.idle;
            if due <= Instant::now() {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            self.deadline.as_mut().reset(due);
        }
        Poll::Pending
    }

    fn written(
        &mut self,
        written: Poll<io::Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        let Poll::Ready(written) = written else { return self.wait(context) };
        if self.progress.is_of_answer(*written.as_ref().unwrap_or(&0)) {
            self.progress.touch();
        }
        Poll::Ready(written)
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

    /// Without vectored writes, every answer is first copied into one buffer: a document with many slow readers would
    /// be in memory once per reader.
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
        let begun = Instant::now();
        is_late(server.read_u8().await, begun);
    }

    /// Time begins with the answer, not when somebody looks whether it is over.
    #[tokio::test(start_paused = true)]
    async fn one_request_buys_one_time() {
        let (mut server, _client) = pair(128);
        let (begun, progress) = (Instant::now(), Arc::clone(&server.progress));
        let touch = async {
            tokio::time::sleep(Duration::from_secs(2)).await;
            progress.touch(); // an answer, while the next request is waited for
        };
        let (late, ()) = tokio::join!(server.read_u8(), touch);
        assert_eq!(late.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(begun.elapsed().as_secs(), 2 + IDLE.as_secs());
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
