//! The gate: from a block as a source gave it to a verified one.

use crate::block::{UntrustedBlock, VerifiedBlock};
use crate::error::ChainError;
use crate::registry::ChainRow;

/// Recomputes the hash and the trees of a block of that chain. What comes back is what the chain's
/// own hash function binds; whether the chain kept the block is a matter of finality.
///
/// # Errors
/// [`ChainError`] naming the first field that is missing, out of range or not what follows from
/// the others; [`ChainError::NotCollected`] when this build reads no blocks of the chain.
pub fn verify(row: &ChainRow, untrusted: &UntrustedBlock) -> Result<VerifiedBlock, ChainError> {
    match untrusted {
        UntrustedBlock::Evm(untrusted) => crate::evm::verify::verify(row, untrusted),
        UntrustedBlock::Bitcoin(untrusted) => crate::bitcoin::verify::verify(row, untrusted),
    }
}
