//! The notes that an audit keeps: those of the last SuperRoots that it replayed, and those of shorter
//! logs that it could not compare yet.
//!
//! ```text
//! replayed   5 6 7 8 9 10        a log of size 7 with another root: two notes of one size
//! waiting    2                   a log of size 2: compared as soon as a service shows more again
//! ```

use std::collections::{BTreeMap, BTreeSet};

use superroot_proof::note::{Note, VerifierKey};

use super::checkpoint;

/// Notes of replayed SuperRoots that are kept, at most.
const REPLAYED_MAX: usize = 256;
/// Notes of shorter logs that are kept, at most.
const WAITING_MAX: usize = 64;

/// The notes of an audit, all signed by the key of the log.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    /// By size, with the signature of the key alone.
    replayed: BTreeMap<u64, String>,
    /// By size and text.
    waiting: BTreeSet<(u64, String)>,
}

impl Notes {
    /// Those of a state file; a note that is not of the key is left out.
    pub(super) fn read(replayed: &[String], waiting: &[String], key: &VerifierKey) -> Self {
        let mut notes = Self::default();
        let sized = |note: &String| checkpoint(note, key).ok().map(|said| said.size);
        for note in replayed.iter().take(REPLAYED_MAX) {
            notes.replayed.extend(sized(note).map(|size| (size, note.clone())));
        }
        for note in waiting {
            sized(note).into_iter().for_each(|size| notes.put_waiting(size, note));
        }
        notes
    }

    /// Keeps the note of a SuperRoot that was replayed; the oldest goes where there are too many.
    pub(super) fn put_replayed(&mut self, size: u64, note: &str, key: Option<&VerifierKey>) {
        let Ok(signed) = Note::parse(note) else { return };
        self.replayed.insert(size, signed.signed_by(key).to_string());
        if self.replayed.len() > REPLAYED_MAX {
            self.replayed.pop_first();
        }
    }

    /// Keeps the note of a shorter log until it can be compared. The first ones stay where there are
    /// too many.
    pub(super) fn put_waiting(&mut self, size: u64, note: &str) {
        if self.waiting.len() < WAITING_MAX {
            self.waiting.insert((size, note.to_owned()));
        }
    }

    /// A note of a shorter log was compared.
    pub(super) fn remove_waiting(&mut self, size: u64, note: &str) {
        self.waiting.remove(&(size, note.to_owned()));
    }

    /// The note of the replayed log when it had that size.
    pub(super) fn replayed(&self, size: u64) -> Option<&str> {
        self.replayed.get(&size).map(String::as_str)
    }

    /// The notes of replayed SuperRoots, by size.
    pub(super) fn all_replayed(&self) -> Vec<String> {
        self.replayed.values().cloned().collect()
    }

    /// The notes of shorter logs that wait, with their sizes.
    pub(super) fn all_waiting(&self) -> Vec<(u64, String)> {
        self.waiting.iter().cloned().collect()
    }
}
