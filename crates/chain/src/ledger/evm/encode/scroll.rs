//! Scroll L1 messages. Source: `scroll-tech/go-ethereum` `core/types/l1_message_tx.go`.

use super::items::Items;
use super::needed;
use crate::error::ChainError;
use crate::ledger::evm::raw::RawEvmTransaction;

/// L1 message type; OP stack deposits have the same number.
pub(super) const L1_MESSAGE: u8 = 0x7e;

/// L1 message leaf. Some nodes show the queue index as a nonce, others zero next to the index; some show the sender as
/// `from`. Only `sender` is hashed.
pub(super) fn l1_message(raw: &RawEvmTransaction) -> Result<Vec<u8>, ChainError> {
    let queue_index = needed("queueIndex", raw.queue_index.or(raw.nonce))?;
    let sender = needed("sender", raw.sender.or(raw.from))?;
    let items = Items::default()
        .number(queue_index)
        .number(needed("gas", raw.gas)?)
        .receiver(raw.to.as_ref())
        .word(raw.value)
        .bytes(&raw.input)
        .bytes(&sender.0);
    Ok(items.finish(L1_MESSAGE))
}
