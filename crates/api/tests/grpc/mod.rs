//! Laws of the gRPC face, spoken to by a client of tonic: it says what REST says.

mod contract;
mod equal;
mod hostile;
mod limits;
mod listen;
mod open;
mod read;
mod refusals;
use crate::support;

use axum::Router;
use superroot_account::Tier;
use superroot_wire::grpc::events_client::EventsClient;
use superroot_wire::grpc::finality_client::FinalityClient;
use superroot_wire::grpc::proofs_client::ProofsClient;
use superroot_wire::grpc::super_roots_client::SuperRootsClient;
use support::{Settings, World};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::{Request, Status};

/// Puts a key and a deadline into each request.
#[derive(Clone, Default)]
pub(crate) struct Sends(pub(crate) Vec<(&'static str, String)>);

impl Interceptor for Sends {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        for (name, value) in &self.0 {
            request.metadata_mut().insert(*name, value.parse().unwrap());
        }
        Ok(request)
    }
}

pub(crate) type Calls = InterceptedService<Router, Sends>;

/// A service with a key that may ask by gRPC.
pub(crate) struct Served {
    pub(crate) world: World,
    pub(crate) key: String,
}

impl Served {
    pub(crate) fn new(make: impl FnOnce(Settings) -> World) -> Self {
        let world = make(support::unlimited());
        let key = world.key_of_tier(Tier::Protocol);
        Self { world, key }
    }

    /// Calls with this metadata, without a socket.
    pub(crate) fn with(&self, sent: &[(&'static str, &str)]) -> Calls {
        let sent = sent.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        InterceptedService::new(self.world.router.clone(), Sends(sent))
    }

    fn calls(&self) -> Calls {
        self.with(&[("x-api-key", &self.key)])
    }

    pub(crate) fn proofs(&self) -> ProofsClient<Calls> {
        ProofsClient::new(self.calls())
    }

    pub(crate) fn super_roots(&self) -> SuperRootsClient<Calls> {
        SuperRootsClient::new(self.calls())
    }

    pub(crate) fn finality(&self) -> FinalityClient<Calls> {
        FinalityClient::new(self.calls())
    }

    pub(crate) fn events(&self) -> EventsClient<Calls> {
        EventsClient::new(self.calls())
    }

    /// The good answer of REST to the same key.
    pub(crate) async fn rest(&self, path: &str) -> serde_json::Value {
        self.world.get_with(path, &[("x-api-key", &self.key)]).await.good()
    }
}
