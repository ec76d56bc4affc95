use superroot_proof::ledger::Body;
use superroot_proof::ledger::bitcoin::Transaction;

use crate::event::BlockEvent;

pub(super) fn read(
    body: &Body,
    _: &mut dyn Iterator<Item = u32>,
    events: &mut Vec<BlockEvent>,
) -> Result<(), String> {
    let Body::Bitcoin(tree) = body else { return Ok(()) };
    for (tx_index, (leaf, hash)) in (0..).zip(tree.leaves().iter().zip(tree.hashes())) {
        let transaction = Transaction::decode(leaf).map_err(|error| error.to_string())?;
        events.extend((0..).zip(transaction.outputs).map(|(log_index, output)| BlockEvent {
            tx_index,
            log_index,
            transaction_hash: Some(*hash),
            addresses: vec![output.script_pubkey],
            topics: Vec::new(),
            data: Some(output.value_sats.to_be_bytes().to_vec()),
        }));
    }
    Ok(())
}
