//! How far chains are final, and what was taken back.

use superroot_wire::grpc::finality_server::Finality;
use superroot_wire::grpc::{
    ChainFinality, GetFinalityRequest, ListFinalityRequest, ListFinalityResponse,
    ListRetractionsRequest, ListRetractionsResponse, Proof, ProveFinalityRequest,
};
use tonic::{Request, Response};

use super::Face;
use super::answer::{Answered, about, live, open, open_waiting};
use super::proofs::{Options, prove};
use super::read;
use crate::finality::{load_all, load_moving};
use crate::proof::question::Target;
use crate::service::{Api, retraction};

#[tonic::async_trait]
impl Finality for Face {
    async fn get_finality(&self, request: Request<GetFinalityRequest>) -> Answered<ChainFinality> {
        let (message, caller) = open(request)?;
        let row = read::chain(&self.0.api, &message.chain)?.clone();
        let chain = row.key();
        caller.check_chain(chain)?;
        let latest = self.0.latest()?;
        let load = move |api: &Api| {
            let finality = load_moving(api, &row, &latest)?;
            Ok(ChainFinality { v5_anchor: live(api, Some(chain)), ..finality.into() })
        };
        Ok(about(chain, self.0.blocking(load).await?))
    }

    async fn list_finality(
        &self,
        _request: Request<ListFinalityRequest>,
    ) -> Answered<ListFinalityResponse> {
        let load = |api: &Api| {
            let list = load_all(api)?;
            Ok(ListFinalityResponse { v5_anchor: live(api, None), ..list.into() })
        };
        Ok(Response::new(self.0.blocking(load).await?))
    }

    async fn prove_finality(&self, request: Request<ProveFinalityRequest>) -> Answered<Proof> {
        let (message, caller) = open_waiting(request, |message| message.wait_seconds)?;
        let row = read::chain(&self.0.api, &message.chain)?;
        let target = Target::Block(read::block(message.block)?);
        let (root, sequence) = (message.root.as_deref(), message.sequence);
        let (note, wait_seconds) = (message.note, message.wait_seconds);
        let options = Options { root, sequence, note, level: None, wait_seconds };
        prove(&self.0, &caller, row, target, &options, true).await
    }

    async fn list_retractions(
        &self,
        request: Request<ListRetractionsRequest>,
    ) -> Answered<ListRetractionsResponse> {
        let (message, caller) = open(request)?;
        let chain = read::chain(&self.0.api, &message.chain)?.key();
        caller.check_chain(chain)?;
        let load = move |api: &Api| {
            let retractions = api.retractions(chain)?;
            let retractions = retractions.iter().map(|one| retraction::body(chain, one).into());
            let retractions = retractions.collect();
            Ok(ListRetractionsResponse { retractions, v5_anchor: live(api, Some(chain)) })
        };
        Ok(about(chain, self.0.blocking(load).await?))
    }
}
