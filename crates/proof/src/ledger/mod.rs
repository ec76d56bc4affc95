//! ProofLevels 1 and 2 for each ledger: headers by rule, block trees and leaf proofs.
//!
//! ```text
//! rule ── Header            level 2: the header's bytes, read; their hash is the block's
//!           │ roots
//! Body ── prove ─► EntryProof ── check ─► Shown       level 1: a transaction, an event, an absence
//! ```
//! A ledger is a folder with its header, tree, leaves and proofs, which implement the traits in `form.rs`, and a line
//! in `ledgers!` below. The line adds a variant to [`Header`], [`EntryProof`] and the block body, for
//! ledger-independent callers.

pub mod aptos;
pub(crate) mod bcs;
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
mod whole;

pub use body::{BodyFault, CannotKeep, EventOffsets, Extent, NoEntry};
pub(crate) use entry::{EntryParts, MalformedEntry};
pub use error::{LedgerError, NotProvable};
pub(crate) use shown::ShownFacts;
pub use shown::{
    ProvenEvent, ProvenEventList, ProvenLog, ProvenMoveEvent, ProvenOutput, ProvenReceipt,
    ProvenTransaction, ProvenVersionEvent,
};
pub use subject::{BoundIndexes, ProofSubject};

use alloc::boxed::Box;
use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Family, Hash, Network};

use self::bitcoin::{BitcoinTransactionTree, BranchProofs};
use self::evm::{TrieProofs, Tries};
use self::form::{BodyForm, EntryForm, HeaderForm};
use self::polkadot::{BlockTries, ExtrinsicProofs};
use self::solana::{RecordProof, SolanaEntries};
use crate::codec::ByteReader;
use crate::registry::HashRule;

const OTHER_FORM: LedgerError =
    LedgerError::Parts { what: "level 1 is not in the form of the chain's family" };

/// Writes the three ledger-independent types and their forwarding methods.
macro_rules! ledgers {
    ($($(#[$doc:meta])* $ledger:ident: $header:ty, $entry:ty, $body:ty;)*) => {
        /// Header from any known family.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Header {
            $($(#[$doc])* $ledger($header),)*
        }

        /// Level 1 in the chain family's form.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum EntryProof {
            $($(#[$doc])* $ledger($entry),)*
        }

        /// Block trees, whole or reduced, in the ledger's form.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Body {
            $($(#[$doc])* $ledger($body),)*
        }

        impl Header {
            /// Reads a whole header by its rule's layout.
            ///
            /// # Errors
            /// [`LedgerError`] naming the field; [`LedgerError::Rule`] without a reader in this build.
            pub fn decode(rule: HashRule, bytes: &[u8]) -> Result<Self, LedgerError> {
                match rule.family() {
                    $(Some(Family::$ledger) => {
                        HeaderForm::decode(rule, bytes).map(Self::$ledger)
                    })*
                    _ => Err(LedgerError::Rule { code: rule.code() }),
                }
            }

            /// Parent block hash, if bound by the block hash.
            #[must_use]
            pub fn parent_hash(&self) -> Option<Hash> {
                match self { $(Self::$ledger(header) => HeaderForm::parent_hash(header),)* }
            }

            /// Producer's Unix seconds, if bound by the hash.
            #[must_use]
            pub fn timestamp(&self) -> Option<u64> {
                match self { $(Self::$ledger(header) => HeaderForm::timestamp(header),)* }
            }

            /// Block number, if bound by the hash.
            #[must_use]
            pub fn number(&self) -> Option<u64> {
                match self { $(Self::$ledger(header) => HeaderForm::number(header),)* }
            }

            /// Checks the header against a CAIP-2 name, if its bytes name a chain.
            ///
            /// # Errors
            /// [`LedgerError::Chain`].
            pub fn check_chain(&self, caip2: &str) -> Result<(), LedgerError> {
                match self { $(Self::$ledger(header) => HeaderForm::check_chain(header, caip2),)* }
            }

            /// Transaction tree root, if the ledger has a tree.
            #[must_use]
            pub fn transactions_root(&self) -> Option<Hash> {
                match self { $(Self::$ledger(header) => HeaderForm::transactions_root(header),)* }
            }

            /// Receipt tree root, if the ledger has a tree.
            #[must_use]
            pub fn receipts_root(&self) -> Option<Hash> {
                match self { $(Self::$ledger(header) => HeaderForm::receipts_root(header),)* }
            }

            /// Bloom over event addresses and topics, if the ledger has a bloom.
            #[must_use]
            pub fn logs_bloom(&self) -> Option<&evm::Bloom> {
                match self { $(Self::$ledger(header) => HeaderForm::logs_bloom(header),)* }
            }
        }

        /// Block hash by the rule, over bytes already read by [`Header::decode`].
        ///
        /// # Errors
        /// [`LedgerError::Rule`] without a reader in this build.
        pub fn block_hash(rule: HashRule, header: &[u8]) -> Result<Hash, LedgerError> {
            match rule.family() {
                $(Some(Family::$ledger) => <$header as HeaderForm>::hash(rule, header),)*
                _ => Err(LedgerError::Rule { code: rule.code() }),
            }
        }

        /// Statement positions bound by a family's proofs.
        #[must_use]
        pub fn bound_indexes(family: Family, subject: ProofSubject) -> BoundIndexes {
            match family {
                $(Family::$ledger => <$entry as EntryForm>::bound_indexes(subject),)*
            }
        }

        impl EntryProof {
            pub(crate) fn shows_block(
                &self,
                block: (ChainKey, BlockNumber),
                network: Network,
            ) -> bool {
                match self { $(Self::$ledger(entry) => entry.shows_block(block, network),)* }
            }

            pub(crate) fn check_parts(&self, subject: ProofSubject) -> Result<(), LedgerError> {
                match self { $(Self::$ledger(entry) => entry.check_parts(subject),)* }
            }

            /// Shows the entry under the header's root or, without a header, under its computed root.
            pub(crate) fn check(
                &self,
                rule: HashRule,
                subject: ProofSubject,
                header: Option<&Header>,
            ) -> Result<ShownFacts, LedgerError> {
                let family = rule.family().ok_or(LedgerError::Rule { code: rule.code() })?;
                if rule == HashRule::SolanaHeader {
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

            pub(crate) fn parts(&self) -> EntryParts {
                match self { $(Self::$ledger(entry) => EntryForm::parts(entry),)* }
            }

            pub(crate) fn encode(&self, out: &mut Vec<u8>) {
                match self { $(Self::$ledger(entry) => EntryForm::encode(entry, out),)* }
            }

            /// Reads the family's binary form; `None` without any part.
            pub(crate) fn decode(
                family: Family,
                subject: ProofSubject,
                parts: EntryParts,
                reader: &mut ByteReader<'_>,
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
            /// Chain family.
            #[must_use]
            pub const fn family(&self) -> Family {
                match self { $(Self::$ledger(_) => Family::$ledger,)* }
            }

            /// Provable block parts.
            #[must_use]
            pub fn extent(&self) -> Extent {
                match self { $(Self::$ledger(body) => BodyForm::extent(body),)* }
            }

            /// Stored bytes.
            #[must_use]
            pub fn byte_count(&self) -> usize {
                match self { $(Self::$ledger(body) => BodyForm::byte_count(body),)* }
            }

            /// Reduces the body to proofs for the transactions at rising positions, and for the absence of any
            /// transaction past `tx_count`.
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

            /// Every transaction leaf, if stored as is.
            #[must_use]
            pub fn transaction_leaves(&self) -> Option<&[Vec<u8>]> {
                match self { $(Self::$ledger(body) => BodyForm::transaction_leaves(body),)* }
            }

            /// Every transaction hash, if stored.
            #[must_use]
            pub fn transaction_hashes(&self) -> Option<&[Hash]> {
                match self { $(Self::$ledger(body) => BodyForm::transaction_hashes(body),)* }
            }

            /// Transaction hash at a position; `None` if absent or transactions are not stored.
            ///
            /// # Errors
            /// [`BodyFault::NodeGone`] if its node was dropped.
            pub fn transaction_hash(&self, tx_index: u32) -> Result<Option<Hash>, BodyFault> {
                match self { $(Self::$ledger(body) => BodyForm::transaction_hash(body, tx_index),)* }
            }

            /// Event count over the whole block. Reads every receipt: cache the result for many events in a block.
            #[must_use]
            pub fn event_offsets(&self) -> EventOffsets {
                match self { $(Self::$ledger(body) => BodyForm::event_offsets(body),)* }
            }

            /// Checks the body against its block's header: the parts are present, under the header's roots, with every
            /// stored entry out of `tx_count`. Returns the number checked.
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

            /// Level 1 for a subject; `None` for a block. An event proof includes its transaction if
            /// `with_transaction`, or if the ledger needs the transaction.
            ///
            /// # Errors
            /// [`NoEntry`].
            pub fn prove(
                &self,
                subject: ProofSubject,
                with_transaction: bool,
            ) -> Result<Option<EntryProof>, NoEntry> {
                Ok(match self {
                    $(Self::$ledger(body) => {
                        BodyForm::prove(body, subject, with_transaction)?.map(EntryProof::$ledger)
                    })*
                })
            }

            /// Binary form: family byte, then the ledger's encoding.
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

            /// Reads the binary form; `None` for malformed bytes. Allocates no more than the input size, whatever the
            /// bytes claim.
            #[must_use]
            pub fn decode(bytes: &[u8]) -> Option<Self> {
                let mut reader = ByteReader::new(bytes);
                let body = match Family::try_from(reader.u8()?).ok()? {
                    $(Family::$ledger => Self::$ledger(BodyForm::decode(&mut reader)?),)*
                };
                reader.is_empty().then_some(body)
            }
        }
    };
}

ledgers! {
    /// EVM family.
    Evm: Box<evm::Header>, TrieProofs, Tries;
    /// Bitcoin family: the transactions; their tree is rebuilt.
    Bitcoin: bitcoin::Header, BranchProofs, BitcoinTransactionTree;
    /// Cosmos family: the transactions; their tree is rebuilt.
    Cosmos: Box<cosmos::Header>, cosmos::TreeProof, cosmos::CosmosTransactionTree;
    /// ICP family: a block is the only leaf in its tree.
    Icp: icp::Header, icp::BlockLeaf, icp::EncodedBlock;
    /// Aptos family: each version's result, and the state before.
    Aptos: aptos::Header, aptos::VersionProof, aptos::AptosVersions;
    /// Polkadot family: extrinsics trie and fetched events.
    Polkadot: polkadot::Header, ExtrinsicProofs, BlockTries;
    /// Tron family: the whole transactions; their tree is rebuilt.
    Tron: tron::Header, tron::EdgeProof, tron::TronTransactionTree;
    /// Sui family: each item listed by the checkpoint, as hashed.
    Sui: sui::Header, sui::ContentsProof, sui::SuiCheckpoint;
    /// Solana family: block entries.
    Solana: solana::Header, RecordProof, SolanaEntries;
}
