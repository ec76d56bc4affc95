//! `GET /events/{order_id}`.

use std::time::Duration;

use axum::extract::State;
use superroot_chain::ChainSpec;
use superroot_order::{Order, OrderQuery, ProtocolTable, load_named, scanned};
use superroot_types::{ChainId, ChainKey, Family};
use superroot_wire::order::{OrderCandidate, OrderScan, OrderStatus};
use tokio::time::Instant;

use super::shape;
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::error::codes::{INVALID_PARAMETER, NOT_FOUND};
use crate::input::{Caller, RequestInput};
use crate::service::{Api, Shared};

/// Poll interval while waiting for an order.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);
pub(crate) const EXPECTED: &str = "0x and 64 hex digits (an order or a transaction), protocol:chain:id of a protocol that \
    docs/orders.md lists, or the number of a deposit";

pub(super) async fn order(
    State(service): State<Shared>,
    caller: Caller,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let text = ask.path("order_id")?.to_owned();
    Ok(ApiAnswer::of(&status(&service, caller, text, ask.wait_seconds()?).await?))
}

/// Order status by name, waiting up to the requested time.
pub(crate) async fn status(
    service: &Shared,
    caller: Caller,
    text: String,
    wait_seconds: u64,
) -> Result<OrderStatus, ApiError> {
    let text = with_chain_id(&service.api, text);
    let asked = OrderQuery::parse(&text);
    let asked = asked
        .filter(OrderQuery::may_be_one)
        .ok_or_else(|| ApiError::parameter("order_id", &text, EXPECTED))?;
    let until = Instant::now() + Duration::from_secs(wait_seconds);
    let mut moves = service.api.hub.moves();
    let mut first: Option<NamedOrder> = None;
    loop {
        let name = text.clone();
        let sought = asked.clone();
        let found = service.blocking(move |api| look(api, &name, &sought)).await;
        let is_awaited = match &found {
            Ok(named) => {
                let is_same = first.as_ref().is_none_or(|first| first == named);
                first.get_or_insert_with(|| named.clone());
                !named.order.is_terminal && is_same
            }
            Err(error) => error.code == NOT_FOUND,
        };
        if is_awaited && Instant::now() < until {
            let moved = tokio::time::timeout_at(until, moves.next());
            let _ = tokio::join!(moved, tokio::time::sleep(LOOK_INTERVAL));
            continue;
        }
        let NamedOrder { order, also } = found?;
        for listed in &order.legs {
            caller.check_chain(listed.leg.place.chain)?;
        }
        return service.blocking(move |api| shape::status(api, &order, also)).await;
    }
}

/// `protocol:chain:id` with the chain's id instead of its name.
fn with_chain_id(api: &Api, text: String) -> String {
    let Some((protocol, rest)) = text.split_once(':') else { return text };
    let Some((chain, id)) = rest.rsplit_once(':') else { return text };
    let is_id = chain.bytes().all(|byte| byte.is_ascii_digit());
    match api.registry.find(chain).filter(|_| !is_id) {
        Some(row) => format!("{protocol}:{}:{id}", row.id),
        None => text,
    }
}

/// Order, and the ids of others with the same requested name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct NamedOrder {
    order: Order,
    also: Vec<String>,
}

/// Returns the only order with this name: contract ids and transactions take precedence over caller-chosen ids.
fn look(api: &Api, text: &str, ask: &OrderQuery) -> Result<NamedOrder, ApiError> {
    let store = api.prover.store();
    let (mut orders, others) = load_named(store, ask).map_err(ApiError::of_store)?;
    let also = others.iter().map(named).collect();
    match orders.len() {
        0 => Err(unknown(api, text, ask)?),
        1 => {
            let order = orders.pop().ok_or_else(ApiError::internal)?;
            Ok(NamedOrder { order, also })
        }
        count => {
            let candidates: Vec<_> = orders.iter().map(candidate).collect();
            let detail = format!(
                "order_id {text} means {count} orders: ask for one of candidates by its order_id, or as \
                 protocol:chain:id"
            );
            let error = ApiError::new(INVALID_PARAMETER, detail).at("order_id");
            Err(error.with("candidates", candidates))
        }
    }
}

/// Unambiguous id for an order that shares its id with another.
fn named(order: &Order) -> String {
    match order.origin {
        Some(origin) if order.id.starts_with("0x") => {
            format!("{}:{origin}:{}", order.protocol, order.id)
        }
        _ => order.id.clone(),
    }
}

fn candidate(order: &Order) -> OrderCandidate {
    OrderCandidate {
        order_id: order.id.clone(),
        protocol: order.protocol.clone(),
        origin_chain_id: order.origin.map(ChainId),
        state: order.state.name(),
    }
}

/// Error for an order without stored legs: reports each chain's scan progress.
fn unknown(api: &Api, text: &str, ask: &OrderQuery) -> Result<ApiError, ApiError> {
    let chains = scanned(api.prover.store()).map_err(ApiError::of_store)?;
    let row = |id: u64| {
        let row = api.registry.by_key(ChainKey { family: Family::Evm, id: ChainId(id) });
        row.map(|(_, row)| row)
    };
    let chains: Vec<_> = chains.into_iter().filter(|(id, ..)| row(*id).is_some()).collect();
    let without_hashes = match ask {
        OrderQuery::Hash(_) => without_hashes(api, chains.iter().filter_map(|(id, ..)| row(*id))),
        OrderQuery::Deposit(_) | OrderQuery::Named(_) => String::new(),
    };
    let scanned: Vec<OrderScan> = chains
        .into_iter()
        .map(|(id, newest_block, is_followed)| OrderScan {
            chain_id: ChainId(id),
            newest_block,
            is_followed,
        })
        .collect();
    let protocols: Vec<&str> = ProtocolTable::builtin().names().collect();
    let followed = scanned.iter().filter(|one| one.is_followed).count();
    let detail = format!(
        "no event of order {text} was seen in any of {} protocols (see protocols). Events of orders are collected on \
         {followed} chains (see scanned); docs/orders.md says how to have them collected{without_hashes}",
        protocols.len()
    );
    Ok(ApiError::new(NOT_FOUND, detail).with("scanned", scanned).with("protocols", protocols))
}

/// Sentence ending: chains with receipts only, where transactions cannot be found.
fn without_hashes<'a>(api: &Api, rows: impl Iterator<Item = &'a ChainSpec>) -> String {
    let lacking = rows.filter(|row| api.lacks_hashes(row.key())).map(|row| row.name.as_str());
    let names = lacking.collect::<Vec<_>>().join(", ");
    if names.is_empty() {
        return names;
    }
    format!(
        "; of some blocks of {names} the receipts alone are held and the hashes of transactions are not: \
         ask for an order there by its id, not by its transaction"
    )
}
