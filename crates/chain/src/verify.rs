//! Verification gate: from an untrusted block to a verified block.

use superroot_proof::ledger::Header;
use superroot_types::{BlockNumber, ErrorKind, Family};

use crate::aptos::RawAptosBlock;
use crate::bitcoin::RawBitcoinBlock;
use crate::block::VerifiedBlock;
use crate::cosmos::RawCosmosBlock;
use crate::error::{BlockCheck, ChainError};
use crate::evm::raw::RawEvmBlock;
use crate::icp::RawIcpBlock;
use crate::ledger::Ledger;
use crate::polkadot::RawPolkadotBlock;
use crate::registry::ChainSpec;
use crate::solana::RawSolanaBlock;
use crate::sui::RawSuiBlock;
use crate::tron::RawTronBlock;
use crate::{aptos, bitcoin, cosmos, evm, icp, polkadot, solana, sui, tron};

/// Block from a source, of any family, not trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UntrustedBlock {
    Evm(Box<RawEvmBlock>),
    Bitcoin(Box<RawBitcoinBlock>),
    Cosmos(Box<RawCosmosBlock>),
    Icp(Box<RawIcpBlock>),
    Aptos(Box<RawAptosBlock>),
    Polkadot(Box<RawPolkadotBlock>),
    Tron(Box<RawTronBlock>),
    Sui(Box<RawSuiBlock>),
    Solana(Box<RawSolanaBlock>),
}

/// Recomputes the hash and the trees of a block. The result is bound by the chain's own hash function; whether the
/// chain kept the block is a question of finality.
///
/// # Errors
/// [`ChainError`] naming the first field that is missing, out of range or inconsistent; [`ChainError::NotCollected`] if
/// this build reads no blocks of the chain.
pub fn verify(row: &ChainSpec, untrusted: &UntrustedBlock) -> Result<VerifiedBlock, ChainError> {
    match untrusted {
        UntrustedBlock::Evm(untrusted) => evm::verify::verify(row, untrusted),
        UntrustedBlock::Aptos(untrusted) => aptos::verify::verify(row, untrusted),
        UntrustedBlock::Bitcoin(untrusted) => bitcoin::verify::verify(row, untrusted),
        UntrustedBlock::Cosmos(untrusted) => cosmos::verify::verify(row, untrusted),
        UntrustedBlock::Icp(untrusted) => icp::verify::verify(row, untrusted),
        UntrustedBlock::Polkadot(untrusted) => polkadot::verify::verify(row, untrusted),
        UntrustedBlock::Tron(untrusted) => tron::verify::verify(row, untrusted),
        UntrustedBlock::Sui(untrusted) => sui::verify::verify(row, untrusted),
        UntrustedBlock::Solana(untrusted) => solana::verify::verify(row, untrusted),
    }
}

/// Refuses a recorded EVM block with transactions signed for another chain: two or more typed transactions, all naming
/// another chain. No hash names the header's chain, and a recording has no chain id to ask a node for.
///
/// # Errors
/// [`BlockCheck::ChainId`].
pub fn check_recorded_chain(row: &ChainSpec, block: &VerifiedBlock) -> Result<(), ChainError> {
    match block.transactions() {
        Some(leaves) if row.family() == Family::Evm => {
            evm::verify::refuse_another_chain(row, leaves)
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

impl UntrustedBlock {
    /// Reduced versions of the block, most body parts first, header alone last; empty for an indivisible block.
    fn with_fewer_parts(&self) -> Vec<Self> {
        match self {
            Self::Evm(raw) => raw.with_fewer_parts().into_iter().map(Self::evm).collect(),
            Self::Bitcoin(raw) => {
                let header = raw.bytes.get(..superroot_proof::ledger::bitcoin::HEADER_BYTES);
                let header = header.map(|bytes| RawBitcoinBlock {
                    number: raw.number,
                    hash: raw.hash,
                    bytes: bytes.to_vec(),
                });
                header.map(Box::new).map(Self::Bitcoin).into_iter().collect()
            }
            Self::Cosmos(raw) => {
                let hash = raw.hash;
                let header = raw.header.clone();
                vec![Self::Cosmos(Box::new(RawCosmosBlock { hash, header, txs: None }))]
            }
            Self::Aptos(raw) => {
                vec![Self::Aptos(Box::new(RawAptosBlock { versions: None, ..**raw }))]
            }
            Self::Polkadot(raw) => {
                let with = |extrinsics| {
                    let hash = raw.hash;
                    let header = raw.header.clone();
                    let block = RawPolkadotBlock { hash, header, extrinsics, read_proof: None };
                    Self::Polkadot(Box::new(block))
                };
                vec![with(raw.extrinsics.clone()), with(None)]
            }
            Self::Tron(raw) => {
                let number = raw.number;
                let hash = raw.hash;
                let header = raw.header.clone();
                let transactions = None;
                vec![Self::Tron(Box::new(RawTronBlock { number, hash, header, transactions }))]
            }
            Self::Sui(raw) => {
                let digest = raw.digest;
                let summary = raw.summary.clone();
                let certificate = raw.certificate.clone();
                let block = RawSuiBlock { digest, summary, certificate, contents: None };
                vec![Self::Sui(Box::new(block))]
            }
            Self::Solana(raw) => {
                vec![Self::Solana(Box::new(RawSolanaBlock { entries: None, ..**raw }))]
            }
            // the block is its own header
            Self::Icp(_) => Vec::new(),
        }
    }

    fn evm(raw: RawEvmBlock) -> Self {
        Self::Evm(Box::new(raw))
    }
}

/// Checks a header against previous headers; `before` returns a stored header by number. Checks that need a missing
/// header are skipped, and ledgers without [`Ledger::has_due_headers`] have no such checks.
///
/// # Errors
/// [`ChainError::Mismatch`] for a value that differs from the due value.
pub fn check_due(
    row: &ChainSpec,
    number: BlockNumber,
    header: &Header,
    before: impl Fn(BlockNumber) -> Option<Header>,
) -> Result<(), ChainError> {
    // each ledger by its name: a new one whose headers are due cannot be forgotten here
    match &row.ledger {
        Ledger::Bitcoin(params) => {
            let Header::Bitcoin(header) = header else {
                return Ok(()); // of another ledger: nothing here is due for it
            };
            bitcoin::check_due(params, number, header, |number| match before(number)? {
                Header::Bitcoin(header) => Some(header),
                _ => None,
            })
        }
        Ledger::Evm(_)
        | Ledger::Cosmos(_)
        | Ledger::Icp(_)
        | Ledger::Aptos(_)
        | Ledger::Polkadot(_)
        | Ledger::Tron(_)
        | Ledger::Sui(_)
        | Ledger::Solana(_) => Ok(()),
    }
}
