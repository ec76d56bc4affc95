//! All events of a range of blocks that pass a filter, or that there is none: shown by headers that
//! hang together, and by the receipts of the blocks whose bloom does not rule them out.
//!
//! ```text
//!  from                                                to
//!  header ◄─parent── header ◄─parent── header ◄─parent── header ─► twig ─► .. ─► SuperRoot
//!  bloom rules       bloom allows      bloom rules       bloom rules     one path for all (Bundle)
//!  the filter out    the filter:       the filter out    the filter out
//!                    all receipts
//! ```
//! Words: a *page* is a scan of at most 2,048 blocks; a bloom *binds* where the nodes of its chain
//! refuse a block whose bloom lacks one of its logs ([`check_bloom`]).
//!
//! What must hold: no block of the range is passed over. A block without receipts is one whose bloom
//! binds and rules the filter out, as the verifier itself tests; of every other block all receipts
//! lead to the header's root, and the verifier itself picks the events. Bytes:
//! `docs/protocol/files.md#the-scan-file`.

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
pub use sieve::{Need, Sieve};
pub use verify::{ScanEvent, ScanFacts, verify, verify_anchored};

use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey};

use crate::bundle::Bundle;

/// Which events of which blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanStatement {
    /// The chain, of the EVM family.
    pub chain: ChainKey,
    /// First block.
    pub from: BlockNumber,
    /// Last block; at most 2,048 with the first.
    pub to: BlockNumber,
    /// Which events.
    pub filter: ScanFilter,
}

impl ScanStatement {
    /// Blocks of the range; `None` where it is empty or has more than a scan may have.
    #[must_use]
    pub fn block_count(&self) -> Option<u64> {
        let count = self.to.0.checked_sub(self.from.0)?.checked_add(1)?;
        (count <= SCAN_BLOCKS_MAX).then_some(count)
    }
}

/// All receipts of one block, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockReceipts {
    /// The block.
    pub number: BlockNumber,
    /// Leaves of its receipt trie, from the first to the last.
    pub leaves: Vec<Vec<u8>>,
}

/// A claim about the events of a range, with all that shows it. Nothing of it is believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scan {
    /// What is claimed.
    pub statement: ScanStatement,
    /// Headers of all blocks but the last, rising.
    pub headers: Vec<Vec<u8>>,
    /// Receipts of the blocks that need them, rising.
    pub receipts: Vec<BlockReceipts>,
    /// Proof of the last block, up to a SuperRoot.
    pub last: Bundle,
}
