//! The operation of a transaction.

use superroot_proof::ledger::Body;
use superroot_proof::ledger::icp::{AccountId, EncodedBlock, Operation, Transaction};

use super::{Event, topic_of};

pub(super) fn of_block(block: &EncodedBlock, events: &mut Vec<Event>) -> Result<(), String> {
    let body = Body::Icp(block.clone());
    for (tx_index, leaf) in (0..).zip(body.transaction_leaves().unwrap_or_default()) {
        let transaction = Transaction::decode(leaf).map_err(|error| error.to_string())?;
        let (name, accounts) = parts(&transaction.operation);
        let accounts = accounts.into_iter().flatten();
        events.push(Event {
            tx_index,
            log_index: 0,
            transaction_hash: None,
            addresses: accounts.map(|account| account.with_checksum().to_vec()).collect(),
            topics: vec![topic_of(name)],
            data: Some(leaf.clone()),
        });
    }
    Ok(())
}

/// Its name, as answers show it, and whose tokens it moves.
fn parts(operation: &Operation) -> (&'static str, [Option<AccountId>; 3]) {
    match *operation {
        Operation::Burn { from, spender, .. } => ("burn", [Some(from), spender, None]),
        Operation::Mint { to, .. } => ("mint", [Some(to), None, None]),
        Operation::Transfer { from, to, spender, .. } => {
            ("transfer", [Some(from), Some(to), spender])
        }
        Operation::Approve { from, spender, .. } => ("approve", [Some(from), Some(spender), None]),
    }
}
