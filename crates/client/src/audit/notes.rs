//! Kept notes: for the last replayed SuperRoots, and for shorter logs not compared yet.
//!
//! ```text
//! replayed   5 6 7 8 9 10        a log of size 7 with another root: two notes of one size
//! waiting    2                   a log of size 2: compared as soon as a service shows more again
//! ```

use std::collections::{BTreeMap, BTreeSet};

use superroot_proof::note::{Checkpoint, Note, TrustPolicy, VerifierKey};

use super::error::AuditError;
use crate::page::size_of;

/// Most kept notes for replayed SuperRoots.
const REPLAYED_MAX: usize = 256;
/// Most kept notes from shorter logs.
const WAITING_MAX: usize = 64;

/// Audit notes, all signed by the log key.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    /// By size, with the log key's signature only.
    replayed: BTreeMap<u64, String>,
    /// By size and text.
    waiting: BTreeSet<(u64, String)>,
}

impl Notes {
    /// Reads the notes in a state file; notes not signed by the key are left out.
    pub(super) fn read(replayed: &[String], waiting: &[String], key: &VerifierKey) -> Self {
        let mut notes = Self::default();
        let sized = |note: &String| checkpoint(note, key).ok().map(|said| said.size.0);
        for note in replayed.iter().take(REPLAYED_MAX) {
            notes.replayed.extend(sized(note).map(|size| (size, note.clone())));
        }
        for note in waiting {
            sized(note).into_iter().for_each(|size| notes.put_waiting(size, note));
        }
        notes
    }

    /// Keeps a replayed SuperRoot's note; drops the oldest above the limit.
    pub(super) fn put_replayed(&mut self, size: u64, note: &str, key: Option<&VerifierKey>) {
        let Ok(signed) = Note::parse(note) else { return };
        self.replayed.insert(size, signed.signed_by(key).to_string());
        if self.replayed.len() > REPLAYED_MAX {
            self.replayed.pop_first();
        }
    }

    /// Keeps a note from a shorter log until comparison. Above the limit, the first notes stay.
    pub(super) fn put_waiting(&mut self, size: u64, note: &str) {
        if self.waiting.len() < WAITING_MAX {
            self.waiting.insert((size, note.to_owned()));
        }
    }

    /// Removes a compared note.
    pub(super) fn remove_waiting(&mut self, size: u64, note: &str) {
        self.waiting.remove(&(size, note.to_owned()));
    }

    /// Replayed log's note at this size.
    pub(super) fn replayed(&self, size: u64) -> Option<&str> {
        self.replayed.get(&size).map(String::as_str)
    }

    /// Replayed SuperRoots' notes, by size.
    pub(super) fn all_replayed(&self) -> Vec<String> {
        self.replayed.values().cloned().collect()
    }

    /// Waiting notes from shorter logs, with sizes.
    pub(super) fn all_waiting(&self) -> Vec<(u64, String)> {
        self.waiting.iter().cloned().collect()
    }
}

/// Parses a note's checkpoint, signed by the key.
///
/// # Errors
/// [`AuditError::Note`].
pub fn checkpoint(note: &str, key: &VerifierKey) -> Result<Checkpoint, AuditError> {
    Checkpoint::of_note(note, key, &TrustPolicy::none())
        .map_err(|cause| AuditError::Note { size: size_of(note), cause })
}
