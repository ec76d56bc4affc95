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
//!
//! ```no_run
//! # async fn served(routes: axum::Router, shutdown: std::future::Ready<()>) -> std::io::Result<()> {
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
//! let bounds = superroot_socket::Bounds::new(std::time::Duration::from_secs(60), 1_000);
//! superroot_socket::serve(listener, routes, bounds, shutdown).await
//! # }
//! ```

mod connection;
mod places;
mod progress;
mod secured;

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::{Router, ServiceExt};
use ipnet::IpNet;
use tokio::net::TcpListener;

use connection::{Accepting, TimedListener};
use places::Places;
use progress::Noted;
pub use progress::Peer;
use secured::SecuredListener;

/// What connections may be.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// How long a connection may be without progress.
    pub idle: Duration,
    /// Connections at a time; of one address (IPv6: of one /64) a quarter.
    pub connections_max: usize,
    /// Who may have any part of them: proxies that stand for many. This machine may as well.
    pub unbounded: Vec<IpNet>,
}

impl Bounds {
    /// Those for whoever comes.
    #[must_use]
    pub const fn new(idle: Duration, connections_max: usize) -> Self {
        Self { idle, connections_max, unbounded: Vec::new() }
    }
}

/// A server, once it is awaited. Of no type, so that it is compiled here, and not in each crate that runs one.
///
/// # Errors
/// Those of the socket.
pub type Serving = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// Ready when serving ends.
type Shutdown = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Serves the routes on that socket until `shutdown`, then ends what has begun. A connection without progress, and one
/// beyond the bounds, is closed. Handlers find the other end as `ConnectInfo<Peer>`.
pub fn serve(
    listener: TcpListener,
    routes: Router,
    bounds: Bounds,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Serving {
    serve_on(Accepting::Plain(listener), routes, bounds, Box::pin(shutdown))
}

/// As [`serve`], over TLS. The configuration names the protocols: `h2` for gRPC, and `http/1.1`.
///
/// # Errors
/// Those of the socket.
pub fn serve_secured(
    listener: TcpListener,
    tls: Arc<rustls::ServerConfig>,
    routes: Router,
    bounds: Bounds,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<Serving> {
    let accepting = Accepting::Secured(SecuredListener::new(listener, tls)?);
    Ok(serve_on(accepting, routes, bounds, Box::pin(shutdown)))
}

/// Without types from outside, for the same reason.
fn serve_on(accepting: Accepting, routes: Router, bounds: Bounds, shutdown: Shutdown) -> Serving {
    let places = Places::new(bounds.connections_max, bounds.unbounded);
    let listener = TimedListener { accepting, idle: bounds.idle, places };
    let service = Noted(routes).into_make_service_with_connect_info::<Peer>();
    Box::pin(async { axum::serve(listener, service).with_graceful_shutdown(shutdown).await })
}
