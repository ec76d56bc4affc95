//! The service on its sockets.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use superroot_socket::{Bounds, Serving};
use tokio::net::TcpListener;

use super::router;
use crate::Api;

/// What a connection may be idle beyond the time of one request.
const SLACK: Duration = Duration::from_secs(20);

/// Serves the routes on that socket until `shutdown`, then ends what has begun.
pub fn serve(
    listener: TcpListener,
    api: Api,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Serving {
    let bounds = bounds(&api);
    superroot_socket::serve(listener, router::router(api), bounds, shutdown)
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
    let bounds = bounds(&api);
    superroot_socket::serve_secured(listener, tls, router::router(api), bounds, shutdown)
}

/// As [`serve`], of [`router_without_accounts`](crate::router_without_accounts): for benchmarks.
#[doc(hidden)]
pub fn serve_without_accounts(
    listener: TcpListener,
    api: Api,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Serving {
    let bounds = Bounds { connections_max: usize::MAX, ..bounds(&api) };
    superroot_socket::serve(listener, router::router_without_accounts(api), bounds, shutdown)
}

/// A connection is closed where no request came and nothing of an answer could be written for longer than any
/// request may take.
fn bounds(api: &Api) -> Bounds {
    Bounds {
        idle: SLACK.saturating_add(Duration::from_millis(api.config.request_timeout_ms)),
        connections_max: api.config.connections_max,
        unbounded: api.config.trusted_proxies.clone(),
    }
}
