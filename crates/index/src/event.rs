//! Events of stored bodies.

use superroot_chain::ledger::facts;
use superroot_proof::ledger::Body;
use superroot_types::{Family, Hash};

pub use superroot_chain::event::{BlockEvent, topic_of};

#[must_use]
pub const fn is_indexed(family: Family) -> bool {
    facts(family).events.is_some()
}

/// Every event of a body, in block order. `tx_count` is the block's; `holds` tells which entries the body has.
///
/// # Errors
/// The fault in the body, in words.
pub(crate) fn of_body(
    body: &Body,
    tx_count: u32,
    holds: impl Fn(u32) -> bool,
) -> Result<Vec<BlockEvent>, String> {
    let mut held = (0..tx_count).filter(|tx_index| holds(*tx_index));
    let mut events = Vec::new();
    if let Some(form) = facts(body.family()).events {
        (form.read)(body, &mut held, &mut events)?;
    }
    name_transactions(body, &mut events)?;
    Ok(events)
}

fn name_transactions(body: &Body, events: &mut [BlockEvent]) -> Result<(), String> {
    let mut last: Option<(u32, Option<Hash>)> = None;
    for event in events.iter_mut().filter(|event| event.transaction_hash.is_none()) {
        let known = last.filter(|(tx_index, _)| *tx_index == event.tx_index);
        let (_, hash) = match known {
            Some(known) => known,
            None => {
                let hash = body.transaction_hash(event.tx_index);
                (event.tx_index, hash.map_err(|fault| fault.to_string())?)
            }
        };
        (last, event.transaction_hash) = (Some((event.tx_index, hash)), hash);
    }
    Ok(())
}
