//! Signed notes (C2SP `signed-note`): signed statements about a log's size and root.
//!
//! ```text
//! origin
//! size in decimal           the text: a checkpoint (C2SP tlog-checkpoint)
//! base64 of the root
//!
//! — origin base64(key id ‖ signature)                 by the log
//! — witness base64(key id ‖ timestamp ‖ signature)    by a witness (C2SP tlog-cosignature)
//! ```
//! A signature counts only under a key from the client; any further signature is ignored.

mod checkpoint;
mod evidence;
mod key;
mod policy;
mod signer;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use evidence::{Contradiction, EvidenceError, ForkEvidence, HistoryEntry};
pub use key::{KeyError, KeyKind, VerifierKey};
pub use policy::{PolicyError, TrustPolicy};
pub use signer::Signer;

use alloc::string::String;
use alloc::vec::Vec;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// Largest readable note, in bytes.
pub const NOTE_BYTES_MAX: usize = 64 << 10;
/// Most signatures in a note.
pub const SIGNATURES_MAX: usize = 100;
/// Signature line prefix: an em dash and a space.
const DASH: &str = "\u{2014} ";

/// Parsed note, not trusted yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    text: String,
    signatures: Vec<NoteSignature>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct NoteSignature {
    name: String,
    key_id: [u8; 4],
    signature: Vec<u8>,
}

/// Why bytes are not a note, or a note is not signed by a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// Not a text, an empty line, and 1 to 100 signature lines, in at most 64 KiB.
    #[error(
        "not a signed note: lines of text, an empty line, then 1 to {SIGNATURES_MAX} signatures, \
         in at most {NOTE_BYTES_MAX} bytes"
    )]
    Malformed,
    /// No signature by the key.
    #[error("the note has no signature of that key")]
    Unsigned,
    /// Signature under the key's name and id is invalid.
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

    /// Text including its final line end. Signatures are checked only in [`Note::verify`].
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Checks the key's signature over the text; returns a cosignature's time in Unix seconds, `None` for a log
    /// signature.
    ///
    /// # Errors
    /// [`NoteError::Unsigned`] or [`NoteError::Signature`]: the first signature under the key's name and id decides.
    pub fn verify(&self, key: &VerifierKey) -> Result<Option<u64>, NoteError> {
        let mut own = self.signatures.iter();
        let own = own.find(|one| one.name == key.name() && one.key_id == key.id());
        let own = own.ok_or(NoteError::Unsigned)?;
        key.check(&self.text, &own.signature).ok_or(NoteError::Signature)
    }

    /// Note with only the signatures under a name, possibly none.
    #[must_use]
    pub fn signed_as(mut self, name: &str) -> Self {
        self.signatures.retain(|one| one.name == name);
        self
    }

    /// Note with another note's signatures over the same text appended, without duplicates.
    #[must_use]
    pub fn joined(mut self, other: &Self) -> Self {
        if self.text == other.text {
            let new = other.signatures.iter().filter(|one| !self.signatures.contains(one));
            let new: Vec<NoteSignature> = new.cloned().collect();
            self.signatures.extend(new);
        }
        self
    }

    /// Note with only the valid signatures by these keys, one each; foreign signatures are dropped.
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

    /// Whether the note claims any signature.
    #[must_use]
    pub const fn has_signatures(&self) -> bool {
        !self.signatures.is_empty()
    }

    /// Signature lines only, each with its line end.
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
