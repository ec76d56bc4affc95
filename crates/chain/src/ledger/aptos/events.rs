//! Move events on Aptos.

use superroot_proof::ledger::Body;
use superroot_proof::ledger::aptos::{AptosVersions, Event as AptosEvent};
use superroot_types::Hash;

use crate::event::{BlockEvent, topic_of};

pub(super) fn read(
    body: &Body,
    held: &mut dyn Iterator<Item = u32>,
    events: &mut Vec<BlockEvent>,
) -> Result<(), String> {
    let Body::Aptos(versions) = body else { return Ok(()) };
    held.for_each(|tx_index| read_version(versions, tx_index, events));
    Ok(())
}

fn read_version(versions: &AptosVersions, tx_index: u32, events: &mut Vec<BlockEvent>) {
    let held = versions.events(tx_index).unwrap_or_default();
    events.extend((0..).zip(held).map(|(log_index, raw)| {
        let (addresses, topics, data) = match AptosEvent::decode(raw) {
            Ok(told) => {
                let module = told.module_address.unwrap_or(Hash::ZERO);
                let account = told.handle.map(|handle| handle.account);
                let addresses = [Some(module), account.filter(|account| *account != module)];
                (addresses, vec![topic_of(&told.type_name)], told.data)
            }
            // its root shows that it is there, in a form that is not read here
            Err(_) => ([Some(Hash::ZERO), None], Vec::new(), raw.clone()),
        };
        let addresses = addresses.into_iter().flatten().map(|address| address.0.to_vec());
        BlockEvent {
            tx_index,
            log_index,
            transaction_hash: None,
            addresses: addresses.collect(),
            topics,
            data: Some(data),
        }
    }));
}
