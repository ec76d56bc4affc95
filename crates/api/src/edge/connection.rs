//! Service on its sockets.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use superroot_socket::{ConnectionBounds, Serving};
use tokio::net::TcpListener;

use super::router;
use crate::Api;

/// Idle time for a connection beyond the request time limit.
const SLACK: Duration = Duration::from_secs(20);

/// Serves the routes until `shutdown`, then finishes open requests.
pub fn serve(
    listener: TcpListener,
    api: Api,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Serving {
    let bounds = bounds(&api);
    superroot_socket::serve(listener, router::router(api), bounds, shutdown)
}

/// [`serve`] over TLS. The configuration names the protocols: `h2` for gRPC, and `http/1.1`.
pub fn serve_secured(
    listener: TcpListener,
    tls: Arc<rustls::ServerConfig>,
    api: Api,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<Serving> {
    let bounds = bounds(&api);
    superroot_socket::serve_secured(listener, tls, router::router(api), bounds, shutdown)
}

/// [`serve`] with [`router_without_accounts`](crate::router_without_accounts): for benchmarks.
#[doc(hidden)]
pub fn serve_without_accounts(
    listener: TcpListener,
    api: Api,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Serving {
    let bounds = ConnectionBounds { connections_max: usize::MAX, ..bounds(&api) };
    superroot_socket::serve(listener, router::router_without_accounts(api), bounds, shutdown)
}

/// Idle bounds: a connection is closed after a period longer than any request, without a new request or a successful
/// write.
fn bounds(api: &Api) -> ConnectionBounds {
    ConnectionBounds {
        idle: SLACK.saturating_add(Duration::from_millis(api.config.request_timeout_ms)),
        connections_max: api.config.connections_max,
        unbounded: api.config.trusted_proxies.clone(),
    }
}
