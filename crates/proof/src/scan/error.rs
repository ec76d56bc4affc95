//! What is wrong with a scan, and at which block.

use superroot_types::{BlockNumber, ChainKey, Hash};

use super::bounds::{SCAN_BLOCKS_MAX, SCAN_BYTES_MAX};
use super::encode::SCAN_FORMAT_VERSION;
use crate::bundle::{DecodeError, Fault, ProofError};
use crate::ledger::LedgerError;

/// A scan that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScanError {
    /// What it claims is no claim that a scan can show.
    #[error("statement: {0}")]
    Statement(ScanFault),
    /// The proof of its last block does not hold, or leads elsewhere.
    #[error("last block: {0}")]
    Last(ProofError),
    /// A block of the range is not shown.
    #[error("block {number}: {fault}")]
    Block {
        /// Which.
        number: BlockNumber,
        /// What is wrong.
        fault: ScanFault,
    },
}

impl ScanError {
    /// Where it failed, in a word or two: `statement`, the step of the last block's proof, `headers`
    /// or `receipts`.
    #[must_use]
    pub fn step(&self) -> &'static str {
        match self {
            Self::Statement(_) => "statement",
            Self::Last(error) => match error.step {
                crate::bundle::Step::Statement => "statement",
                crate::bundle::Step::Level(level) => level.name(),
                crate::bundle::Step::Anchor => "anchor",
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

/// What is wrong with a scan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScanFault {
    /// A list of the filter is too long.
    #[error("a filter of {got} {what}, at most {max}")]
    Filter {
        /// Which list.
        what: &'static str,
        /// Items given.
        got: usize,
        /// Items allowed.
        max: usize,
    },
    /// The range is empty or too long.
    #[error("blocks {from} to {to} are no range of 1 to {SCAN_BLOCKS_MAX} blocks")]
    Range {
        /// First block claimed.
        from: BlockNumber,
        /// Last block claimed.
        to: BlockNumber,
    },
    /// The chain's headers commit to no receipts with logs.
    #[error("headers of chain {chain} commit to no receipts with logs")]
    NotEvm {
        /// Chain claimed.
        chain: ChainKey,
    },
    /// Other headers than the range has blocks.
    #[error("{got} headers before the last, the range has {expected}")]
    HeaderCount {
        /// Headers given.
        got: usize,
        /// Headers needed.
        expected: u64,
    },
    /// The proof at the end is of something else.
    #[error("the proof at its end is not of the last block of the range")]
    OtherLast,
    /// Receipts of a block outside the range, or not in rising order.
    #[error("receipts of blocks that are not in the range, or not in rising order")]
    ReceiptsOrder,
    /// No rule covers the block, or it was withdrawn.
    #[error(transparent)]
    Rule(Fault),
    /// The header is not what its chain makes.
    #[error(transparent)]
    Header(LedgerError),
    /// The header is not the parent of the next one.
    #[error("its header hashes to {got}, the next block names {expected} as its parent")]
    Parent {
        /// Hash of the header.
        got: Hash,
        /// Hash that the next header names.
        expected: Hash,
    },
    /// The header has another number.
    #[error("its header has the number {got}")]
    Number {
        /// Number in the header.
        got: u64,
    },
    /// Receipts root and bloom are those of other blocks, which this one settles.
    #[error("its header names the receipts of the blocks that it settles, not its own")]
    Settles,
    /// The block needs its receipts, and there are none.
    #[error("its receipts are missing, and {why}")]
    ReceiptsMissing {
        /// Why its header alone does not do.
        why: &'static str,
    },
    /// Its bloom rules the filter out, and there are receipts all the same.
    #[error("it has receipts, though its bloom rules the filter out")]
    ReceiptsUnneeded,
    /// The receipts are not those of the block, or not all.
    #[error("its receipts lead to the root {got}, the header has {expected}")]
    ReceiptsRoot {
        /// Root computed.
        got: Hash,
        /// Root in the header.
        expected: Hash,
    },
    /// A receipt under the header's root that cannot be read.
    #[error("receipt {tx_index}: {cause}")]
    Receipt {
        /// Which.
        tx_index: u32,
        /// What is wrong.
        cause: LedgerError,
    },
}

/// Bytes that are no scan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScanDecodeError {
    /// Not a scan file at all.
    #[error("not a scan file: it does not begin with SRSCAN")]
    Magic,
    /// A form of another version.
    #[error("scan file of format {got}, this build reads format {SCAN_FORMAT_VERSION}")]
    Version {
        /// Version found.
        got: u8,
    },
    /// Too large to be read.
    #[error("a scan of {got} bytes; at most {SCAN_BYTES_MAX} are read")]
    TooLarge {
        /// Bytes found.
        got: usize,
    },
    /// A part is cut short or out of bounds.
    #[error("{part} is cut short or malformed")]
    Part {
        /// Which part.
        part: &'static str,
    },
    /// The check behind the statement does not fit it: the file was damaged.
    #[error("the statement is damaged: its check does not fit")]
    StatementCheck,
    /// The proof of the last block cannot be read.
    #[error("proof of the last block: {0}")]
    Last(DecodeError),
    /// Bytes follow the last part.
    #[error("{count} bytes follow the scan")]
    Trailing {
        /// Bytes left over.
        count: usize,
    },
    /// The bytes are not the one encoding of what they say.
    #[error("the scan is not in its canonical form")]
    NotCanonical,
}
