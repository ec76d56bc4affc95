//! Signed notes (C2SP `signed-note`): who says that a log has that size and that root.
//!
//! ```text
//! origin
//! size in decimal           the text: a checkpoint (C2SP tlog-checkpoint)
//! base64 of the root
//!
//! — origin base64(key id ‖ signature)                 by the log
//! — witness base64(key id ‖ timestamp ‖ signature)    by a witness (C2SP tlog-cosignature)
//! ```
//! A signature counts only under a key that the client brings; all others are passed over.

mod checkpoint;
mod evidence;
mod key;
mod policy;
mod signer;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use evidence::{Contradiction, Evidence, EvidenceError, HistoryEntry};
pub use key::{KeyError, KeyKind, VerifierKey};
pub use policy::{PolicyError, TrustPolicy};
pub use signer::Signer;

use alloc::string::String;
use alloc::vec::Vec;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// Largest note that is read, in bytes.
pub const NOTE_BYTES_MAX: usize = 64 << 10;
/// Most signatures that a note may have.
pub const SIGNATURES_MAX: usize = 100;
/// What stands before each signature: an em dash and a space.
const DASH: &str = "\u{2014} ";

/// A note as it was read: nothing in it is believed yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    text: String,
    signatures: Vec<NoteSignature>,
}

/// One signature line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct NoteSignature {
    name: String,
    key_id: [u8; 4],
    signature: Vec<u8>,
}

/// Why bytes are no note, or a note is not signed by a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// Not a text, an empty line, and 1 to 100 lines of signatures, in at most 64 KiB.
    #[error(
        "not a signed note: lines of text, an empty line, then 1 to {SIGNATURES_MAX} signatures, \
         in at most {NOTE_BYTES_MAX} bytes"
    )]
    Malformed,
    /// The key signed nothing here.
    #[error("the note has no signature of that key")]
    Unsigned,
    /// A signature under the key's name and id is not of that key.
    #[error("the signature under the key's name does not hold")]
    Signature,
}

impl Note {
    /// Reads a note.
    ///
    /// # Errors
    /// [`NoteError::Malformed`] for anything else.
    pub fn parse(note: &str) -> Result<Self, NoteError> {
        let sound = |text: &str| !text.chars().any(|c| c.is_ascii_control() && c != '\n');
        if note.len() > NOTE_BYTES_MAX || !sound(note) {
            return Err(NoteError::Malformed);
        }
        let (text, lines) = note.rsplit_once("\n\n").ok_or(NoteError::Malformed)?;
        let lines = lines.strip_suffix('\n').ok_or(NoteError::Malformed)?;
        let signatures: Option<Vec<NoteSignature>> =
            lines.split('\n').take(SIGNATURES_MAX + 1).map(read_signature).collect();
        let signatures = signatures.filter(|read| read.len() <= SIGNATURES_MAX);
        let signatures = signatures.ok_or(NoteError::Malformed)?;
        let mut text = String::from(text);
        text.push('\n');
        Ok(Self { text, signatures })
    }

    /// The text with its last line's end. Only [`Note::verify`] says whether somebody signed it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Checks that this key signed the text; gives the time of a cosignature, in Unix seconds, and
    /// `None` for a signature of a log, which has no time.
    ///
    /// # Errors
    /// [`NoteError::Unsigned`] or [`NoteError::Signature`]: the first signature under the key's name
    /// and id decides.
    pub fn verify(&self, key: &VerifierKey) -> Result<Option<u64>, NoteError> {
        let mut own = self.signatures.iter();
        let own = own.find(|one| one.name == key.name() && one.key_id == key.id());
        let own = own.ok_or(NoteError::Unsigned)?;
        key.check(&self.text, &own.signature).ok_or(NoteError::Signature)
    }

    /// The same note with the signatures of that name alone; with none, where it has none of it.
    #[must_use]
    pub fn signed_as(mut self, name: &str) -> Self {
        self.signatures.retain(|one| one.name == name);
        self
    }

    /// The same note with signatures of another note over the same text behind its own; those that
    /// it has already are not repeated.
    #[must_use]
    pub fn joined(mut self, other: &Self) -> Self {
        if self.text == other.text {
            let new = other.signatures.iter().filter(|one| !self.signatures.contains(one));
            let new: Vec<NoteSignature> = new.cloned().collect();
            self.signatures.extend(new);
        }
        self
    }

    /// The same text with the signatures of these keys alone, one each, where they hold: what a
    /// stranger put beside them is gone.
    #[must_use]
    pub fn signed_by<'a>(&self, keys: impl IntoIterator<Item = &'a VerifierKey>) -> Self {
        let of_key = |key: &VerifierKey| {
            let mut own = self.signatures.iter();
            let own = own.find(|one| one.name == key.name() && one.key_id == key.id())?;
            key.check(&self.text, &own.signature).map(|_| own.clone())
        };
        let signatures = keys.into_iter().filter_map(of_key).collect();
        Self { text: self.text.clone(), signatures }
    }

    /// Whether anybody signed it, as far as the note says.
    #[must_use]
    pub const fn has_signatures(&self) -> bool {
        !self.signatures.is_empty()
    }

    /// Its lines of signatures alone, each with its end.
    #[must_use]
    pub fn signature_lines(&self) -> String {
        let mut lines = String::new();
        for NoteSignature { name, key_id, signature } in &self.signatures {
            let bytes = [key_id.as_slice(), signature].concat();
            lines.extend([DASH, name, " ", &BASE64_STANDARD.encode(bytes), "\n"]);
        }
        lines
    }
}

impl core::fmt::Display for Note {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}\n{}", self.text, self.signature_lines())
    }
}

fn read_signature(line: &str) -> Option<NoteSignature> {
    let (name, encoded) = line.strip_prefix(DASH)?.split_once(' ')?;
    let bytes = BASE64_STANDARD.decode(encoded).ok()?;
    let (key_id, signature) = bytes.split_first_chunk::<4>()?;
    if !is_name(name) || signature.is_empty() {
        return None;
    }
    Some(NoteSignature { name: name.into(), key_id: *key_id, signature: signature.to_vec() })
}

/// Whether a key may have this name: not empty, no white space, no `+`.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.chars().any(|c| c.is_whitespace() || c == '+' || c.is_control())
}
