//! Body extent and reasons for a missing proof.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::error::NotProvable;

/// Available and verified block parts besides the header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Extent {
    /// Whether every transaction is present.
    pub transactions: bool,
    /// Whether every receipt is present; never in a family without receipts.
    pub receipts: bool,
}

impl Extent {
    /// Whether every part in `less` is present.
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

/// Event count over all transactions in a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventOffsets {
    /// Not counted by the ledger's nodes.
    Uncounted,
    /// Event position is already the block position.
    OfBlock,
    /// Events before each transaction position; ends at the first transaction without stored events.
    Before(Vec<u64>),
}

impl EventOffsets {
    /// Events before a transaction position; `None` if not all are stored or counted.
    #[must_use]
    pub fn before(&self, tx_index: u32) -> Option<u64> {
        match self {
            Self::Uncounted => None,
            Self::OfBlock => Some(0),
            Self::Before(counts) => counts.get(usize::try_from(tx_index).ok()?).copied(),
        }
    }
}

/// Why a body gives no entry proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoEntry {
    /// The block part is not in the body.
    #[error("the {part} are not held")]
    NotHeld {
        /// `transactions`, `receipts` or `events`.
        part: &'static str,
    },
    /// No transaction at the position.
    #[error("there is no transaction {tx_index}")]
    NoTransaction {
        /// Requested position.
        tx_index: u32,
    },
    /// A transaction is present where its absence was to be proven.
    #[error("there is a transaction {tx_index}")]
    Present {
        /// Requested position.
        tx_index: u32,
    },
    /// The transaction has no event at the index.
    #[error("{noun} index {log_index} is past the {count} {noun}s of the {whole}")]
    EventIndex {
        /// `log` or `output`.
        noun: &'static str,
        /// Event container: `receipt` or `transaction`.
        whole: &'static str,
        /// Requested position.
        log_index: u32,
        /// Number of events.
        count: usize,
        /// Intended position, if the index counts events over the whole block.
        meant: Option<u32>,
    },
    /// Not provable on this ledger.
    #[error(transparent)]
    NotProvable(NotProvable),
    /// Body was not built from a block.
    #[error("the body is damaged: {what}")]
    Damaged {
        /// Fault found.
        what: String,
    },
}

impl NoEntry {
    pub(super) fn damaged(what: &impl ToString) -> Self {
        Self::Damaged { what: what.to_string() }
    }

    /// Refuses an event index past the `count` of its container, in the ledger's nouns.
    pub(super) fn check_event(
        log_index: u32,
        count: usize,
        noun: &'static str,
        whole: &'static str,
    ) -> Result<(), Self> {
        if usize::try_from(log_index).is_ok_and(|log_index| log_index < count) {
            return Ok(());
        }
        Err(Self::EventIndex { noun, whole, log_index, count, meant: None })
    }
}

/// Why a body does not match its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyFault {
    /// Parts or roots differ from the block.
    #[error("its body is not that of its header")]
    OtherHeader,
    /// A tree node is missing.
    #[error("a trie node is gone")]
    NodeGone,
    /// An entry is missing.
    #[error("an entry is gone")]
    EntryGone,
}

/// Why a body cannot be reduced to some entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CannotKeep {
    /// A requested entry is not in the block.
    NoSuchEntry,
    /// The ledger's proofs need the whole block.
    WholeOnly,
}

impl CannotKeep {
    /// Reason in words.
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
