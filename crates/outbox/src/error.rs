//! Errors of the outbox.

use superroot_store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum OutboxError {
    /// The row of the transaction under way, or of the day's fees, cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// 32 bytes that are no secp256k1 key: zero, or the curve's order and above.
    #[error("the bytes are no secp256k1 key")]
    Key,
    /// The key makes no signature of this hash; one in 2^128.
    #[error("the key does not sign the transaction")]
    Unsigned,
}
