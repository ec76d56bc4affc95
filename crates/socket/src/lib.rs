//! HTTP server with bounded connections: no client can keep a connection open without using it.
//!
//! Request time limits start with the request head. The limits here cover everything else: a head that never ends, an
//! open connection without a request, a client that does not read.
//!
//! ```text
//! accept --idle--> [ head | body | handler | answer written ] --idle--> next head ...
//! ```
//! Every exchange ends with a written answer, so one rule is enough: a connection is closed after `idle` without a
//! request and without written answer bytes. `idle` is longer than the longest allowed request. Keep-alive frames, such
//! as HTTP/2 `PING`, do not count.
//!
//! ```no_run
//! # async fn served(routes: axum::Router, shutdown: std::future::Ready<()>) -> std::io::Result<()> {
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
//! let bounds = superroot_socket::ConnectionBounds::new(std::time::Duration::from_secs(60), 1_000);
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
use places::ConnectionSlots;
pub use progress::Peer;
use progress::ProgressLayer;
use secured::SecuredListener;

#[derive(Clone, Debug)]
pub struct ConnectionBounds {
    /// Longest time without progress.
    pub idle: Duration,
    /// Most simultaneous connections; a single address (IPv6: a /64) gets at most a quarter.
    pub connections_max: usize,
    /// Networks exempt from the per-address limit: proxies with many clients. Loopback is always exempt.
    pub unbounded: Vec<IpNet>,
}

impl ConnectionBounds {
    /// Limits without exempt networks.
    #[must_use]
    pub const fn new(idle: Duration, connections_max: usize) -> Self {
        Self { idle, connections_max, unbounded: Vec::new() }
    }
}

/// Running server, to be awaited. The future is boxed, so the server is compiled here and not in each calling crate.
/// Fails with socket errors.
pub type Serving = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

type Shutdown = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Serves the routes until `shutdown`, then finishes open requests. Connections without progress or above the limits
/// are closed. Handlers get the client as `ConnectInfo<Peer>`.
pub fn serve(
    listener: TcpListener,
    routes: Router,
    bounds: ConnectionBounds,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Serving {
    serve_on(Accepting::Plain(listener), routes, bounds, Box::pin(shutdown))
}

/// Like [`serve`], over TLS. The TLS configuration names the protocols: `h2` for gRPC, and `http/1.1`.
pub fn serve_secured(
    listener: TcpListener,
    tls: Arc<rustls::ServerConfig>,
    routes: Router,
    bounds: ConnectionBounds,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<Serving> {
    let accepting = Accepting::Secured(SecuredListener::new(listener, tls)?);
    Ok(serve_on(accepting, routes, bounds, Box::pin(shutdown)))
}

/// Not generic, so the server is compiled here.
fn serve_on(
    accepting: Accepting,
    routes: Router,
    bounds: ConnectionBounds,
    shutdown: Shutdown,
) -> Serving {
    let places = ConnectionSlots::new(bounds.connections_max, bounds.unbounded);
    let listener = TimedListener { accepting, idle: bounds.idle, places };
    let service = ProgressLayer(routes).into_make_service_with_connect_info::<Peer>();
    Box::pin(async { axum::serve(listener, service).with_graceful_shutdown(shutdown).await })
}
