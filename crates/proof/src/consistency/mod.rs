//! That a later SuperRoot extends an earlier one: blobs, upgrades, and consistency of two strengths.
//!
//! ```text
//! upgrade   the log of n holds SuperRoot m
//! history   besides: no SuperRoot of m's history was rewritten
//! full      besides: no block was rewritten either
//! ```
//! The client brings root m itself: a pair out of one answer proves nothing.
//! Bytes: `docs/protocol/log.md#history-consistency-checkpoints`.

mod appended;
mod blob;
mod full;
mod history;
mod order;
mod replay;

pub use appended::Appending;
pub use blob::{AppendedTwig, Blob};
pub use full::{Bridge, FullConsistency};
pub use history::{HistoryConsistency, HistoryOpening, Upgrade};
pub use replay::{Replay, ReplayStep};

use superroot_types::{ChainKey, Family, Hash, SAFE_INTEGER_MAX};

use crate::range::RangeError;
use crate::superroot::SuperRoot;

/// Why one SuperRoot does not extend another, or a blob is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConsistencyError {
    /// A SuperRoot is not the one the client brought.
    #[error("the {which} SuperRoot is {got}, the client trusts {expected}")]
    Root {
        /// `earlier` or `later`.
        which: &'static str,
        /// Hash in the proof.
        got: Hash,
        /// Hash the client brought.
        expected: Hash,
    },
    /// The two belong to different logs.
    #[error("the SuperRoots belong to different logs")]
    Log,
    /// The later one is not later.
    #[error("SuperRoot {to} does not come after SuperRoot {from}")]
    Order {
        /// Sequence of the earlier one.
        from: u64,
        /// Sequence of the later one.
        to: u64,
    },
    /// Time ran backwards.
    #[error("the later SuperRoot has the earlier timestamp")]
    Timestamp,
    /// A root came out other than it must.
    #[error("{what} comes out as {got}, expected {expected}")]
    Mismatch {
        /// Which root.
        what: &'static str,
        /// Hash computed.
        got: Hash,
        /// Hash committed to.
        expected: Hash,
    },
    /// A sequence or a time is 2^53 or more.
    #[error("the {what} of a SuperRoot is 2^53 or more")]
    TooLarge {
        /// What is too large.
        what: &'static str,
    },
    /// The history has another number of entries than the SuperRoot's sequence.
    #[error("SuperRoot {sequence} commits to {leaf_count} entries of history")]
    HistoryCount {
        /// The SuperRoot.
        sequence: u64,
        /// Entries.
        leaf_count: u64,
    },
    /// A path through a range does not hold.
    #[error("{what}: {cause}")]
    Range {
        /// Which range.
        what: &'static str,
        /// Why.
        cause: RangeError,
    },
    /// A Mini-MMR has another number of leaves than its chains' runs give.
    #[error("the {family} Mini-MMR has {got} leaves, the references give {expected}")]
    LeafCount {
        /// The family.
        family: Family,
        /// Leaves committed to.
        got: u64,
        /// Leaves that the references give.
        expected: u64,
    },
    /// The twigs appended are not those that the runs give, in their order.
    #[error("appended twig {position} is not the one that the runs give")]
    Appended {
        /// Its place among the appended.
        position: u64,
    },
    /// A registry row was moved, changed or removed.
    #[error("registry row {row} was moved, changed or removed")]
    Registry {
        /// The row.
        row: usize,
    },
    /// A reference does not fit its row, or its run is none.
    #[error("the reference of registry row {row} is malformed: {why}")]
    Reference {
        /// The row.
        row: usize,
        /// Why.
        why: &'static str,
    },
    /// A chain's run shrank, or its last block was exchanged.
    #[error("chain {chain}: {why}")]
    Chain {
        /// The chain.
        chain: ChainKey,
        /// What happened to it.
        why: &'static str,
    },
    /// The proof lacks a part, or has one too many.
    #[error("the proof lacks or repeats the part of chain {chain}")]
    Bridge {
        /// The chain.
        chain: ChainKey,
    },
}

/// Sequence and time are integers that every reader keeps exactly.
fn within(super_root: &SuperRoot) -> Result<(), ConsistencyError> {
    for (what, value) in [("sequence", super_root.sequence), ("timestamp", super_root.timestamp.0)]
    {
        if value > SAFE_INTEGER_MAX {
            return Err(ConsistencyError::TooLarge { what });
        }
    }
    Ok(())
}

fn same(what: &'static str, got: Hash, expected: Hash) -> Result<(), ConsistencyError> {
    if got == expected { Ok(()) } else { Err(ConsistencyError::Mismatch { what, got, expected }) }
}
