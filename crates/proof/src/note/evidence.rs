//! Fork evidence: a key signed two histories. Hashing and two signatures alone convince anybody with the key.
//!
//! ```text
//! two_notes         two notes of one size, with different roots
//! another_history   notes of sizes a < b: entry a, included under b, opens slot 54 to a history of
//!                   size a whose root is not that of note a
//! ```
//! An honest log signs neither, whatever anybody sends. Bytes: `docs/protocol/log.md#history-consistency-checkpoints`.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use superroot_types::{Hash, LogSize, Sequence};

use super::{Checkpoint, CheckpointError, KeyKind, Note, TrustPolicy, VerifierKey};
use crate::consistency::{ConsistencyError, HistoryOpening};
use crate::range::{RangeError, Sha256Range, verify_inclusion};
use crate::superroot::{SuperRoot, SuperRootHistory, log_id};

/// Two contradictory notes from a single key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForkEvidence {
    /// Log key, known to the reader from elsewhere: key creators can create evidence.
    pub key: VerifierKey,
    /// Whole notes as shown. With [`ForkEvidence::entry`], the smaller first.
    pub notes: [String; 2],
    /// For two sizes: the larger log's statement about its past.
    pub entry: Option<Box<HistoryEntry>>,
}

/// SuperRoot in the larger note's log with the smaller note's size as its sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryEntry {
    /// SuperRoot: entry `sequence` in the log.
    pub super_root: SuperRoot,
    /// Inclusion path under the larger note.
    pub path: Vec<Hash>,
    /// Committed history: all earlier entries.
    pub opening: HistoryOpening,
}

/// Proven contradiction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// Log whose key signed both.
    pub origin: String,
    /// Size with two histories.
    pub size: LogSize,
    /// Both roots.
    pub roots: [Hash; 2],
}

/// Why evidence proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvidenceError {
    /// Witness key instead of a log key.
    #[error("the key is that of a witness, not of a log")]
    Key,
    /// A note is not from this key.
    #[error("note {number}: {cause}")]
    Note {
        /// First or second.
        number: u8,
        /// Cause.
        cause: CheckpointError,
    },
    /// Notes from two logs.
    #[error("the first note is of {first}, the second of {second}: expected two notes of one log")]
    Origins {
        /// First origin.
        first: String,
        /// Second origin.
        second: String,
    },
    /// Sizes do not fit the form.
    #[error("notes of sizes {first} and {second}: {expected}")]
    Sizes {
        /// First size.
        first: LogSize,
        /// Second size.
        second: LogSize,
        /// Required sizes.
        expected: &'static str,
    },
    /// Entry sequence differs from the smaller note's size.
    #[error("the entry is SuperRoot {got}, the smaller note has {expected} entries")]
    Entry {
        /// Entry sequence.
        got: Sequence,
        /// Smaller note's size.
        expected: LogSize,
    },
    /// Entry from another log.
    #[error("the entry is of another log")]
    Log,
    /// Entry not included under the larger note.
    #[error("the entry under the larger note: {0}")]
    Path(RangeError),
    /// History differs from the entry's commitment.
    #[error("the history that the entry commits to: {0}")]
    Opening(ConsistencyError),
    /// Both agree: no contradiction.
    #[error("both say that the root of size {size} is {root}: nothing is contradicted")]
    Agree {
        /// Common size.
        size: LogSize,
        /// Common root.
        root: Hash,
    },
}

impl ForkEvidence {
    /// Checks the evidence.
    ///
    /// # Errors
    /// [`EvidenceError`] with the reason for a missing contradiction.
    pub fn verify(&self) -> Result<Contradiction, EvidenceError> {
        if self.key.kind() != KeyKind::Log {
            return Err(EvidenceError::Key);
        }
        let [first, second] = &self.notes;
        let signed = |number, note: &str| {
            self.signed(note).map_err(|cause| EvidenceError::Note { number, cause })
        };
        let first = signed(1, first)?;
        let second = signed(2, second)?;
        if first.origin != second.origin {
            return Err(EvidenceError::Origins { first: first.origin, second: second.origin });
        }
        let sizes = |expected| {
            let first = first.size;
            let second = second.size;
            Err(EvidenceError::Sizes { first, second, expected })
        };
        let other = match &self.entry {
            None if first.size != second.size => return sizes("two notes are of one size"),
            None => second.root,
            Some(_) if first.size >= second.size => return sizes("the first is the smaller"),
            Some(entry) => self.other_root(entry, &first, &second)?,
        };
        let size = first.size;
        let root = first.root;
        if other == root {
            return Err(EvidenceError::Agree { size, root });
        }
        Ok(Contradiction { origin: first.origin, size, roots: [root, other] })
    }

    /// Checkpoint signed by the key. Our logs use the key name as origin; elsewhere names differ, and then
    /// contradictory notes share an origin.
    fn signed(&self, note: &str) -> Result<Checkpoint, CheckpointError> {
        if self.entry.is_some() {
            return Checkpoint::of_note(note, &self.key, &TrustPolicy::none());
        }
        let note = Note::parse(note)?;
        note.verify(&self.key)?;
        Checkpoint::parse(note.text())
    }

    /// Root at the smaller note's size, from the larger note's log.
    fn other_root(
        &self,
        entry: &HistoryEntry,
        first: &Checkpoint,
        second: &Checkpoint,
    ) -> Result<Hash, EvidenceError> {
        let HistoryEntry { super_root, path, opening } = entry;
        let got = super_root.sequence;
        let expected = first.size;
        if got != expected.next() {
            return Err(EvidenceError::Entry { got, expected });
        }
        if log_id(self.key.name()) != Ok(super_root.log_id) {
            return Err(EvidenceError::Log);
        }
        let leaf = SuperRootHistory::leaf(super_root);
        let (index, count) = (got.leaf_index(), second.size.leaf_count());
        verify_inclusion::<Sha256Range>(&leaf, index, count, path, &second.root)
            .map_err(EvidenceError::Path)?;
        opening.check(super_root).map_err(EvidenceError::Opening)?;
        Ok(opening.history.log_root)
    }
}
