//! Fee of the transfer or approval in a ledger block.

use superroot_proof::ledger::Header;
use superroot_proof::ledger::icp::Operation;

use crate::fee::{FeeBlock, FeeRates};

const UNREADABLE: &str = "its block cannot be read";

pub(super) fn read(block: &FeeBlock<'_>) -> Result<FeeRates, &'static str> {
    let rule = block.rule.ok_or(UNREADABLE)?;
    let Ok(Header::Icp(header)) = Header::decode(rule, block.header) else {
        return Err(UNREADABLE);
    };
    let paid = match header.transaction.operation {
        Operation::Transfer { fee_e8s, .. } | Operation::Approve { fee_e8s, .. } => {
            vec![fee_e8s as f64]
        }
        Operation::Burn { .. } | Operation::Mint { .. } => Vec::new(),
    };
    Ok(FeeRates { paid, at_most: None })
}
