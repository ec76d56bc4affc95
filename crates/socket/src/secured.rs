//! TLS in front of the routes: a stalled handshake delays no other.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::serve::Listener;
use rustls::ServerConfig;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::AbortHandle;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
const HANDSHAKES_MAX: usize = 4_096;

pub(crate) struct SecuredListener {
    ready: mpsc::Receiver<(TlsStream<TcpStream>, SocketAddr)>,
    address: SocketAddr,
    accepting: AbortHandle,
}

impl SecuredListener {
    pub(crate) fn new(listener: TcpListener, tls: Arc<ServerConfig>) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let (done, ready) = mpsc::channel(1);
        let accepting = tokio::spawn(accept(listener, TlsAcceptor::from(tls), done));
        Ok(Self { ready, address, accepting: accepting.abort_handle() })
    }

    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) async fn accept(&mut self) -> (TlsStream<TcpStream>, SocketAddr) {
        match self.ready.recv().await {
            Some(ready) => ready,
            None => std::future::pending().await, // the runtime ends
        }
    }
}

async fn accept(
    mut listener: TcpListener,
    acceptor: TlsAcceptor,
    done: mpsc::Sender<(TlsStream<TcpStream>, SocketAddr)>,
) {
    let room = Arc::new(Semaphore::new(HANDSHAKES_MAX));
    while let Ok(permit) = room.clone().acquire_owned().await {
        let (stream, address) = Listener::accept(&mut listener).await;
        let handshake = acceptor.accept(stream);
        let done = done.clone();
        tokio::spawn(async move {
            match timeout(HANDSHAKE_TIMEOUT, handshake).await {
                Ok(Ok(stream)) => _ = done.send((stream, address)).await,
                Ok(Err(error)) => tracing::debug!(%error, "no handshake"),
                Err(_) => tracing::debug!("a handshake took too long"),
            }
            drop(permit);
        });
    }
}

impl Drop for SecuredListener {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

#[cfg(test)]
mod tests {
    use rustls::server::ResolvesServerCertUsingSni;
    use tokio::io::AsyncReadExt;
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_handshake_that_never_comes_is_given_up() {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider);
        let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
        let config = config.with_cert_resolver(Arc::new(ResolvesServerCertUsingSni::new()));
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let listener = SecuredListener::new(socket, Arc::new(config)).unwrap();
        let begun = Instant::now();
        let mut silent = TcpStream::connect(listener.address()).await.unwrap();
        assert_eq!(silent.read(&mut [0]).await.unwrap(), 0, "it is closed without a word");
        assert_eq!(begun.elapsed().as_secs(), HANDSHAKE_TIMEOUT.as_secs());
    }
}
