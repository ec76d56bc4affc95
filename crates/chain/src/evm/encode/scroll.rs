//! Scroll's L1 messages. Source: `scroll-tech/go-ethereum` `core/types/l1_message_tx.go`.

use super::items::Items;
use super::needed;
use crate::error::ChainError;
use crate::evm::raw::RawTransaction;

/// Type of an L1 message; the OP stack's deposits have the same number.
pub(super) const L1_MESSAGE: u8 = 0x7e;

/// The leaf of an L1 message. Some nodes show its queue index as a nonce, others zero beside it; some show
/// its sender as `from`. What is hashed is `sender`.
pub(super) fn l1_message(raw: &RawTransaction) -> Result<Vec<u8>, ChainError> {
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
