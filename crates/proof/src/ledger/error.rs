use alloc::string::String;

use superroot_types::Hash;

use super::bitcoin::BranchError;
use crate::mpt::MptError;

/// A fact no ledger header commits to, so never provable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}; {nearest}")]
pub struct NotProvable {
    /// Reason.
    pub why: &'static str,
    /// Nearest provable alternative.
    pub nearest: &'static str,
}

/// Why a header, leaf or level 1 proof violates its ledger.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    /// No reader for the rule in this build.
    #[error("no reader for rule {code:#06x}")]
    Rule {
        /// Rule code.
        code: u16,
    },
    /// A field violates the layout.
    #[error("field {field} is malformed")]
    Field {
        /// Field name in the ledger's words.
        field: &'static str,
    },
    /// Header names a different chain.
    #[error("the header's chain id is {got}, expected that of {expected}")]
    Chain {
        /// Chain id in the header.
        got: String,
        /// CAIP-2 name of the chain.
        expected: String,
    },
    /// Field count unknown to the rule's layout.
    #[error("a header of {got} fields; the layout has {expected}")]
    FieldCount {
        /// Fields found.
        got: usize,
        /// Field counts known to the layout.
        expected: &'static str,
    },
    /// Bytes follow the last field.
    #[error("bytes follow the last field of {what}")]
    Trailing {
        /// Object name.
        what: &'static str,
    },
    /// A transaction with an inner node's length, possibly an inner node (CVE-2017-12842).
    #[error("a transaction of 64 bytes could be an inner node of the tree")]
    NodeSized,
    /// The block's first transaction is not a coinbase, so the tree depth is wrong.
    #[error("the first transaction is no coinbase")]
    NoCoinbase,
    /// Logs bloom differs from the logs.
    #[error("the {whose} logs bloom lacks bits of its logs")]
    Bloom {
        /// `receipt's` or `header's`.
        whose: &'static str,
    },
    /// Header names the receipts of the blocks it settles, not its own.
    #[error("the header's receipts root is that of the blocks it settles, not its own")]
    OtherReceipts,
    /// A transaction signature does not fit its key and message.
    #[error("signature {index} does not fit its key and the message")]
    Signature {
        /// Signature index.
        index: usize,
    },
    /// Header hash mismatch.
    #[error("the header hashes to {got}, expected {expected}")]
    BlockHash {
        /// Computed header hash.
        got: Hash,
        /// Hash committed to.
        expected: Hash,
    },
    /// A needed part is missing, or a part does not belong.
    #[error("{what}")]
    Parts {
        /// Missing or extra part.
        what: &'static str,
    },
    /// Invalid trie proof.
    #[error("{trie}: {cause}")]
    Trie {
        /// `transaction trie` or `receipt trie`.
        trie: &'static str,
        /// Cause.
        cause: MptError,
    },
    /// Invalid branch.
    #[error("branch of the {whose}: {cause}")]
    Branch {
        /// `transaction` or `coinbase`.
        whose: &'static str,
        /// Cause.
        cause: BranchError,
    },
    /// No leaf at the statement's position.
    #[error("the {trie} has nothing at index {tx_index}")]
    NothingThere {
        /// `transaction trie`, `receipt trie` or `transaction tree`.
        trie: &'static str,
        /// Position claimed.
        tx_index: u32,
    },
    /// A leaf at a position stated as empty.
    #[error("the {trie} has a leaf at index {tx_index}")]
    SomethingThere {
        /// `transaction trie`, `receipt trie` or `transaction tree`.
        trie: &'static str,
        /// Position claimed.
        tx_index: u32,
    },
    /// Log index past the receipt's logs.
    #[error("log index {log_index} is past the {count} logs of the receipt")]
    LogIndex {
        /// Position claimed.
        log_index: u32,
        /// Number of logs in the receipt.
        count: usize,
    },
    /// Output index past the transaction's outputs.
    #[error("output index {log_index} is past the {count} outputs of the transaction")]
    OutputIndex {
        /// Position claimed.
        log_index: u32,
        /// Number of outputs.
        count: usize,
    },
    /// Not provable on this ledger.
    #[error(transparent)]
    NotProvable(NotProvable),
    /// Operation index past the single operation in an ICP transaction.
    #[error("operation index {log_index} is past the one operation of the transaction")]
    OperationIndex {
        /// Position claimed.
        log_index: u32,
    },
    /// Record index past the block's events.
    #[error("log index {log_index} is past the {count} events of the block")]
    RecordIndex {
        /// Position claimed.
        log_index: u32,
        /// Number of events in the block.
        count: usize,
    },
    /// Event index past the transaction's events.
    #[error("log index {log_index} is past the {count} events of the transaction")]
    EventIndex {
        /// Position claimed.
        log_index: u32,
        /// Number of events in the transaction.
        count: usize,
    },
    /// A value has an unknown version or kind.
    #[error("{what} of version {got} is not known to this build")]
    Version {
        /// Value name.
        what: &'static str,
        /// Version number.
        got: u32,
    },
    /// Root mismatch.
    #[error("{what} comes out as {got}, expected {expected}")]
    Mismatch {
        /// Root name.
        what: &'static str,
        /// Root computed.
        got: Hash,
        /// Root committed to.
        expected: Hash,
    },
}
