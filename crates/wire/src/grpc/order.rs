//! Messages for orders across chains.

use super::parts::{all, hash};
use super::{
    Order, OrderAmount, OrderAwaits, OrderDeadlines, OrderEvent, OrderLeg, OrderLegCount,
    OrderStuck, OrderTransition, OrderWrapper,
};
use crate::order;

impl From<order::OrderEvent> for OrderEvent {
    fn from(body: order::OrderEvent) -> Self {
        Self {
            chain_id: body.chain_id.0,
            block_number: body.block_number.0,
            block_timestamp: body.block_timestamp,
            tx_hash: body.tx_hash.map(hash),
            tx_index: body.tx_index,
            log_index: body.log_index,
            event: body.event,
            finality: body.finality.to_owned(),
            anchor_status: body.anchor_status.to_owned(),
            proof_url: body.proof_url,
        }
    }
}

impl From<order::OrderAmount> for OrderAmount {
    fn from(body: order::OrderAmount) -> Self {
        Self {
            name: body.name,
            amount: body.amount,
            chain_id: body.chain_id.map(|id| id.0),
            token: body.token,
            symbol: body.symbol,
            decimals: body.decimals.map(u32::from),
        }
    }
}

impl From<order::OrderLeg> for OrderLeg {
    fn from(body: order::OrderLeg) -> Self {
        Self {
            kind: body.kind.to_owned(),
            event: Some(body.event.into()),
            amounts: all(body.amounts),
            mismatch: body.mismatch.map(str::to_owned),
        }
    }
}

impl From<order::OrderLegCount> for OrderLegCount {
    fn from(body: order::OrderLegCount) -> Self {
        Self { kind: body.kind.to_owned(), count: body.count as u64, is_at_least: body.is_at_least }
    }
}

impl From<order::OrderTransition> for OrderTransition {
    fn from(body: order::OrderTransition) -> Self {
        Self {
            state: body.state.to_owned(),
            at: body.at,
            chain_id: body.chain_id.map(|id| id.0),
            tx_hash: body.tx_hash.map(hash),
            log_index: body.log_index,
            proof_url: body.proof_url,
            anchor_status: body.anchor_status.map(str::to_owned),
        }
    }
}

impl From<order::OrderDeadlines> for OrderDeadlines {
    fn from(body: order::OrderDeadlines) -> Self {
        Self { fill: body.fill, swap: body.swap }
    }
}

impl From<order::OrderAwaits> for OrderAwaits {
    fn from(body: order::OrderAwaits) -> Self {
        Self {
            event: body.event,
            chain_id: body.chain_id.map(|id| id.0),
            before: body.before,
            proof: body.proof.to_owned(),
            why: body.why,
        }
    }
}

impl From<order::OrderStuck> for OrderStuck {
    fn from(body: order::OrderStuck) -> Self {
        Self { reason: body.reason, detail: body.detail }
    }
}

impl From<order::OrderWrapper> for OrderWrapper {
    fn from(body: order::OrderWrapper) -> Self {
        Self { protocol: body.protocol, id: body.id }
    }
}

impl From<order::OrderStatus> for Order {
    fn from(body: order::OrderStatus) -> Self {
        Self {
            order_id: body.order_id,
            protocol: body.protocol,
            state: body.state.to_owned(),
            terminal: body.terminal,
            deciding: body.deciding.map(str::to_owned),
            also_named: body.also_named,
            origin: body.origin.map(Into::into),
            origin_chain_id: body.origin_chain_id.map(|id| id.0),
            destination_chain_id: body.destination_chain_id.map(|id| id.0),
            legs: all(body.legs),
            leg_counts: all(body.leg_counts),
            is_cut: body.is_cut,
            identical_count: body.identical_count as u64,
            transitions: all(body.transitions),
            amounts: all(body.amounts),
            deadlines: Some(body.deadlines.into()),
            next_expected: body.next_expected.map(Into::into),
            stuck: body.stuck.map(Into::into),
            wrappers: all(body.wrappers),
            v5_anchor: None,
        }
    }
}
