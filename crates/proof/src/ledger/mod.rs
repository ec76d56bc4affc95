//! Levels 1 and 2 as a verifier reads them: headers by rule, and the leaves of a block's trees.

pub mod bitcoin;
pub mod evm;

use alloc::boxed::Box;

use superroot_types::Hash;

use crate::hash::{keccak256, sha256d};
use crate::registry::Rule;

/// A header of any family that this build reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Header {
    /// Of the EVM family.
    Evm(Box<evm::Header>),
    /// Of the Bitcoin family.
    Bitcoin(bitcoin::Header),
}

impl Header {
    /// Reads a header, whole, by the layout of its rule.
    ///
    /// # Errors
    /// [`LedgerError`] naming the field; [`LedgerError::Rule`] where this build has no reader.
    pub fn decode(rule: Rule, bytes: &[u8]) -> Result<Self, LedgerError> {
        match rule {
            Rule::Evm(layout) => evm::Header::decode(layout, bytes).map(Box::new).map(Self::Evm),
            Rule::Bitcoin => bitcoin::Header::decode(bytes).map(Self::Bitcoin),
            Rule::Withdrawn
            | Rule::Solana
            | Rule::Polkadot
            | Rule::Tron
            | Rule::Aptos
            | Rule::Sui
            | Rule::Icp
            | Rule::Cosmos => Err(LedgerError::Rule { code: rule.code() }),
        }
    }

    /// Hash of the block before.
    #[must_use]
    pub const fn parent_hash(&self) -> Hash {
        match self {
            Self::Evm(header) => header.parent_hash,
            Self::Bitcoin(header) => header.parent_hash,
        }
    }

    /// Unix seconds, as the block's producer says.
    #[must_use]
    pub fn timestamp(&self) -> u64 {
        match self {
            Self::Evm(header) => header.timestamp,
            Self::Bitcoin(header) => header.time.into(),
        }
    }

    /// Block number, where the header names one.
    #[must_use]
    pub const fn number(&self) -> Option<u64> {
        match self {
            Self::Evm(header) => Some(header.number),
            Self::Bitcoin(_) => None,
        }
    }

    /// Root of the tree of transactions.
    #[must_use]
    pub const fn transactions_root(&self) -> Hash {
        match self {
            Self::Evm(header) => header.transactions_root,
            Self::Bitcoin(header) => header.merkle_root,
        }
    }

    /// Root of the tree of receipts, where the ledger has one.
    #[must_use]
    pub const fn receipts_root(&self) -> Option<Hash> {
        match self {
            Self::Evm(header) => Some(header.receipts_root),
            Self::Bitcoin(_) => None,
        }
    }

    /// Bloom of the addresses and topics of its events, where the ledger has one.
    #[must_use]
    pub const fn logs_bloom(&self) -> Option<&evm::Bloom> {
        match self {
            Self::Evm(header) => Some(&header.logs_bloom),
            Self::Bitcoin(_) => None,
        }
    }

    /// The header, where it is one of the EVM family.
    #[must_use]
    pub const fn evm(&self) -> Option<&evm::Header> {
        match self {
            Self::Evm(header) => Some(header),
            Self::Bitcoin(_) => None,
        }
    }
}

/// Block hash by the rule: of the header's bytes, which [`Header::decode`] has read.
///
/// # Errors
/// [`LedgerError::Rule`] where this build has no reader.
pub fn block_hash(rule: Rule, header: &[u8]) -> Result<Hash, LedgerError> {
    match rule {
        Rule::Evm(_) => Ok(keccak256(header)),
        Rule::Bitcoin => Ok(sha256d(&[header])),
        Rule::Withdrawn
        | Rule::Solana
        | Rule::Polkadot
        | Rule::Tron
        | Rule::Aptos
        | Rule::Sui
        | Rule::Icp
        | Rule::Cosmos => Err(LedgerError::Rule { code: rule.code() }),
    }
}

/// That a ledger cannot show a thing at all: its headers commit to nothing from which it follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}; {nearest}")]
pub struct NotProvable {
    /// Why not.
    pub why: &'static str,
    /// What can be shown in its place.
    pub nearest: &'static str,
}

/// Why a header or a leaf is none of its ledger.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    /// This build has no reader for the rule.
    #[error("no reader for rule {code:#06x}")]
    Rule {
        /// The rule's code.
        code: u16,
    },
    /// A field is not what the layout says.
    #[error("field {field} is malformed")]
    Field {
        /// The field, in the ledger's own words.
        field: &'static str,
    },
    /// The header has a number of fields that the layout of its rule does not know.
    #[error("a header of {got} fields; the layout has {expected}")]
    FieldCount {
        /// Fields found.
        got: usize,
        /// The numbers of fields the layout knows.
        expected: &'static str,
    },
    /// Bytes follow the last field.
    #[error("bytes follow the last field of {what}")]
    Trailing {
        /// What was read.
        what: &'static str,
    },
    /// A transaction as long as an inner node of its tree, which it could be (CVE-2017-12842).
    #[error("a transaction of 64 bytes could be an inner node of the tree")]
    NodeSized,
    /// The first transaction of a block pays nobody for it, so the tree is read at a wrong depth.
    #[error("the first transaction is no coinbase")]
    NoCoinbase,
    /// A logs bloom differs from what the logs give.
    #[error("the {whose} logs bloom lacks bits of its logs")]
    Bloom {
        /// `receipt's` or `header's`.
        whose: &'static str,
    },
    /// The header names the receipts of blocks that it settles, not its own.
    #[error("the header's receipts root is that of the blocks it settles, not its own")]
    OtherReceipts,
    /// The header's hash is another.
    #[error("the header hashes to {got}, expected {expected}")]
    BlockHash {
        /// Hash of the header.
        got: Hash,
        /// Hash committed to.
        expected: Hash,
    },
}
