//! Sets of signers, and steps between sets.

use superroot_wire::grpc::{
    GetLightClientRequest, GetLightClientSetRequest, GetLightClientSetResponse, LightClient,
    ListLightClientStepsRequest, ListLightClientStepsResponse,
};

use super::answer::{Answered, about, live};
use super::asked::GrpcCaller;
use super::read;
use crate::finality::light_client::{EXPECTED, load_client, load_set, load_steps};
use crate::service::{Api, Shared};

pub(super) async fn get_client(
    service: Shared,
    asked: GrpcCaller,
    message: GetLightClientRequest,
) -> Answered<LightClient> {
    let row = read::chain(&service.api, &message.chain)?.clone();
    let chain = row.key();
    asked.caller.check_chain(chain)?;
    let load = move |api: &Api| {
        let client = load_client(api, &row)?;
        Ok(LightClient { v5_anchor: live(api, Some(chain)), ..client.into() })
    };
    Ok(about(chain, service.blocking(load).await?))
}

pub(super) async fn get_set(
    service: Shared,
    asked: GrpcCaller,
    message: GetLightClientSetRequest,
) -> Answered<GetLightClientSetResponse> {
    let row = read::chain(&service.api, &message.chain)?.clone();
    let chain = row.key();
    asked.caller.check_chain(chain)?;
    let number = message.number;
    read::bounded("number", Some(number), EXPECTED)?;
    let load = move |api: &Api| {
        let set = Some(load_set(api, &row, number)?.into());
        Ok(GetLightClientSetResponse { set, v5_anchor: live(api, Some(chain)) })
    };
    Ok(about(chain, service.blocking(load).await?))
}

pub(super) async fn list_steps(
    service: Shared,
    asked: GrpcCaller,
    message: ListLightClientStepsRequest,
) -> Answered<ListLightClientStepsResponse> {
    let row = read::chain(&service.api, &message.chain)?.clone();
    let chain = row.key();
    asked.caller.check_chain(chain)?;
    let from = message.from;
    read::bounded("from", Some(from), EXPECTED)?;
    let load = move |api: &Api| {
        let steps = load_steps(api, &row, from)?;
        Ok(ListLightClientStepsResponse { v5_anchor: live(api, Some(chain)), ..steps.into() })
    };
    Ok(about(chain, service.blocking(load).await?))
}
