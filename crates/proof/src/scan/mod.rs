//! All events in a block range passing a filter, or their absence: shown by linked headers, and by the receipts for
//! blocks not excluded by their bloom.
//!
//! ```text
//!  from                                                to
//!  header ◄─parent── header ◄─parent── header ◄─parent── header ─► twig ─► .. ─► SuperRoot
//!  bloom rules       bloom allows      bloom rules       bloom rules     one path for all (Bundle)
//!  the filter out    the filter:       the filter out    the filter out
//!                    all receipts
//! ```
//! Terms: a *page* is a scan over at most 2,048 blocks; a bloom *binds* if the chain's nodes refuse a block whose bloom
//! misses a log ([`check_bloom`]).
//!
//! Invariant: no block in the range is skipped. A block without receipts has a binding bloom excluding the filter, as
//! tested by the verifier itself; for every further block all receipts lead to the header's root, and the verifier
//! itself picks the events. Bytes: `docs/protocol/files.md#the-scan-file`.

mod blooms;
mod bounds;
mod decode;
mod encode;
mod error;
mod filter;
mod sieve;
mod verify;

pub use blooms::{BLOOMS_BIND, check_bloom, outside_receipts};
pub use bounds::{
    ADDRESSES_MAX, ANYWHERE_MAX, RECEIPT_BYTES_MIN, SCAN_BLOCKS_MAX, SCAN_BYTES_MAX, TOPICS_MAX,
};
pub use encode::{SCAN_FORMAT_VERSION, SCAN_MAGIC};
pub use error::{ScanDecodeError, ScanError, ScanFault};
pub use filter::ScanFilter;
pub use sieve::{EventNeed, Sieve};
pub use verify::{ScanEvent, ScanFacts, verify, verify_anchored};

use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey};

use crate::bundle::Bundle;

/// Blocks and event filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanStatement {
    /// EVM family chain.
    pub chain: ChainKey,
    /// First block.
    pub from: BlockNumber,
    /// Last block; at most 2,048 blocks including the first.
    pub to: BlockNumber,
    /// Event filter.
    pub filter: ScanFilter,
}

impl ScanStatement {
    /// Block count; `None` for an empty or too long range.
    #[must_use]
    pub fn block_count(&self) -> Option<u64> {
        let count = self.to.0.checked_sub(self.from.0)?.checked_add(1)?;
        (count <= SCAN_BLOCKS_MAX).then_some(count)
    }
}

/// All receipts in a block, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockReceipts {
    /// Block number.
    pub number: BlockNumber,
    /// Receipt trie leaves, first to last.
    pub leaves: Vec<Vec<u8>>,
}

/// Claim about a range's events, with all evidence; not trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scan {
    /// Claim.
    pub statement: ScanStatement,
    /// Headers for all blocks except the last, rising.
    pub headers: Vec<Vec<u8>>,
    /// Receipts of the blocks that need them, rising.
    pub receipts: Vec<BlockReceipts>,
    /// Last block's proof, up to a SuperRoot.
    pub last: Bundle,
}
