//! Levels 1 and 2 of each ledger: headers by rule, the trees of a block, and the proofs of their leaves.
//!
//! ```text
//! rule ── Header            level 2: the header's bytes, read; their hash is the block's
//!           │ roots
//! Body ── prove ─► EntryProof ── check ─► Shown       level 1: a transaction, an event, an absence
//! ```
//! A ledger is a folder with its header, its tree, its leaves and its proofs, and a variant in each of
//! [`Header`], [`Body`] and [`EntryProof`]. Whoever treats ledgers alike asks those.

pub mod bitcoin;
mod body;
mod entry;
mod error;
pub mod evm;
mod shown;
mod subject;

pub use body::{BodyFault, CannotKeep, Extent, NoEntry};
pub(crate) use entry::{EntryParts, MalformedEntry};
pub use error::{LedgerError, NotProvable};
pub(crate) use shown::Shown;
pub use shown::{ProvenEvent, ProvenLog, ProvenOutput, ProvenReceipt, ProvenTransaction};
pub use subject::Subject;

use alloc::boxed::Box;
use alloc::vec::Vec;

use superroot_types::{Family, Hash};

use self::bitcoin::{BranchProofs, TransactionTree};
use self::evm::{Layout, TrieProofs, Tries};
use crate::codec;
use crate::hash::{keccak256, sha256d};
use crate::registry::Rule;

/// The ledgers that this build reads, with what a rule says beyond the family.
enum Reader<L> {
    Evm(L),
    Bitcoin,
}

impl Reader<Layout> {
    /// The reader of a rule.
    fn of_rule(rule: Rule) -> Result<Self, LedgerError> {
        match rule {
            Rule::Evm(layout) => Ok(Self::Evm(layout)),
            Rule::Bitcoin => Ok(Self::Bitcoin),
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
}

impl Reader<()> {
    /// The reader of a family, where this build has one.
    const fn of_family(family: Family) -> Option<Self> {
        match family {
            Family::Evm => Some(Self::Evm(())),
            Family::Bitcoin => Some(Self::Bitcoin),
            Family::Solana
            | Family::Polkadot
            | Family::Tron
            | Family::Aptos
            | Family::Sui
            | Family::Icp
            | Family::Cosmos => None,
        }
    }
}

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
        match Reader::of_rule(rule)? {
            Reader::Evm(layout) => evm::Header::decode(layout, bytes).map(Box::new).map(Self::Evm),
            Reader::Bitcoin => bitcoin::Header::decode(bytes).map(Self::Bitcoin),
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

    /// Root of the tree of transactions, where the ledger has one.
    #[must_use]
    pub const fn transactions_root(&self) -> Option<Hash> {
        match self {
            Self::Evm(header) => Some(header.transactions_root),
            Self::Bitcoin(header) => Some(header.merkle_root),
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
}

/// Block hash by the rule: of the header's bytes, which [`Header::decode`] has read.
///
/// # Errors
/// [`LedgerError::Rule`] where this build has no reader.
pub fn block_hash(rule: Rule, header: &[u8]) -> Result<Hash, LedgerError> {
    Ok(match Reader::of_rule(rule)? {
        Reader::Evm(_) => keccak256(header),
        Reader::Bitcoin => sha256d(&[header]),
    })
}

/// Level 1, in the form of the chain's family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryProof {
    /// Of the EVM family.
    Evm(TrieProofs),
    /// Of the Bitcoin family.
    Bitcoin(BranchProofs),
}

impl EntryProof {
    /// The parts that the subject needs are there.
    pub(crate) fn check_parts(&self, subject: Subject) -> Result<(), LedgerError> {
        match self {
            Self::Evm(tries) => tries.check_parts(subject),
            Self::Bitcoin(_) => Ok(()),
        }
    }

    /// Shows the entry under the header's root or, without a header, under the root it leads to.
    pub(crate) fn check(
        &self,
        rule: Rule,
        subject: Subject,
        header: Option<&Header>,
    ) -> Result<Shown, LedgerError> {
        let other_form =
            LedgerError::Parts { what: "level 1 is not in the form of the chain's family" };
        match Reader::of_rule(rule)? {
            Reader::Evm(_) => match (self, header) {
                (Self::Evm(tries), None) => evm::check_tries(tries, subject, None),
                (Self::Evm(tries), Some(Header::Evm(header))) => {
                    evm::check_tries(tries, subject, Some(header))
                }
                (Self::Evm(_) | Self::Bitcoin(_), _) => Err(other_form),
            },
            Reader::Bitcoin => match (self, header) {
                (Self::Bitcoin(branches), None) => bitcoin::check_branches(branches, subject, None),
                (Self::Bitcoin(branches), Some(Header::Bitcoin(header))) => {
                    bitcoin::check_branches(branches, subject, Some(header))
                }
                (Self::Evm(_) | Self::Bitcoin(_), _) => Err(other_form),
            },
        }
    }

    /// The parts that are there.
    pub(crate) const fn parts(&self) -> EntryParts {
        match self {
            Self::Evm(tries) => EntryParts {
                transaction: tries.transaction.is_some(),
                receipt: tries.receipt.is_some(),
            },
            Self::Bitcoin(_) => EntryParts { transaction: true, receipt: false },
        }
    }

    /// The binary form: `docs/protocol.md#the-proof-file`.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Evm(tries) => tries.encode(out),
            Self::Bitcoin(branches) => branches.encode(out),
        }
    }

    /// Reads the binary form of a family's chain; `None` where no part is there.
    pub(crate) fn decode(
        family: Family,
        subject: Subject,
        parts: EntryParts,
        reader: &mut codec::Reader<'_>,
    ) -> Result<Option<Self>, MalformedEntry> {
        let EntryParts { transaction, receipt } = parts;
        if !transaction && !receipt {
            return Ok(None);
        }
        let entry = match Reader::of_family(family).ok_or(MalformedEntry::Parts)? {
            Reader::Evm(()) => TrieProofs::decode(transaction, receipt, reader)
                .map(Self::Evm)
                .map_err(MalformedEntry::Part)?,
            Reader::Bitcoin if receipt => return Err(MalformedEntry::Parts),
            Reader::Bitcoin => {
                let branches = BranchProofs::decode(subject, reader);
                Self::Bitcoin(branches.ok_or(MalformedEntry::Part("branches"))?)
            }
        };
        Ok(Some(entry))
    }
}

/// The trees of a block, whole or what was kept of them, in the form of its ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// Of the EVM family.
    Evm(Tries),
    /// Of the Bitcoin family: the transactions themselves, from which their tree is made anew.
    Bitcoin(TransactionTree),
}

impl Body {
    /// Which parts of the block it proves.
    #[must_use]
    pub const fn extent(&self) -> Extent {
        match self {
            Self::Evm(tries) => Extent {
                transactions: tries.transactions.is_some(),
                receipts: tries.receipts.is_some(),
            },
            Self::Bitcoin(_) => Extent { transactions: true, receipts: false },
        }
    }

    /// Bytes of what it holds.
    #[must_use]
    pub fn byte_count(&self) -> usize {
        match self {
            Self::Evm(tries) => tries.byte_count(),
            Self::Bitcoin(tree) => tree.leaves().iter().map(Vec::len).sum(),
        }
    }

    /// What of it proves the transactions at these positions, rising, and that there is none after the
    /// last of `tx_count`.
    ///
    /// # Errors
    /// [`CannotKeep`].
    pub fn keep(&self, tx_indexes: &[u32], tx_count: u32) -> Result<Self, CannotKeep> {
        match self {
            Self::Evm(tries) => tries.keep(tx_indexes, tx_count).map(Self::Evm),
            Self::Bitcoin(_) => Err(CannotKeep::WholeOnly),
        }
    }

    /// Every transaction's leaf, where it holds them as they are.
    #[must_use]
    pub fn transaction_leaves(&self) -> Option<&[Vec<u8>]> {
        match self {
            Self::Evm(_) => None,
            Self::Bitcoin(tree) => Some(tree.leaves()),
        }
    }

    /// Every transaction's hash, where it holds them.
    #[must_use]
    pub fn transaction_hashes(&self) -> Option<&[Hash]> {
        match self {
            Self::Evm(_) => None,
            Self::Bitcoin(tree) => Some(tree.hashes()),
        }
    }

    /// Hash of the transaction at a position; `None` where there is none, or transactions are not
    /// held.
    ///
    /// # Errors
    /// [`BodyFault::NodeGone`] where it was not kept.
    pub fn transaction_hash(&self, tx_index: u32) -> Result<Option<Hash>, BodyFault> {
        match self {
            Self::Evm(tries) => tries.transaction_hash(tx_index),
            Self::Bitcoin(tree) => Ok(tree.hash(tx_index)),
        }
    }

    /// Events of the transactions before that position; `None` where they are not all held, or the
    /// ledger's nodes do not count so.
    #[must_use]
    pub fn events_before(&self, tx_index: u32) -> Option<u64> {
        match self {
            Self::Evm(tries) => tries.logs_before(tx_index),
            Self::Bitcoin(_) => None,
        }
    }

    /// Checks it against the header of its block: it holds these parts, under the header's roots, and
    /// every kept one of its `tx_count` entries. Gives the number of entries checked.
    ///
    /// # Errors
    /// [`BodyFault`].
    pub fn check(
        &self,
        header: &Header,
        held: Extent,
        tx_count: u32,
        is_kept: impl Fn(u32) -> bool,
    ) -> Result<u64, BodyFault> {
        if held != self.extent() {
            return Err(BodyFault::OtherHeader);
        }
        match (self, header) {
            (Self::Evm(tries), Header::Evm(header)) => tries.check(header, tx_count, is_kept),
            (Self::Bitcoin(tree), Header::Bitcoin(header)) => tree.check(header, tx_count),
            (Self::Evm(_) | Self::Bitcoin(_), _) => Err(BodyFault::OtherHeader),
        }
    }

    /// Level 1 of a subject; `None` for a block, which has none. The proof of an event has its
    /// transaction too `with_transaction`, where the ledger can leave it out.
    ///
    /// # Errors
    /// [`NoEntry`].
    pub fn prove(
        &self,
        subject: Subject,
        with_transaction: bool,
    ) -> Result<Option<EntryProof>, NoEntry> {
        match self {
            Self::Evm(tries) => Ok(tries.prove(subject, with_transaction)?.map(EntryProof::Evm)),
            Self::Bitcoin(tree) => Ok(tree.prove_entry(subject)?.map(EntryProof::Bitcoin)),
        }
    }

    /// The binary form: the family's byte, then what its ledger writes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Self::Evm(tries) => {
                out.push(Family::Evm.byte());
                tries.encode(&mut out);
            }
            Self::Bitcoin(tree) => {
                out.push(Family::Bitcoin.byte());
                tree.encode(&mut out);
            }
        }
        out
    }

    /// Reads the binary form; `None` for bytes that no body is written as. It holds no more than the
    /// bytes, whatever they claim.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = codec::Reader::new(bytes);
        let body = match Reader::of_family(Family::try_from(reader.u8()?).ok()?)? {
            Reader::Evm(()) => Self::Evm(Tries::decode(&mut reader)?),
            Reader::Bitcoin => Self::Bitcoin(TransactionTree::decode(&mut reader)?),
        };
        reader.is_empty().then_some(body)
    }
}
