//! Events emitted by Move code.

use superroot_proof::ledger::Body;
use superroot_proof::ledger::sui::{SuiCheckpoint, read_events};

use crate::event::{BlockEvent, topic_of};

pub(super) fn read(
    body: &Body,
    held: &mut dyn Iterator<Item = u32>,
    events: &mut Vec<BlockEvent>,
) -> Result<(), String> {
    let Body::Sui(checkpoint) = body else { return Ok(()) };
    for tx_index in held {
        read_transaction(checkpoint, tx_index, events)?;
    }
    Ok(())
}

fn read_transaction(
    checkpoint: &SuiCheckpoint,
    tx_index: u32,
    events: &mut Vec<BlockEvent>,
) -> Result<(), String> {
    let Some(raw) = checkpoint.events(tx_index) else { return Ok(()) };
    let read = read_events(raw).map_err(|error| error.to_string())?;
    events.extend((0..).zip(read).map(|(log_index, event)| BlockEvent {
        tx_index,
        log_index,
        transaction_hash: None,
        addresses: vec![event.package.0.to_vec(), event.sender.0.to_vec()],
        topics: vec![topic_of(&event.type_name)],
        data: Some(event.contents),
    }));
    Ok(())
}
