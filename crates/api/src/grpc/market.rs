//! Fees, prices and signals.

use superroot_chain::ChainSpec;
use superroot_types::{BlockRef, ChainKey};
use superroot_wire::grpc::{
    GetGasRequest, GetGasResponse, GetPriceRequest, ListLaunchesRequest, ListLaunchesResponse,
    ListOpportunitiesRequest, ListOpportunitiesResponse, TokenPrice,
};
use tonic::Response;

use super::answer::{Answered, about, anchored, live, taking};
use super::asked::GrpcCaller;
use super::read;
use crate::ApiError;
use crate::gas::answer::fees;
use crate::input::find_chain;
use crate::market::arb::{self, NET_USD_MAX, NET_USD_MIN};
use crate::market::launches::{ListAsk, newest};
use crate::market::price::{PriceAsk, ProvenPrice, TokenAsk, priced, window_seconds};
use crate::service::{Api, Shared};

pub(super) async fn get_gas(
    service: Shared,
    asked: GrpcCaller,
    message: GetGasRequest,
) -> Answered<GetGasResponse> {
    let chain = named(&service.api, &message.chain)?;
    let body = fees(&service, asked.caller, chain).await?;
    let answer = GetGasResponse { v5_anchor: live(&service.api, chain), ..body.into() };
    Ok(match chain {
        Some(chain) => about(chain, answer),
        None => Response::new(answer),
    })
}

pub(super) async fn get_price(
    service: Shared,
    asked: GrpcCaller,
    message: GetPriceRequest,
) -> Answered<TokenPrice> {
    let api = &service.api;
    if message.token.is_empty() {
        return Err(ApiError::missing("token", "an address or a symbol").into());
    }
    let row = read::chain(api, &message.chain)?.clone();
    let chain = row.key();
    let ask = PriceAsk {
        chain: row,
        token: TokenAsk::read(&message.token)?,
        block: read::block_number("block", message.block)?
            .map(BlockRef::Number)
            .or(message.proof.then_some(BlockRef::Latest)),
        window_seconds: window_seconds(api, message.window.map(u64::from))?,
        with_proof: message.proof,
        has_note: message.note,
    };
    let ProvenPrice { body, proven } = priced(&service, &asked.caller, ask).await?;
    let message = TokenPrice::from(body);
    let Some((published, rooms)) = proven else {
        let v5_anchor = live(&service.api, Some(chain));
        return Ok(about(chain, TokenPrice { v5_anchor, ..message }));
    };
    let v5_anchor = anchored(&service.api, &published, Some(chain));
    let mut response = taking(rooms, TokenPrice { v5_anchor, ..message });
    response.extensions_mut().insert(crate::answer::AnswerChain(chain));
    Ok(response)
}

pub(super) async fn list_launches(
    service: Shared,
    asked: GrpcCaller,
    message: ListLaunchesRequest,
) -> Answered<ListLaunchesResponse> {
    let chain = named(&service.api, &message.chain)?;
    let limit = message.limit.map(u64::from);
    let usd_min = message.min_liquidity_usd;
    let ask = ListAsk::of(&service.api, &asked.caller, (chain, message.partial), limit, usd_min)?;
    let body = service.blocking(move |api| newest(api, &ask)).await?;
    let v5_anchor = live(&service.api, None);
    Ok(Response::new(ListLaunchesResponse { v5_anchor, ..body.into() }))
}

pub(super) async fn list_opportunities(
    service: Shared,
    asked: GrpcCaller,
    message: ListOpportunitiesRequest,
) -> Answered<ListOpportunitiesResponse> {
    let least = message.min_net_usd.unwrap_or(NET_USD_MIN);
    if least > NET_USD_MAX {
        let expected = format!("whole US dollars from 0 to {NET_USD_MAX}");
        let got = least.to_string();
        return Err(ApiError::parameter("min_net_usd", &got, expected).into());
    }
    let found = arb::find(&service).await?;
    let body = arb::passing(&found, &asked.caller, &service.api, least);
    let v5_anchor = live(&service.api, None);
    Ok(Response::new(ListOpportunitiesResponse { v5_anchor, ..body.into() }))
}

/// Chain by id or name; `None` for an empty text.
fn named(api: &Api, text: &str) -> Result<Option<ChainKey>, ApiError> {
    let row = read::word(text).map(|text| find_chain(api, "chain", text)).transpose()?;
    Ok(row.map(ChainSpec::key))
}
