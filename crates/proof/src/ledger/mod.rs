//! Levels 1 and 2 of each ledger: headers by rule, the trees of a block, and the proofs of their leaves.
//!
//! ```text
//! rule ── Header            level 2: the header's bytes, read; their hash is the block's
//!           │ roots
//! Body ── prove ─► EntryProof ── check ─► Shown       level 1: a transaction, an event, an absence
//! ```
//! A ledger is a folder with its header, its tree, its leaves and its proofs, which answer to the
//! questions of `form.rs`, and a line in `ledgers!` below. That gives it a variant in each of
//! [`Header`], [`Body`] and [`EntryProof`]; whoever treats ledgers alike asks those.

pub mod aptos;
mod bcs;
pub mod bitcoin;
mod body;
pub mod cosmos;
pub(crate) mod edge;
mod entry;
mod error;
pub mod evm;
mod form;
pub mod icp;
mod move_type;
pub mod polkadot;
mod shown;
pub mod solana;
mod subject;
pub mod sui;
pub mod tron;

pub use body::{BodyFault, CannotKeep, EventOffsets, Extent, NoEntry};
pub(crate) use entry::{EntryParts, MalformedEntry};
pub use error::{LedgerError, NotProvable};
pub(crate) use shown::Shown;
pub use shown::{
    ProvenEvent, ProvenEventList, ProvenLog, ProvenMoveEvent, ProvenOutput, ProvenReceipt,
    ProvenTransaction, ProvenVersionEvent,
};
pub use subject::{BoundIndexes, Subject};

use alloc::boxed::Box;
use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Family, Hash, Network};

use self::bitcoin::{BranchProofs, TransactionTree};
use self::evm::{TrieProofs, Tries};
use self::form::{BodyForm, EntryForm, HeaderForm};
use self::polkadot::{BlockTries, ExtrinsicProofs};
use self::solana::{Entries, RecordProof};
use crate::codec::Reader;
use crate::registry::Rule;

const OTHER_FORM: LedgerError =
    LedgerError::Parts { what: "level 1 is not in the form of the chain's family" };

/// Writes the three types that hold any ledger's, and passes each question on to the ledger.
macro_rules! ledgers {
    ($($(#[$doc:meta])* $ledger:ident: $header:ty, $entry:ty, $body:ty;)*) => {
        /// A header of any family that this build reads.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Header {
            $($(#[$doc])* $ledger($header),)*
        }

        /// Level 1, in the form of the chain's family.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum EntryProof {
            $($(#[$doc])* $ledger($entry),)*
        }

        /// The trees of a block, whole or what was kept of them, in the form of its ledger.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Body {
            $($(#[$doc])* $ledger($body),)*
        }

        impl Header {
            /// Reads a header, whole, by the layout of its rule.
            ///
            /// # Errors
            /// [`LedgerError`] naming the field; [`LedgerError::Rule`] where this build has no reader.
            pub fn decode(rule: Rule, bytes: &[u8]) -> Result<Self, LedgerError> {
                match rule.family() {
                    $(Some(Family::$ledger) => {
                        HeaderForm::decode(rule, bytes).map(Self::$ledger)
                    })*
                    _ => Err(LedgerError::Rule { code: rule.code() }),
                }
            }

            /// Hash of the block before, where the hash of this one binds it.
            #[must_use]
            pub fn parent_hash(&self) -> Option<Hash> {
                match self { $(Self::$ledger(header) => HeaderForm::parent_hash(header),)* }
            }

            /// Unix seconds as the block's producer says, where the hash binds them.
            #[must_use]
            pub fn timestamp(&self) -> Option<u64> {
                match self { $(Self::$ledger(header) => HeaderForm::timestamp(header),)* }
            }

            /// Block number, where the hash binds it.
            #[must_use]
            pub fn number(&self) -> Option<u64> {
                match self { $(Self::$ledger(header) => HeaderForm::number(header),)* }
            }

            /// Checks that the header is of the chain of that CAIP-2 name, where its bytes name a chain.
            ///
            /// # Errors
            /// [`LedgerError::Chain`].
            pub fn check_chain(&self, caip2: &str) -> Result<(), LedgerError> {
                match self { $(Self::$ledger(header) => HeaderForm::check_chain(header, caip2),)* }
            }

            /// Root of the tree of transactions, where the ledger has one.
            #[must_use]
            pub fn transactions_root(&self) -> Option<Hash> {
                match self { $(Self::$ledger(header) => HeaderForm::transactions_root(header),)* }
            }

            /// Root of the tree of receipts, where the ledger has one.
            #[must_use]
            pub fn receipts_root(&self) -> Option<Hash> {
                match self { $(Self::$ledger(header) => HeaderForm::receipts_root(header),)* }
            }

            /// Bloom of the addresses and topics of its events, where the ledger has one.
            #[must_use]
            pub fn logs_bloom(&self) -> Option<&evm::Bloom> {
                match self { $(Self::$ledger(header) => HeaderForm::logs_bloom(header),)* }
            }
        }

        /// Block hash by the rule: of the header's bytes, which [`Header::decode`] has read.
        ///
        /// # Errors
        /// [`LedgerError::Rule`] where this build has no reader.
        pub fn block_hash(rule: Rule, header: &[u8]) -> Result<Hash, LedgerError> {
            match rule.family() {
                $(Some(Family::$ledger) => <$header as HeaderForm>::hash(rule, header),)*
                _ => Err(LedgerError::Rule { code: rule.code() }),
            }
        }

        /// Which positions of a statement the proofs of a family's ledger bind.
        #[must_use]
        pub fn bound_indexes(family: Family, subject: Subject) -> BoundIndexes {
            match family {
                $(Family::$ledger => <$entry as EntryForm>::bound_indexes(subject),)*
            }
        }

        impl EntryProof {
            /// Whether the proof shows that the entry is in this very block of the chain.
            pub(crate) fn shows_block(
                &self,
                block: (ChainKey, BlockNumber),
                network: Network,
            ) -> bool {
                match self { $(Self::$ledger(entry) => entry.shows_block(block, network),)* }
            }

            /// The parts that the subject needs are there.
            pub(crate) fn check_parts(&self, subject: Subject) -> Result<(), LedgerError> {
                match self { $(Self::$ledger(entry) => entry.check_parts(subject),)* }
            }

            /// Shows the entry under the header's root or, without a header, under the root it leads to.
            pub(crate) fn check(
                &self,
                rule: Rule,
                subject: Subject,
                header: Option<&Header>,
            ) -> Result<Shown, LedgerError> {
                let family = rule.family().ok_or(LedgerError::Rule { code: rule.code() })?;
                if rule == Rule::SolanaHeader {
                    return Err(solana::NO_WINDOW);
                }
                match (self, header) {
                    $((Self::$ledger(entry), None) if family == Family::$ledger => {
                        EntryForm::check(entry, subject, None)
                    }
                    (Self::$ledger(entry), Some(Header::$ledger(header)))
                        if family == Family::$ledger =>
                    {
                        EntryForm::check(entry, subject, Some(header))
                    })*
                    _ => Err(OTHER_FORM),
                }
            }

            /// The parts that are there.
            pub(crate) fn parts(&self) -> EntryParts {
                match self { $(Self::$ledger(entry) => EntryForm::parts(entry),)* }
            }

            /// The binary form: `docs/protocol/files.md#the-proof-file`.
            pub(crate) fn encode(&self, out: &mut Vec<u8>) {
                match self { $(Self::$ledger(entry) => EntryForm::encode(entry, out),)* }
            }

            /// Reads the binary form of a family's chain; `None` where no part is there.
            pub(crate) fn decode(
                family: Family,
                subject: Subject,
                parts: EntryParts,
                reader: &mut Reader<'_>,
            ) -> Result<Option<Self>, MalformedEntry> {
                if !parts.transaction && !parts.receipt {
                    return Ok(None);
                }
                match family {
                    $(Family::$ledger => {
                        EntryForm::decode(subject, parts, reader).map(Self::$ledger).map(Some)
                    })*
                }
            }
        }

        impl Body {
            /// Which parts of the block it proves.
            #[must_use]
            pub fn extent(&self) -> Extent {
                match self { $(Self::$ledger(body) => BodyForm::extent(body),)* }
            }

            /// Bytes of what it holds.
            #[must_use]
            pub fn byte_count(&self) -> usize {
                match self { $(Self::$ledger(body) => BodyForm::byte_count(body),)* }
            }

            /// What of it proves the transactions at these positions, rising, and that there is none
            /// after the last of `tx_count`.
            ///
            /// # Errors
            /// [`CannotKeep`].
            pub fn keep(&self, tx_indexes: &[u32], tx_count: u32) -> Result<Self, CannotKeep> {
                match self {
                    $(Self::$ledger(body) => {
                        BodyForm::keep(body, tx_indexes, tx_count).map(Self::$ledger)
                    })*
                }
            }

            /// Every transaction's leaf, where it holds them as they are.
            #[must_use]
            pub fn transaction_leaves(&self) -> Option<&[Vec<u8>]> {
                match self { $(Self::$ledger(body) => BodyForm::transaction_leaves(body),)* }
            }

            /// Every transaction's hash, where it holds them.
            #[must_use]
            pub fn transaction_hashes(&self) -> Option<&[Hash]> {
                match self { $(Self::$ledger(body) => BodyForm::transaction_hashes(body),)* }
            }

            /// Hash of the transaction at a position; `None` where there is none, or transactions are
            /// not held.
            ///
            /// # Errors
            /// [`BodyFault::NodeGone`] where it was not kept.
            pub fn transaction_hash(&self, tx_index: u32) -> Result<Option<Hash>, BodyFault> {
                match self { $(Self::$ledger(body) => BodyForm::transaction_hash(body, tx_index),)* }
            }

            /// How its events are counted over the whole block. Reads every receipt: whoever asks for
            /// many events of a block keeps it.
            #[must_use]
            pub fn event_offsets(&self) -> EventOffsets {
                match self { $(Self::$ledger(body) => BodyForm::event_offsets(body),)* }
            }

            /// Checks it against the header of its block: it holds these parts, under the header's
            /// roots, and every kept one of its `tx_count` entries. Gives the number of entries checked.
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
                    $((Self::$ledger(body), Header::$ledger(header)) => {
                        BodyForm::check(body, header, tx_count, &is_kept)
                    })*
                    _ => Err(BodyFault::OtherHeader),
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
                Ok(match self {
                    $(Self::$ledger(body) => {
                        BodyForm::prove(body, subject, with_transaction)?.map(EntryProof::$ledger)
                    })*
                })
            }

            /// The binary form: the family's byte, then what its ledger writes.
            #[must_use]
            pub fn encode(&self) -> Vec<u8> {
                let mut out = Vec::new();
                match self {
                    $(Self::$ledger(body) => {
                        out.push(Family::$ledger.byte());
                        BodyForm::encode(body, &mut out);
                    })*
                }
                out
            }

            /// Reads the binary form; `None` for bytes that no body is written as. It holds no more
            /// than the bytes, whatever they claim.
            #[must_use]
            pub fn decode(bytes: &[u8]) -> Option<Self> {
                let mut reader = Reader::new(bytes);
                let body = match Family::try_from(reader.u8()?).ok()? {
                    $(Family::$ledger => Self::$ledger(BodyForm::decode(&mut reader)?),)*
                };
                reader.is_empty().then_some(body)
            }
        }
    };
}

ledgers! {
    /// Of the EVM family.
    Evm: Box<evm::Header>, TrieProofs, Tries;
    /// Of the Bitcoin family: the transactions themselves, from which their tree is made anew.
    Bitcoin: bitcoin::Header, BranchProofs, TransactionTree;
    /// Of the Cosmos family: the transactions, from which their tree is made anew.
    Cosmos: Box<cosmos::Header>, cosmos::TreeProof, cosmos::TransactionTree;
    /// Of the ICP family: a block is the only leaf of its tree.
    Icp: icp::Header, icp::BlockLeaf, icp::EncodedBlock;
    /// Of the Aptos family: what each version did, and what stood before.
    Aptos: aptos::Header, aptos::VersionProof, aptos::Versions;
    /// Of the Polkadot family: the trie of the extrinsics, and the events as far as they were fetched.
    Polkadot: polkadot::Header, ExtrinsicProofs, BlockTries;
    /// Of the Tron family: the transactions, whole, from which their tree is made anew.
    Tron: tron::Header, tron::EdgeProof, tron::TransactionTree;
    /// Of the Sui family: what each checkpoint lists, as it was hashed.
    Sui: sui::Header, sui::ContentsProof, sui::Checkpoint;
    /// Of the Solana family: the entries of the block.
    Solana: solana::Header, RecordProof, Entries;
}
