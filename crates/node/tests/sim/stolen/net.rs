//! Real sockets, made once a thread: a client and its connections are dear, a service behind them is not.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use superroot_client::Client;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tower::ServiceExt;

/// Who listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Socket {
    Operator,
    Thief,
    Lagging,
}

/// Routes, and whoever asks at the socket where they are served.
type Served = (Arc<Mutex<Router>>, Client);

struct Net {
    runtime: Runtime,
    served: [Served; 3],
}

thread_local! {
    /// Never dropped: a runtime does not end well with its thread.
    static NET: &'static Net = Box::leak(Box::new(Net::new()));
}

impl Net {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let listen = |_| {
            let routes = Arc::new(Mutex::new(Router::new()));
            let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
            let client = Client::new(&format!("http://{}", listener.local_addr().unwrap()));
            let router = Router::new().fallback(current).with_state(routes.clone());
            let (idle, end) = (std::time::Duration::from_secs(600), std::future::pending());
            let bounds = superroot_socket::ConnectionBounds::new(idle, usize::MAX);
            runtime.spawn(superroot_socket::serve(listener, router, bounds, end));
            (routes, client.unwrap())
        };
        let served = [(); 3].map(listen);
        Self { runtime, served }
    }
}

/// Asks whichever service is there at the moment.
async fn current(State(routes): State<Arc<Mutex<Router>>>, request: Request) -> Response {
    let router = routes.lock().unwrap().clone();
    router.oneshot(request).await.unwrap()
}

/// Serves these routes at the socket from now on, and gives a client of it.
pub(crate) fn serve(socket: Socket, router: Router) -> Client {
    NET.with(|net| {
        let (routes, client) = &net.served[socket as usize];
        *routes.lock().unwrap() = router;
        client.clone()
    })
}

/// Waits for what a client does; the services answer meanwhile.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> T {
    NET.with(|net| net.runtime.block_on(work))
}
