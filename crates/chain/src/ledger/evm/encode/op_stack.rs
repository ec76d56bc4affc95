//! OP stack deposits: unsigned entries taken over from the L1. Source: `op-geth` `core/types/deposit_tx.go`;
//! specs.optimism.io, "Deposits".

use super::items::Items;
use super::needed;
use crate::error::ChainError;
use crate::ledger::evm::raw::RawEvmTransaction;

pub(super) const DEPOSIT: u8 = 0x7e;

pub(super) fn deposit(raw: &RawEvmTransaction) -> Result<Vec<u8>, ChainError> {
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
