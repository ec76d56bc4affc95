use superroot_proof::ledger::Body;
use superroot_proof::ledger::evm::{Receipt, Tries};

use crate::event::BlockEvent;

pub(super) fn read(
    body: &Body,
    held: &mut dyn Iterator<Item = u32>,
    events: &mut Vec<BlockEvent>,
) -> Result<(), String> {
    let Body::Evm(tries) = body else { return Ok(()) };
    for tx_index in held {
        read_transaction(tries, tx_index, events)?;
    }
    Ok(())
}

fn read_transaction(
    tries: &Tries,
    tx_index: u32,
    events: &mut Vec<BlockEvent>,
) -> Result<(), String> {
    let Some(receipts) = &tries.receipts else { return Ok(()) };
    let leaf = receipts.leaf(tx_index.into()).map_err(|error| error.to_string())?;
    let leaf = leaf.ok_or_else(|| format!("receipt {tx_index} is gone"))?;
    let logs = Receipt::read_logs(leaf).map_err(|error| error.to_string())?;
    events.extend((0..).zip(logs).map(|(log_index, log)| BlockEvent {
        tx_index,
        log_index,
        transaction_hash: None,
        addresses: vec![log.address.0.to_vec()],
        topics: log.topics,
        data: Some(log.data),
    }));
    Ok(())
}
