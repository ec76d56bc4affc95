use superroot_proof::ledger::Body;
use superroot_proof::ledger::icp::{IcpAccount, Operation, Transaction};

use crate::event::{BlockEvent, topic_of};

pub(super) fn read(
    body: &Body,
    _: &mut dyn Iterator<Item = u32>,
    events: &mut Vec<BlockEvent>,
) -> Result<(), String> {
    for (tx_index, leaf) in (0..).zip(body.transaction_leaves().unwrap_or_default()) {
        let transaction = Transaction::decode(leaf).map_err(|error| error.to_string())?;
        let (name, accounts) = parts(&transaction.operation);
        let accounts = accounts.into_iter().flatten();
        events.push(BlockEvent {
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

/// Operation name, as in answers, and the accounts whose tokens move.
fn parts(operation: &Operation) -> (&'static str, [Option<IcpAccount>; 3]) {
    match *operation {
        Operation::Burn { from, spender, .. } => ("burn", [Some(from), spender, None]),
        Operation::Mint { to, .. } => ("mint", [Some(to), None, None]),
        Operation::Transfer { from, to, spender, .. } => {
            ("transfer", [Some(from), Some(to), spender])
        }
        Operation::Approve { from, spender, .. } => ("approve", [Some(from), Some(spender), None]),
    }
}
