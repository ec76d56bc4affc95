//! What a method answers with, and what the edge has to know of it.

use std::sync::Arc;

use superroot_accumulate::Published;
use superroot_types::ChainKey;
use superroot_wire::grpc::V5Anchor;
use tokio::sync::OwnedSemaphorePermit;
use tonic::{Code, Response, Status};

use crate::ApiError;
use crate::answer::{About, Room};
use crate::service::Api;

/// What every method gives.
pub(super) type Answered<T> = Result<Response<T>, Status>;

impl From<ApiError> for Status {
    /// A status that the edge writes: only there the request is known.
    fn from(error: ApiError) -> Self {
        let mut status = Self::new(Code::Unknown, "");
        status.set_source(Arc::new(error));
        status
    }
}

/// A good answer about that chain, which is counted for it.
pub(super) fn about<T>(chain: ChainKey, message: T) -> Response<T> {
    let mut response = Response::new(message);
    response.extensions_mut().insert(About(chain));
    response
}

/// A good answer that takes room until it is sent.
pub(super) fn taking<T>(room: OwnedSemaphorePermit, message: T) -> Response<T> {
    let mut response = Response::new(message);
    response.extensions_mut().insert(Room(Arc::new(room)));
    response
}

/// The anchor of an answer that stands on that SuperRoot.
pub(super) fn anchored(
    api: &Api,
    published: &Published,
    chain: Option<ChainKey>,
) -> Option<V5Anchor> {
    Some(api.anchor(published, chain, false).into())
}

/// The anchor of an answer about now; none before the first SuperRoot.
pub(super) fn live(api: &Api, chain: Option<ChainKey>) -> Option<V5Anchor> {
    let latest = api.prover.latest()?;
    Some(api.anchor(&latest, chain, true).into())
}
