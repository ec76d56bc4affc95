//! Chain finality, and reorganisations.

use superroot_wire::grpc::{
    ChainFinality, GetFinalityRequest, ListFinalityRequest, ListFinalityResponse,
    ListRetractionsRequest, ListRetractionsResponse, Proof, ProveFinalityRequest,
};
use superroot_wire::proof::ProofTarget;
use tonic::Response;

use super::answer::{Answered, about, live};
use super::asked::GrpcCaller;
use super::proofs::{Options, prove};
use super::read;
use crate::finality::{load_all, load_moving};
use crate::proof::question::ProofQuestion;
use crate::service::{Api, Shared, retraction};

pub(super) async fn get_finality(
    service: Shared,
    asked: GrpcCaller,
    message: GetFinalityRequest,
) -> Answered<ChainFinality> {
    let row = read::chain(&service.api, &message.chain)?.clone();
    let chain = row.key();
    asked.caller.check_chain(chain)?;
    let latest = service.latest()?;
    let load = move |api: &Api| {
        let finality = load_moving(api, &row, &latest)?;
        Ok(ChainFinality { v5_anchor: live(api, Some(chain)), ..finality.into() })
    };
    Ok(about(chain, service.blocking(load).await?))
}

pub(super) async fn list_finality(
    service: Shared,
    _: GrpcCaller,
    _: ListFinalityRequest,
) -> Answered<ListFinalityResponse> {
    let load = |api: &Api| {
        let list = load_all(api)?;
        Ok(ListFinalityResponse { v5_anchor: live(api, None), ..list.into() })
    };
    Ok(Response::new(service.blocking(load).await?))
}

pub(super) async fn prove_finality(
    service: Shared,
    asked: GrpcCaller,
    message: ProveFinalityRequest,
) -> Answered<Proof> {
    asked.wait(message.wait_seconds)?;
    let chain = read::chain(&service.api, &message.chain)?.key();
    let target = ProofTarget::Block(read::block(message.block)?);
    let question = ProofQuestion { is_about_finality: true, ..ProofQuestion::new(chain, target) };
    let root = message.root.as_deref();
    let sequence = message.sequence;
    let note = message.note;
    let wait_seconds = message.wait_seconds;
    let finality = message.finality.as_ref();
    let options = Options { root, sequence, note, level: None, wait_seconds, finality };
    prove(&service, &asked.caller, question, &options).await
}

pub(super) async fn list_retractions(
    service: Shared,
    asked: GrpcCaller,
    message: ListRetractionsRequest,
) -> Answered<ListRetractionsResponse> {
    let chain = read::chain(&service.api, &message.chain)?.key();
    asked.caller.check_chain(chain)?;
    let load = move |api: &Api| {
        let retractions = api.retractions(chain)?;
        let retractions = retractions.iter().map(|one| retraction::body(chain, one).into());
        let retractions = retractions.collect();
        Ok(ListRetractionsResponse { retractions, v5_anchor: live(api, Some(chain)) })
    };
    Ok(about(chain, service.blocking(load).await?))
}
