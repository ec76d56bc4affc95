//! What is wrong with bytes of a ledger.

use alloc::string::String;

use superroot_types::Hash;

use super::bitcoin::BranchError;
use crate::mpt::MptError;

/// That a ledger cannot show a thing at all: its headers commit to nothing from which it follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}; {nearest}")]
pub struct NotProvable {
    /// Why not.
    pub why: &'static str,
    /// What can be shown in its place.
    pub nearest: &'static str,
}

/// Why a header, a leaf or a proof of level 1 is none of its ledger.
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
    /// The header names another chain than the one it is to be of.
    #[error("the header's chain id is {got}, expected that of {expected}")]
    Chain {
        /// Chain id in the header.
        got: String,
        /// CAIP-2 name of the chain.
        expected: String,
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
    /// A signature of the transaction does not fit its key and the message.
    #[error("signature {index} does not fit its key and the message")]
    Signature {
        /// Which of the transaction's.
        index: usize,
    },
    /// The header's hash is another.
    #[error("the header hashes to {got}, expected {expected}")]
    BlockHash {
        /// Hash of the header.
        got: Hash,
        /// Hash committed to.
        expected: Hash,
    },
    /// A part that the subject needs is not there, or one is there that does not belong.
    #[error("{what}")]
    Parts {
        /// What is missing or too much.
        what: &'static str,
    },
    /// A trie proof does not hold.
    #[error("{trie}: {cause}")]
    Trie {
        /// `transaction trie` or `receipt trie`.
        trie: &'static str,
        /// Why.
        cause: MptError,
    },
    /// A branch does not hold.
    #[error("branch of the {whose}: {cause}")]
    Branch {
        /// `transaction` or `coinbase`.
        whose: &'static str,
        /// Why.
        cause: BranchError,
    },
    /// The tree has no leaf where the statement has one.
    #[error("the {trie} has nothing at index {tx_index}")]
    NothingThere {
        /// `transaction trie`, `receipt trie` or `transaction tree`.
        trie: &'static str,
        /// Position claimed.
        tx_index: u32,
    },
    /// The tree has a leaf where the statement says it has none.
    #[error("the {trie} has a leaf at index {tx_index}")]
    SomethingThere {
        /// `transaction trie`, `receipt trie` or `transaction tree`.
        trie: &'static str,
        /// Position claimed.
        tx_index: u32,
    },
    /// The log index is past the receipt's logs.
    #[error("log index {log_index} is past the {count} logs of the receipt")]
    LogIndex {
        /// Position claimed.
        log_index: u32,
        /// Logs of the receipt.
        count: usize,
    },
    /// The output index is past the transaction's outputs.
    #[error("output index {log_index} is past the {count} outputs of the transaction")]
    OutputIndex {
        /// Position claimed.
        log_index: u32,
        /// Outputs of the transaction.
        count: usize,
    },
    /// The ledger cannot show such a thing.
    #[error(transparent)]
    NotProvable(NotProvable),
    /// A transaction of the ICP ledger has one operation.
    #[error("operation index {log_index} is past the one operation of the transaction")]
    OperationIndex {
        /// Position claimed.
        log_index: u32,
    },
    /// The record index is past the block's events.
    #[error("log index {log_index} is past the {count} events of the block")]
    RecordIndex {
        /// Position claimed.
        log_index: u32,
        /// Events of the block.
        count: usize,
    },
    /// The event index is past the transaction's events.
    #[error("log index {log_index} is past the {count} events of the transaction")]
    EventIndex {
        /// Position claimed.
        log_index: u32,
        /// Events of the transaction.
        count: usize,
    },
    /// A value is of a version or kind that this build does not know.
    #[error("{what} of version {got} is not known to this build")]
    Version {
        /// What it is of.
        what: &'static str,
        /// The version's number.
        got: u32,
    },
    /// A root came out other than it must.
    #[error("{what} comes out as {got}, expected {expected}")]
    Mismatch {
        /// Which root.
        what: &'static str,
        /// Root computed.
        got: Hash,
        /// Root committed to.
        expected: Hash,
    },
}
