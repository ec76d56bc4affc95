//! Everything around a handler: sockets, layers, keys, limits, counts and rendering.

mod answering;
mod client_address;
mod coding;
mod connection;
mod gate;
mod grpc;
mod handling;
mod head;
mod key;
mod limit_headers;
mod meter;
mod paths;
mod payment;
mod render;
mod request;
mod request_id;
mod router;
mod rpc;
mod sizes;

pub(crate) use gate::prefix_of;
pub(crate) use grpc::Patience;
pub(crate) use payment::due;
pub(crate) use render::problem_of;
pub(crate) use request_id::RequestId;

pub use connection::{serve, serve_secured, serve_without_accounts};
pub use router::{metrics_router, router, router_without_accounts};
