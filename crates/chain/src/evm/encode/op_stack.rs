//! The OP stack's deposits: what a rollup takes over from its L1, signed by nobody. Source:
//! `op-geth` `core/types/deposit_tx.go`; specs.optimism.io, "Deposits".

use super::items::Items;
use super::needed;
use crate::error::ChainError;
use crate::evm::raw::RawTransaction;

/// Type of a deposit.
pub(super) const DEPOSIT: u8 = 0x7e;

/// The leaf of a deposit.
pub(super) fn deposit(raw: &RawTransaction) -> Result<Vec<u8>, ChainError> {
    let items = Items::default()
        .bytes(&needed("sourceHash", raw.source_hash)?.0)
        .bytes(&needed("from", raw.from)?.0)
        .receiver(raw.to.as_ref())
        .word(raw.mint.unwrap_or_default())
        .word(raw.value)
        .number(needed("gas", raw.gas)?)
        .flag(raw.is_system_tx.unwrap_or(false))
        .bytes(&raw.input);
    Ok(items.finish(DEPOSIT))
}
