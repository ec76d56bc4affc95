//! Method answers, and their data for the edge.

use std::sync::Arc;

use superroot_accumulate::Published;
use superroot_types::ChainKey;
use superroot_wire::grpc::V5Anchor;
use tokio::sync::OwnedSemaphorePermit;
use tonic::{Code, Response, Status};

use crate::ApiError;
use crate::answer::{AnswerChain, MessageRoom};
use crate::service::Api;

pub(super) type Answered<T> = Result<Response<T>, Status>;

impl From<ApiError> for Status {
    /// Status with the error attached: only the edge knows the request and can render it.
    fn from(error: ApiError) -> Self {
        let mut status = Self::new(Code::Unknown, "");
        status.set_source(Arc::new(error));
        status
    }
}

/// Successful answer about a chain, counted for it.
pub(super) fn about<T>(chain: ChainKey, message: T) -> Response<T> {
    let mut response = Response::new(message);
    response.extensions_mut().insert(AnswerChain(chain));
    response
}

/// Successful answer with a memory permit until sent.
pub(super) fn taking<T>(room: OwnedSemaphorePermit, message: T) -> Response<T> {
    let mut response = Response::new(message);
    response.extensions_mut().insert(MessageRoom(Arc::new(room)));
    response
}

pub(super) fn anchored(
    api: &Api,
    published: &Published,
    chain: Option<ChainKey>,
) -> Option<V5Anchor> {
    Some(api.anchor(published, chain, false).into())
}

/// Anchor for a current answer; `None` before the first SuperRoot.
pub(super) fn live(api: &Api, chain: Option<ChainKey>) -> Option<V5Anchor> {
    let latest = api.prover.latest()?;
    Some(api.anchor(&latest, chain, true).into())
}
