//! Order body.

use superroot_order::{Leg, LegKind, ListedLeg, Order, OrderToken, ProtocolTable, TokenAmount};
use superroot_store::read;
use superroot_types::{BlockNumber, ChainId, ChainKey};
use superroot_wire::order::{
    OrderAmount, OrderAwaits, OrderDeadlines, OrderEvent, OrderLeg, OrderLegCount, OrderStatus,
    OrderStuck, OrderTransition, OrderWrapper,
};
use superroot_wire::paths;

use crate::ApiError;
use crate::service::Api;

pub(super) fn status(
    api: &Api,
    order: &Order,
    also_named: Vec<String>,
) -> Result<OrderStatus, ApiError> {
    let legs = list_legs(api, order)?;
    let counts = order.counts.iter();
    let stuck = order.stuck.as_ref();
    Ok(OrderStatus {
        order_id: order.id.clone(),
        protocol: order.protocol.clone(),
        state: order.state.name(),
        terminal: order.is_terminal,
        deciding: order.is_decided_at_head.then_some("head"),
        origin: order.opening.and_then(|place| legs.get(place)).map(|leg| leg.event.clone()),
        origin_chain_id: order.origin.map(ChainId),
        destination_chain_id: order.destination.map(ChainId),
        transitions: list_transitions(order, &legs),
        leg_counts: counts
            .map(|(kind, count, is_at_least)| OrderLegCount {
                kind: kind.name(),
                count: *count,
                is_at_least: *is_at_least,
            })
            .collect(),
        is_cut: order.is_cut,
        identical_count: order.identical,
        amounts: amounts(order),
        deadlines: OrderDeadlines { fill: order.deadline, swap: order.swap_deadline },
        next_expected: order.next.as_ref().map(|next| OrderAwaits {
            event: next.event.clone(),
            chain_id: next.chain.map(ChainId),
            before: next.before,
            proof: if next.not_provable.is_some() { "not_provable" } else { "provable" },
            why: next.not_provable.clone(),
        }),
        stuck: stuck
            .map(|stuck| OrderStuck { reason: stuck.reason.clone(), detail: stuck.detail.clone() }),
        wrappers: wrappers(order),
        also_named,
        legs,
    })
}

fn list_legs(api: &Api, order: &Order) -> Result<Vec<OrderLeg>, ApiError> {
    let mut reach = ChainTips::default();
    let mut legs = Vec::with_capacity(order.legs.len());
    for ListedLeg { leg, mismatch } in &order.legs {
        legs.push(OrderLeg {
            kind: leg.kind.name(),
            event: event(leg, reach.finality(api, leg)?),
            amounts: leg.amounts.iter().filter_map(|amount| shown(leg, amount)).collect(),
            mismatch: *mismatch,
        });
    }
    Ok(legs)
}

fn list_transitions(order: &Order, legs: &[OrderLeg]) -> Vec<OrderTransition> {
    let transitions = order.transitions.iter().map(|transition| {
        let event = transition.leg.and_then(|place| legs.get(place)).map(|leg| &leg.event);
        OrderTransition {
            state: transition.state.name(),
            at: transition.at,
            chain_id: event.map(|event| event.chain_id),
            tx_hash: event.and_then(|event| event.tx_hash),
            log_index: event.map(|event| event.log_index),
            proof_url: event.map(|event| event.proof_url.clone()),
            anchor_status: event.map(|event| event.anchor_status),
        }
    });
    transitions.collect()
}

/// Anchored and final block numbers, loaded once per chain.
#[derive(Default)]
struct ChainTips(Vec<(ChainKey, Option<BlockNumber>, Option<BlockNumber>)>);

impl ChainTips {
    fn finality(&mut self, api: &Api, leg: &Leg) -> Result<&'static str, ApiError> {
        let chain = leg.place.chain;
        let known = self.0.iter().find(|(one, ..)| *one == chain).copied();
        let (_, anchored, is_final) = match known {
            Some(known) => known,
            None => {
                let loaded = load(api, chain)?;
                self.0.push(loaded);
                loaded
            }
        };
        let reaches = |tip: Option<BlockNumber>| tip.is_some_and(|tip| leg.place.number <= tip);
        Ok(match (reaches(anchored), reaches(is_final)) {
            (true, _) => "anchored",
            (false, true) => "finalized",
            (false, false) => "head",
        })
    }
}

/// Last anchored and last final block of a chain, without withdrawn blocks.
fn load(
    api: &Api,
    chain: ChainKey,
) -> Result<(ChainKey, Option<BlockNumber>, Option<BlockNumber>), ApiError> {
    let last = match api.not_final_from(chain)? {
        Some(BlockNumber(0)) => return Ok((chain, None, None)),
        from => from.map(|from| BlockNumber(from.0 - 1)),
    };
    let stands = |number: BlockNumber| last.map_or(number, |last| last.min(number));
    let latest = api.prover.latest();
    let anchored = latest.and_then(|latest| api.anchored(&latest, chain));
    let state = read::load_chain_state(api.prover.store(), chain);
    let state = state.map_err(ApiError::of_store)?;
    let is_final = state.and_then(|state| state.indexed).map(|tip| stands(tip.number));
    Ok((chain, anchored.map(|anchored| stands(anchored.number)), is_final))
}

fn event(leg: &Leg, finality: &'static str) -> OrderEvent {
    let place = leg.place;
    let chain_id = place.chain.id;
    let block_number = place.number;
    let tx_index = place.tx_index;
    let log_index = place.log_index;
    OrderEvent {
        chain_id,
        block_number,
        block_timestamp: leg.at.0,
        tx_hash: leg.tx_hash,
        tx_index,
        log_index,
        event: ProtocolTable::builtin().event_name(leg).unwrap_or_default().to_owned(),
        finality,
        anchor_status: if finality == "anchored" { "anchored" } else { "pending" },
        proof_url: paths::event_proof(chain_id, block_number, tx_index, log_index),
    }
}

fn shown(leg: &Leg, amount: &TokenAmount) -> Option<OrderAmount> {
    let table = ProtocolTable::builtin();
    let (token, address) = match amount.token {
        None => (None, None),
        Some(OrderToken::Native) => (Some("native".to_owned()), Some(None)),
        Some(OrderToken::Contract(address)) => {
            (Some(format!("0x{}", const_hex::encode(address))), Some(Some(address)))
        }
        Some(OrderToken::Wide(token)) => (Some(token.to_string()), None),
    };
    let known = amount.chain.zip(address).and_then(|(chain, address)| table.token(chain, address));
    Some(OrderAmount {
        name: table.amount_name(leg, amount)?.to_owned(),
        amount: amount.value.to_string(),
        chain_id: amount.chain.map(ChainId),
        token,
        symbol: known.map(|known| known.symbol.to_owned()),
        decimals: known.map(|known| known.decimals),
    })
}

/// Amounts by name: from the opening, then from the newest other valid leg.
fn amounts(order: &Order) -> Vec<OrderAmount> {
    let opening = order.opening.and_then(|place| order.legs.get(place));
    let others = order.legs.iter().rev().filter(|one| one.leg.kind != LegKind::Wrapped);
    let mut amounts: Vec<OrderAmount> = Vec::new();
    for ListedLeg { leg, mismatch } in opening.into_iter().chain(others) {
        if mismatch.is_some() {
            continue;
        }
        for amount in leg.amounts.iter().filter_map(|amount| shown(leg, amount)) {
            if !amounts.iter().any(|known| known.name == amount.name) {
                amounts.push(amount);
            }
        }
    }
    amounts
}

fn wrappers(order: &Order) -> Vec<OrderWrapper> {
    let of_legs = order.legs.iter().filter_map(|one| one.leg.wrapper.as_ref());
    let mut wrappers: Vec<OrderWrapper> = of_legs
        .filter_map(|(protocol, id)| {
            let protocol = ProtocolTable::builtin().name_of(*protocol)?.to_owned();
            Some(OrderWrapper { protocol, id: id.clone() })
        })
        .collect();
    wrappers.dedup();
    wrappers
}
