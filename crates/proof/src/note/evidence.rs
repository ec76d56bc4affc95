//! That one key signed two histories: evidence that convinces whoever has the key, by hashing and two
//! signatures alone.
//!
//! ```text
//! two_notes         two notes of one size, with different roots
//! another_history   notes of sizes a < b: entry a, included under b, opens slot 54 to a history of
//!                   size a whose root is not that of note a
//! ```
//! An honest log signs neither, whatever anybody sends it. Bytes:
//! `docs/protocol/log.md#history-consistency-checkpoints`.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use superroot_types::Hash;

use super::{Checkpoint, CheckpointError, KeyKind, Note, TrustPolicy, VerifierKey};
use crate::consistency::{ConsistencyError, HistoryOpening};
use crate::range::{RangeError, Sha256Range, verify_inclusion};
use crate::superroot::{History, SuperRoot, log_id};

/// Two notes of one key, and what makes them contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The key of the log, which the reader knows from elsewhere: whoever makes keys makes evidence.
    pub key: VerifierKey,
    /// The notes, whole, as they were shown. Where [`Evidence::entry`] is there, the smaller first.
    pub notes: [String; 2],
    /// For notes of two sizes: what the larger log says of its past.
    pub entry: Option<Box<HistoryEntry>>,
}

/// The SuperRoot whose sequence is the size of the smaller note, as the larger note's log has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryEntry {
    /// The SuperRoot: entry `sequence` of the log.
    pub super_root: SuperRoot,
    /// Its inclusion path under the larger note.
    pub path: Vec<Hash>,
    /// The history that it commits to: all entries before it.
    pub opening: HistoryOpening,
}

/// What evidence has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The log whose key signed both.
    pub origin: String,
    /// The size of which there are two histories.
    pub size: u64,
    /// Their roots.
    pub roots: [Hash; 2],
}

/// Why evidence shows nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvidenceError {
    /// The key is that of a witness.
    #[error("the key is that of a witness, not of a log")]
    Key,
    /// One of the notes is none of that key.
    #[error("note {number}: {cause}")]
    Note {
        /// The first or the second.
        number: u8,
        /// Why.
        cause: CheckpointError,
    },
    /// The notes are of two logs.
    #[error("the first note is of {first}, the second of {second}: expected two notes of one log")]
    Origins {
        /// Origin in the first.
        first: String,
        /// Origin in the second.
        second: String,
    },
    /// The sizes do not fit the form.
    #[error("notes of sizes {first} and {second}: {expected}")]
    Sizes {
        /// Of the first.
        first: u64,
        /// Of the second.
        second: u64,
        /// What they must be.
        expected: &'static str,
    },
    /// The entry is another than that of the smaller note's size.
    #[error("the entry is SuperRoot {got}, the smaller note has {expected} entries")]
    Entry {
        /// Its sequence.
        got: u64,
        /// Size of the smaller note.
        expected: u64,
    },
    /// The entry is one of another log.
    #[error("the entry is of another log")]
    Log,
    /// The entry is not included under the larger note.
    #[error("the entry under the larger note: {0}")]
    Path(RangeError),
    /// The history is not the one that the entry commits to.
    #[error("the history that the entry commits to: {0}")]
    Opening(ConsistencyError),
    /// Both say the same: nothing contradicts.
    #[error("both say that the root of size {size} is {root}: nothing is contradicted")]
    Agree {
        /// The size.
        size: u64,
        /// The root.
        root: Hash,
    },
}

impl Evidence {
    /// Checks it.
    ///
    /// # Errors
    /// [`EvidenceError`] naming why it shows nothing.
    pub fn verify(&self) -> Result<Contradiction, EvidenceError> {
        if self.key.kind() != KeyKind::Log {
            return Err(EvidenceError::Key);
        }
        let [first, second] = &self.notes;
        let signed = |number, note: &str| {
            self.signed(note).map_err(|cause| EvidenceError::Note { number, cause })
        };
        let (first, second) = (signed(1, first)?, signed(2, second)?);
        if first.origin != second.origin {
            return Err(EvidenceError::Origins { first: first.origin, second: second.origin });
        }
        let sizes = |expected| {
            let (first, second) = (first.size, second.size);
            Err(EvidenceError::Sizes { first, second, expected })
        };
        let other = match &self.entry {
            None if first.size != second.size => return sizes("two notes are of one size"),
            None => second.root,
            Some(_) if first.size >= second.size => return sizes("the first is the smaller"),
            Some(entry) => self.other_root(entry, &first, &second)?,
        };
        let (size, root) = (first.size, first.root);
        if other == root {
            return Err(EvidenceError::Agree { size, root });
        }
        Ok(Contradiction { origin: first.origin, size, roots: [root, other] })
    }

    /// A checkpoint that the key signed. Its origin is the name of the key in our logs; others have keys of other names, and
    /// what contradicts each other is then of one origin.
    fn signed(&self, note: &str) -> Result<Checkpoint, CheckpointError> {
        if self.entry.is_some() {
            return Checkpoint::of_note(note, &self.key, &TrustPolicy::none());
        }
        let note = Note::parse(note)?;
        note.verify(&self.key)?;
        Checkpoint::parse(note.text())
    }

    /// Root of the smaller note's size, as the larger note's log has it.
    fn other_root(
        &self,
        entry: &HistoryEntry,
        first: &Checkpoint,
        second: &Checkpoint,
    ) -> Result<Hash, EvidenceError> {
        let HistoryEntry { super_root, path, opening } = entry;
        let (got, expected) = (super_root.sequence, first.size);
        if got != expected {
            return Err(EvidenceError::Entry { got, expected });
        }
        if log_id(self.key.name()) != Ok(super_root.log_id) {
            return Err(EvidenceError::Log);
        }
        let leaf = History::leaf(super_root);
        verify_inclusion::<Sha256Range>(&leaf, got, second.size, path, &second.root)
            .map_err(EvidenceError::Path)?;
        opening.check(super_root).map_err(EvidenceError::Opening)?;
        Ok(opening.history.log_root)
    }
}
