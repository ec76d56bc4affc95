//! The gate: from a block as a source gave it to a verified one.

use superroot_proof::ledger::Header;
use superroot_types::{BlockNumber, ErrorKind, Family};

use crate::aptos::RawAptosBlock;
use crate::bitcoin::RawBitcoinBlock;
use crate::block::VerifiedBlock;
use crate::cosmos::RawCosmosBlock;
use crate::error::{ChainError, Check};
use crate::evm::raw::RawEvmBlock;
use crate::icp::RawIcpBlock;
use crate::ledger::Ledger;
use crate::polkadot::RawPolkadotBlock;
use crate::registry::ChainRow;
use crate::solana::RawSolanaBlock;
use crate::sui::RawSuiBlock;
use crate::tron::RawTronBlock;
use crate::{aptos, bitcoin, cosmos, evm, icp, polkadot, solana, sui, tron};

/// A block as a source gave it, of any family; nothing in it is believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UntrustedBlock {
    /// A block of the EVM family.
    Evm(Box<RawEvmBlock>),
    /// A block of the Bitcoin family.
    Bitcoin(Box<RawBitcoinBlock>),
    /// A block of the Cosmos family.
    Cosmos(Box<RawCosmosBlock>),
    /// A block of the ICP family.
    Icp(Box<RawIcpBlock>),
    /// A block of the Aptos family.
    Aptos(Box<RawAptosBlock>),
    /// A block of the Polkadot family.
    Polkadot(Box<RawPolkadotBlock>),
    /// A block of the Tron family.
    Tron(Box<RawTronBlock>),
    /// A checkpoint of the Sui family.
    Sui(Box<RawSuiBlock>),
    /// A block of the Solana family.
    Solana(Box<RawSolanaBlock>),
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

/// Refuses a recorded block of the EVM family whose transactions were signed for another chain: two typed ones or more,
/// each of which names another. No hash says of which chain a header is, and of a recording nobody else says it; a node
/// is asked for its chain id.
///
/// # Errors
/// [`Check::ChainId`].
pub fn check_recorded_chain(row: &ChainRow, block: &VerifiedBlock) -> Result<(), ChainError> {
    match block.transactions() {
        Some(leaves) if row.family() == Family::Evm => {
            evm::verify::refuse_another_chain(row, leaves)
        }
        _ => Ok(()),
    }
}

/// What of a block recomputes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recomputed {
    /// The block, to the extent that recomputes.
    pub block: VerifiedBlock,
    /// Why the rest of what was sent does not recompute; `None` where all of it does.
    pub refused: Option<ChainError>,
}

/// Recomputes a block as [`verify`] does, and keeps what holds of a block whose body does not
/// recompute: the header, and each part of the body under its root. [`VerifiedBlock::body_refused`]
/// says why the rest is missing. Whether the sender deviates or the chain has changed its rules, one
/// answer does not tell: the caller asks others before it takes such a block.
///
/// # Errors
/// As [`verify`], where the header does not recompute, or names another chain.
pub fn recompute(row: &ChainRow, untrusted: &UntrustedBlock) -> Result<Recomputed, ChainError> {
    let refused = match verify(row, untrusted) {
        Ok(block) => return Ok(Recomputed { block, refused: None }),
        // of a header that names another chain nothing is kept
        Err(refused)
            if refused.kind() == ErrorKind::Invalid && refused.check() != Check::ChainId =>
        {
            refused
        }
        Err(error) => return Err(error),
    };
    let reduced = untrusted.with_fewer_parts();
    match reduced.iter().find_map(|reduced| verify(row, reduced).ok()) {
        Some(block) => {
            let block = block.with_body_refused(refused.to_string());
            Ok(Recomputed { block, refused: Some(refused) })
        }
        None => Err(refused),
    }
}

impl UntrustedBlock {
    /// The same block with fewer parts of its body, the most parts first, its header alone last;
    /// nothing where the block is one piece.
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
                let (hash, header) = (raw.hash, raw.header.clone());
                vec![Self::Cosmos(Box::new(RawCosmosBlock { hash, header, txs: None }))]
            }
            Self::Aptos(raw) => {
                vec![Self::Aptos(Box::new(RawAptosBlock { versions: None, ..**raw }))]
            }
            Self::Polkadot(raw) => {
                let with = |extrinsics| {
                    let (hash, header) = (raw.hash, raw.header.clone());
                    let block = RawPolkadotBlock { hash, header, extrinsics, read_proof: None };
                    Self::Polkadot(Box::new(block))
                };
                vec![with(raw.extrinsics.clone()), with(None)]
            }
            Self::Tron(raw) => {
                let (number, hash, header) = (raw.number, raw.hash, raw.header.clone());
                let transactions = None;
                vec![Self::Tron(Box::new(RawTronBlock { number, hash, header, transactions }))]
            }
            Self::Sui(raw) => {
                let (digest, summary) = (raw.digest, raw.summary.clone());
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
