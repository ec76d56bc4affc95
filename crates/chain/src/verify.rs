//! The gate: from a block as a source gave it to a verified one.

use superroot_proof::ledger::Header;
use superroot_types::BlockNumber;

use crate::bitcoin::RawBitcoinBlock;
use crate::block::VerifiedBlock;
use crate::error::ChainError;
use crate::evm::raw::RawEvmBlock;
use crate::ledger::Ledger;
use crate::polkadot::RawPolkadotBlock;
use crate::registry::ChainRow;
use crate::solana::RawSolanaBlock;
use crate::{bitcoin, evm, polkadot, solana};

/// A block as a source gave it, of any family; nothing in it is believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UntrustedBlock {
    /// A block of the EVM family.
    Evm(Box<RawEvmBlock>),
    /// A block of the Bitcoin family.
    Bitcoin(Box<RawBitcoinBlock>),
    /// A block of the Solana family.
    Solana(Box<RawSolanaBlock>),
    /// A block of the Polkadot family.
    Polkadot(Box<RawPolkadotBlock>),
}

/// Recomputes the hash and the trees of a block of that chain. What comes back is what the chain's
/// own hash function binds; whether the chain kept the block is a matter of finality.
///
/// # Errors
/// [`ChainError`] naming the first field that is missing, out of range or not what follows from
/// the others; [`ChainError::NotCollected`] when this build reads no blocks of the chain.
pub fn verify(row: &ChainRow, untrusted: &UntrustedBlock) -> Result<VerifiedBlock, ChainError> {
    match untrusted {
        UntrustedBlock::Evm(untrusted) => evm::verify::verify(row, untrusted),
        UntrustedBlock::Bitcoin(untrusted) => bitcoin::verify::verify(row, untrusted),
        UntrustedBlock::Solana(untrusted) => solana::verify::verify(row, untrusted),
        UntrustedBlock::Polkadot(untrusted) => polkadot::verify::verify(row, untrusted),
    }
}

/// Checks a header against those before it: `before` gives the header of a lower number, as far as it
/// is held. What takes a header that is not held is not checked, and ledgers without
/// [`Ledger::has_due_headers`] have nothing to check.
///
/// # Errors
/// [`ChainError::Mismatch`] of what another value is due for.
pub fn check_due(
    row: &ChainRow,
    number: BlockNumber,
    header: &Header,
    before: impl Fn(BlockNumber) -> Option<Header>,
) -> Result<(), ChainError> {
    match (&row.ledger, header) {
        (Ledger::Bitcoin(params), Header::Bitcoin(header)) => {
            bitcoin::check_due(params, number, header, |number| match before(number)? {
                Header::Bitcoin(header) => Some(header),
                _ => None,
            })
        }
        // the others have nothing to check: see `has_due_headers`
        _ => Ok(()),
    }
}
