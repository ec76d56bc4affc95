//! Proofs that a later SuperRoot extends an earlier SuperRoot: blobs, upgrades and two consistency strengths.
//!
//! ```text
//! upgrade   the log of n holds SuperRoot m
//! history   besides: no SuperRoot of m's history was rewritten
//! full      besides: no block was rewritten either
//! ```
//! The client brings root m itself: a pair from a single answer proves nothing. Bytes:
//! `docs/protocol/log.md#history-consistency-checkpoints`.

mod appended;
mod blob;
mod full;
mod history;
mod order;
mod replay;

pub use appended::Appending;
pub use blob::{AppendedTwig, Blob};
pub use full::{Bridge, FullConsistency};
pub use history::{HistoryConsistency, HistoryOpening, LogExtension};
pub use replay::{Replay, ReplayStep};

use superroot_types::{ChainKey, Family, Hash, LeafCount, RowIndex, SAFE_INTEGER_MAX, Sequence};

use crate::range::RangeError;
use crate::superroot::SuperRoot;

/// Why a SuperRoot does not extend another, or a blob is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConsistencyError {
    /// SuperRoot differs from the client's hash.
    #[error("the {which} SuperRoot is {got}, the client trusts {expected}")]
    Root {
        /// `earlier` or `later`.
        which: &'static str,
        /// Hash in the proof.
        got: Hash,
        /// Hash from the client.
        expected: Hash,
    },
    /// Different logs.
    #[error("the SuperRoots belong to different logs")]
    Log,
    /// Later SuperRoot is not later.
    #[error("SuperRoot {to} does not come after SuperRoot {from}")]
    Order {
        /// Earlier sequence.
        from: Sequence,
        /// Later sequence.
        to: Sequence,
    },
    /// Time ran backwards.
    #[error("the later SuperRoot has the earlier timestamp")]
    Timestamp,
    /// Root mismatch.
    #[error("{what} comes out as {got}, expected {expected}")]
    Mismatch {
        /// Root name.
        what: &'static str,
        /// Hash computed.
        got: Hash,
        /// Hash committed to.
        expected: Hash,
    },
    /// A sequence or time is 2^53 or more.
    #[error("the {what} of a SuperRoot is 2^53 or more")]
    TooLarge {
        /// Name for the value.
        what: &'static str,
    },
    /// History entry count differs from the SuperRoot's sequence.
    #[error("SuperRoot {sequence} commits to {leaf_count} entries of history")]
    HistoryCount {
        /// SuperRoot sequence.
        sequence: Sequence,
        /// Number of entries.
        leaf_count: LeafCount,
    },
    /// Invalid range path.
    #[error("{what}: {cause}")]
    Range {
        /// Range name.
        what: &'static str,
        /// Cause.
        cause: RangeError,
    },
    /// Mini-MMR leaf count differs from its chains' runs.
    #[error("the {family} Mini-MMR has {got} leaves, the references give {expected}")]
    LeafCount {
        /// Family.
        family: Family,
        /// Leaves committed to.
        got: LeafCount,
        /// Leaf count from the references.
        expected: LeafCount,
    },
    /// Appended twigs differ from the runs or their order.
    #[error("appended twig {position} is not the one that the runs give")]
    Appended {
        /// Position among the appended twigs.
        position: u64,
    },
    /// A registry row was moved, changed or removed.
    #[error("registry row {row} was moved, changed or removed")]
    Registry {
        /// Row number.
        row: RowIndex,
    },
    /// Reference does not fit its row, or its run is invalid.
    #[error("the reference of registry row {row} is malformed: {why}")]
    Reference {
        /// Row number.
        row: RowIndex,
        /// Reason.
        why: &'static str,
    },
    /// A chain's run shrank, or its last block was replaced.
    #[error("chain {chain}: {why}")]
    Chain {
        /// Chain key.
        chain: ChainKey,
        /// Fault found.
        why: &'static str,
    },
    /// A bridge is missing or superfluous.
    #[error("the proof lacks or repeats the part of chain {chain}")]
    Bridge {
        /// Chain key.
        chain: ChainKey,
    },
}

/// Checks that sequence and time are integers exact for every reader.
fn within(super_root: &SuperRoot) -> Result<(), ConsistencyError> {
    for (what, value) in
        [("sequence", super_root.sequence.0), ("timestamp", super_root.timestamp.0)]
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
