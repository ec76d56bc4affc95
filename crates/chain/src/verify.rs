//! Verification gate: from an untrusted block to a verified block.

use superroot_proof::ledger::Header;
use superroot_types::{BlockNumber, ErrorKind, Family};

use crate::block::VerifiedBlock;
use crate::error::{BlockCheck, ChainError};
use crate::ledger::{self, with_ledgers};
use crate::registry::ChainSpec;

/// Defines the block of any ledger, and its verification.
macro_rules! untrusted_blocks {
    ($($ledger:ident, $folder:ident: $params:ident, $raw:ident;)*) => {
        /// Block from a source, of any family, not trusted.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum UntrustedBlock {
            $($ledger(Box<ledger::$folder::$raw>),)*
        }

        /// Recomputes the hash and the trees of a block. The result is bound by the chain's own hash function; whether
        /// the chain kept the block is a question of finality.
        ///
        /// # Errors
        /// [`ChainError`] naming the first field that is missing, out of range or inconsistent;
        /// [`ChainError::NotCollected`] if this build reads no blocks of the chain.
        pub fn verify(
            row: &ChainSpec,
            untrusted: &UntrustedBlock,
        ) -> Result<VerifiedBlock, ChainError> {
            match untrusted {
                $(UntrustedBlock::$ledger(raw) => ledger::$folder::verify::verify(row, raw),)*
            }
        }

        impl UntrustedBlock {
            /// The block's reduced versions, most body parts first, header alone last; empty for an indivisible block.
            fn with_fewer_parts(&self) -> Vec<Self> {
                match self {
                    $(Self::$ledger(raw) => {
                        let reduced = raw.with_fewer_parts().into_iter();
                        reduced.map(|raw| Self::$ledger(Box::new(raw))).collect()
                    })*
                }
            }
        }
    };
}

with_ledgers!(untrusted_blocks);

/// Refuses a recorded EVM block with transactions signed for another chain: two or more typed transactions, all naming
/// another chain. No hash names the header's chain, and a recording has no chain id to ask a node for.
///
/// # Errors
/// [`BlockCheck::ChainId`].
pub fn check_recorded_chain(row: &ChainSpec, block: &VerifiedBlock) -> Result<(), ChainError> {
    match block.transactions() {
        Some(leaves) if row.family() == Family::Evm => {
            ledger::evm::verify::refuse_another_chain(row, leaves)
        }
        _ => Ok(()),
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecomputedBlock {
    pub block: VerifiedBlock,
    /// Reason why the remaining parts do not recompute; `None` if all parts do.
    pub refused: Option<ChainError>,
}

/// Recomputes a block as [`verify`] does, but keeps the valid parts of a block with a bad body: the header, and each
/// body part under a matching root. [`VerifiedBlock::body_refused`] has the reason for missing parts. One answer does
/// not show whether the sender deviates or the chain has changed rules: ask other sources before accepting the block.
///
/// # Errors
/// As [`verify`], if the header does not recompute or names another chain.
pub fn recompute(
    row: &ChainSpec,
    untrusted: &UntrustedBlock,
) -> Result<RecomputedBlock, ChainError> {
    let refused = match verify(row, untrusted) {
        Ok(block) => return Ok(RecomputedBlock { block, refused: None }),
        // of a header that names another chain nothing is kept
        Err(refused)
            if refused.kind() == ErrorKind::Invalid && refused.check() != BlockCheck::ChainId =>
        {
            refused
        }
        Err(error) => return Err(error),
    };
    let reduced = untrusted.with_fewer_parts();
    match reduced.iter().find_map(|reduced| verify(row, reduced).ok()) {
        Some(block) => {
            let block = block.with_body_refused(refused.to_string());
            Ok(RecomputedBlock { block, refused: Some(refused) })
        }
        None => Err(refused),
    }
}

/// Checks a header against previous headers; `before` returns a stored header by number. Checks that need a missing
/// header are skipped, and ledgers without [`ledger::Ledger::has_due_headers`] have no such checks.
///
/// # Errors
/// [`ChainError::Mismatch`] for a value that differs from the due value.
pub fn check_due(
    row: &ChainSpec,
    number: BlockNumber,
    header: &Header,
    before: impl Fn(BlockNumber) -> Option<Header>,
) -> Result<(), ChainError> {
    row.ledger.check_due(number, header, &before)
}
