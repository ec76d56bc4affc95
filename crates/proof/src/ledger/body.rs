//! What a body holds, and why it gives no proof.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::error::NotProvable;

/// Which parts of a block are there and verified, besides its header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Extent {
    /// Every transaction.
    pub transactions: bool,
    /// Every receipt; never in a family that has none.
    pub receipts: bool,
}

impl Extent {
    /// Whether it holds every part that `less` does.
    #[must_use]
    pub const fn covers(self, less: Self) -> bool {
        (self.transactions || !less.transactions) && (self.receipts || !less.receipts)
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.transactions, self.receipts) {
            (false, false) => "header",
            (true, false) => "header+transactions",
            (false, true) => "header+receipts",
            (true, true) => "header+transactions+receipts",
        })
    }
}

/// How the events of a block are counted over all of its transactions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventOffsets {
    /// The ledger's nodes have no such count.
    Uncounted,
    /// The position of an event is its position in the block.
    OfBlock,
    /// By position of a transaction: events of those before it. Ends at the first one whose events are not held.
    Before(Vec<u64>),
}

impl EventOffsets {
    /// Events of the transactions before that position; `None` where they are not all held, or not counted.
    #[must_use]
    pub fn before(&self, tx_index: u32) -> Option<u64> {
        match self {
            Self::Uncounted => None,
            Self::OfBlock => Some(0),
            Self::Before(counts) => counts.get(usize::try_from(tx_index).ok()?).copied(),
        }
    }
}

/// Why a body gives no proof of an entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoEntry {
    /// That part of the block is not in the body.
    #[error("the {part} are not held")]
    NotHeld {
        /// `transactions`, `receipts` or `events`.
        part: &'static str,
    },
    /// The block has no such transaction.
    #[error("there is no transaction {tx_index}")]
    NoTransaction {
        /// Position asked for.
        tx_index: u32,
    },
    /// There is a transaction where its absence was to be proven.
    #[error("there is a transaction {tx_index}")]
    Present {
        /// Position asked for.
        tx_index: u32,
    },
    /// The transaction has no such event.
    #[error("{noun} index {log_index} is past the {count} {noun}s of the {whole}")]
    EventIndex {
        /// `log` or `output`.
        noun: &'static str,
        /// What has the events: `receipt` or `transaction`.
        whole: &'static str,
        /// Position asked for.
        log_index: u32,
        /// Events there are.
        count: usize,
        /// The position meant, if the index counts events of the whole block.
        meant: Option<u32>,
    },
    /// The ledger cannot show such a thing.
    #[error(transparent)]
    NotProvable(NotProvable),
    /// The body is not what was built from a block.
    #[error("the body is damaged: {what}")]
    Damaged {
        /// What is wrong.
        what: String,
    },
}

impl NoEntry {
    pub(super) fn damaged(what: &impl ToString) -> Self {
        Self::Damaged { what: what.to_string() }
    }
}

/// Why a body is not that of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyFault {
    /// Its parts or roots are not those that the block has.
    #[error("its body is not that of its header")]
    OtherHeader,
    /// A part of a tree is not there.
    #[error("a trie node is gone")]
    NodeGone,
    /// An entry is not there.
    #[error("an entry is gone")]
    EntryGone,
}

/// Some entries of a block alone were to be kept, and cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CannotKeep {
    /// One of them is not in the block.
    NoSuchEntry,
    /// The ledger's proofs take all of a block.
    WholeOnly,
}

impl CannotKeep {
    /// The reason in words.
    #[must_use]
    pub const fn why(self) -> &'static str {
        match self {
            Self::NoSuchEntry => "an entry is to be kept that it does not have",
            Self::WholeOnly => "a block of this family is kept whole or not at all",
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn extents_read_as_their_parts() {
        let names = [
            (false, false, "header"),
            (true, false, "header+transactions"),
            (false, true, "header+receipts"),
            (true, true, "header+transactions+receipts"),
        ];
        for (transactions, receipts, name) in names {
            assert_eq!(Extent { transactions, receipts }.to_string(), name);
        }
    }
}
