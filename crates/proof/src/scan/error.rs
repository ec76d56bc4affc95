use superroot_types::{BlockNumber, ChainKey, Hash};

use super::bounds::{SCAN_BLOCKS_MAX, SCAN_BYTES_MAX};
use super::encode::SCAN_FORMAT_VERSION;
use crate::bundle::{DecodeError, ProofError, ProofFault};
use crate::ledger::LedgerError;

/// Why a scan is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScanError {
    /// A claim no scan can show.
    #[error("statement: {0}")]
    Statement(ScanFault),
    /// Last block's proof is invalid or leads elsewhere.
    #[error("last block: {0}")]
    Last(ProofError),
    /// A block in the range is not proven.
    #[error("block {number}: {fault}")]
    Block {
        /// Block number.
        number: BlockNumber,
        /// Fault found.
        fault: ScanFault,
    },
}

impl ScanError {
    /// Failed step in a word or two: `statement`, the last block's proof step, `headers` or `receipts`.
    #[must_use]
    pub fn step(&self) -> &'static str {
        match self {
            Self::Statement(_) => "statement",
            Self::Last(error) => match error.step {
                crate::bundle::ProofStep::Statement => "statement",
                crate::bundle::ProofStep::Level(level) => level.name(),
                crate::bundle::ProofStep::Anchor => "anchor",
            },
            Self::Block { fault, .. } => match fault {
                ScanFault::ReceiptsMissing { .. }
                | ScanFault::ReceiptsUnneeded
                | ScanFault::ReceiptsRoot { .. }
                | ScanFault::Receipt { .. } => "receipts",
                _ => "headers",
            },
        }
    }
}

/// Scan fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScanFault {
    /// Too long filter list.
    #[error("a filter of {got} {what}, at most {max}")]
    Filter {
        /// List name.
        what: &'static str,
        /// Given items.
        got: usize,
        /// Allowed items.
        max: usize,
    },
    /// Empty or too long range.
    #[error("blocks {from} to {to} are no range of 1 to {SCAN_BLOCKS_MAX} blocks")]
    Range {
        /// Claimed first block.
        from: BlockNumber,
        /// Claimed last block.
        to: BlockNumber,
    },
    /// Chain headers commit to no receipts with logs.
    #[error("headers of chain {chain} commit to no receipts with logs")]
    NotEvm {
        /// Claimed chain.
        chain: ChainKey,
    },
    /// Header count differs from the block count.
    #[error("{got} headers before the last, the range has {expected}")]
    HeaderCount {
        /// Given headers.
        got: usize,
        /// Needed headers.
        expected: u64,
    },
    /// Final proof is about something else.
    #[error("the proof at its end is not of the last block of the range")]
    OtherLast,
    /// Receipts for a block outside the range, or not in rising order.
    #[error("receipts of blocks that are not in the range, or not in rising order")]
    ReceiptsOrder,
    /// No rule covers the block, or the block was withdrawn.
    #[error(transparent)]
    Rule(ProofFault),
    /// Header violates its chain's rules.
    #[error(transparent)]
    Header(LedgerError),
    /// Header is not the next header's parent.
    #[error("its header hashes to {got}, the next block names {expected} as its parent")]
    Parent {
        /// Header hash.
        got: Hash,
        /// Parent hash in the next header.
        expected: Hash,
    },
    /// Wrong header number.
    #[error("its header has the number {got}")]
    Number {
        /// Number in the header.
        got: u64,
    },
    /// Receipts root and bloom belong to other, settled blocks.
    #[error("its header names the receipts of the blocks that it settles, not its own")]
    Settles,
    /// Receipts are needed but missing.
    #[error("its receipts are missing, and {why}")]
    ReceiptsMissing {
        /// Why the header alone is not enough.
        why: &'static str,
    },
    /// Receipts despite a bloom excluding the filter.
    #[error("it has receipts, though its bloom rules the filter out")]
    ReceiptsUnneeded,
    /// Receipts differ from the block's, or are incomplete.
    #[error("its receipts lead to the root {got}, the header has {expected}")]
    ReceiptsRoot {
        /// Root computed.
        got: Hash,
        /// Root in the header.
        expected: Hash,
    },
    /// Unreadable receipt under the header's root.
    #[error("receipt {tx_index}: {cause}")]
    Receipt {
        /// Transaction position.
        tx_index: u32,
        /// Cause.
        cause: LedgerError,
    },
}

/// Why bytes are not a scan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScanDecodeError {
    /// Not a scan file.
    #[error("not a scan file: it does not begin with SRSCAN")]
    Magic,
    /// Another format version.
    #[error("scan file of format {got}, this build reads format {SCAN_FORMAT_VERSION}")]
    Version {
        /// Version found.
        got: u8,
    },
    /// Too large to read.
    #[error("a scan of {got} bytes; at most {SCAN_BYTES_MAX} are read")]
    TooLarge {
        /// Bytes found.
        got: usize,
    },
    /// A part is truncated or out of bounds.
    #[error("{part} is cut short or malformed")]
    Part {
        /// Part name.
        part: &'static str,
    },
    /// Statement checksum mismatch: the file is damaged.
    #[error("the statement is damaged: its check does not fit")]
    StatementCheck,
    /// Unreadable last block proof.
    #[error("proof of the last block: {0}")]
    Last(DecodeError),
    /// Bytes follow the last part.
    #[error("{count} bytes follow the scan")]
    Trailing {
        /// Bytes left over.
        count: usize,
    },
    /// Not the canonical encoding.
    #[error("the scan is not in its canonical form")]
    NotCanonical,
}
