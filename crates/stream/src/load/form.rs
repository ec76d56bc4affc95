//! Forms of events and of order steps in answers and streams.

use superroot_index::BlockEvent;
use superroot_order::{ProtocolTable, Step};
use superroot_types::{BlockNumber, ChainId, ChainKey, Hash, UnixSeconds};
use superroot_wire::logs::EventLog;
use superroot_wire::stream::OrderStep;
use superroot_wire::{Hex, paths};

use crate::subscription::DeliveryFinality;

pub(super) fn order_step(
    told: &Step,
    block_hash: Hash,
    finality: DeliveryFinality,
    is_late: bool,
) -> OrderStep {
    let table = ProtocolTable::builtin();
    let leg = &told.leg;
    let (place, chain_id) = (leg.place, leg.place.chain.id);
    OrderStep {
        chain_id,
        is_late,
        order_id: told.order_id.clone(),
        protocol: table.name_of(leg.protocol).unwrap_or_default().to_owned(),
        step: leg.kind.name(),
        mismatch: told.mismatch,
        state: told.state.name(),
        terminal: told.is_terminal,
        is_partial: leg.is_partial,
        event: table.event_name(leg).unwrap_or_default().to_owned(),
        origin_chain_id: leg.origin.map(ChainId),
        destination_chain_id: leg.destination.map(ChainId),
        block_number: place.number,
        block_hash,
        block_timestamp: leg.at,
        transaction_hash: leg.tx_hash,
        transaction_index: place.tx_index,
        log_index: place.log_index,
        finality: finality.name(),
        order_url: paths::order(&told.order_id),
        proof_url: paths::event_proof(chain_id, place.number, place.tx_index, place.log_index),
    }
}

/// Builds an event in the form of answers and streams.
#[must_use]
pub fn event_log(
    chain: ChainKey,
    (number, block_hash, timestamp): (BlockNumber, Hash, UnixSeconds),
    event: BlockEvent,
    finality: &'static str,
) -> EventLog {
    let tx_index = event.tx_index;
    let log_index = event.log_index;
    let mut addresses = event.addresses.into_iter().map(Hex);
    EventLog {
        block_number: number,
        block_hash,
        block_timestamp: timestamp.0,
        transaction_hash: event.transaction_hash,
        transaction_index: tx_index,
        log_index,
        address: addresses.next().unwrap_or(Hex(Vec::new())),
        other_addresses: addresses.collect(),
        topics: event.topics,
        data: Hex(event.data.unwrap_or_default()),
        finality,
        proof_url: paths::event_proof(chain.id, number, tx_index, log_index),
    }
}
