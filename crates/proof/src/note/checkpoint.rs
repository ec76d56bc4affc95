//! Note content: a log's size and root (C2SP `tlog-checkpoint`).

use alloc::string::{String, ToString};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use superroot_types::{Hash, LogSize};

use super::{Note, NoteError, TrustPolicy, VerifierKey};

/// Log state at a size. Extension lines after the root are ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Log origin.
    pub origin: String,
    /// Number of entries: SuperRoot n is entry n, in every checkpoint with size n + 1 or more.
    pub size: LogSize,
    /// RFC 6962 root over all entries.
    pub root: Hash,
}

/// Why a note does not show a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// Not a note, or not signed by the log's key.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// Text is not a checkpoint.
    #[error("the text of the note is no checkpoint: origin, size in decimal, base64 of the root")]
    Text,
    /// Another log.
    #[error("the note is of {got}, the key is of {expected}")]
    Origin {
        /// Origin in the note.
        got: String,
        /// Key name.
        expected: String,
    },
    /// Too few signatures from the policy's witnesses.
    #[error("the note has not the witnesses that the policy asks for")]
    Quorum,
}

impl Checkpoint {
    /// Reads a note's text.
    ///
    /// # Errors
    /// [`CheckpointError::Text`] for anything else.
    pub fn parse(text: &str) -> Result<Self, CheckpointError> {
        let mut lines = text.strip_suffix('\n').ok_or(CheckpointError::Text)?.split('\n');
        let mut line = || lines.next().filter(|line| !line.is_empty()).ok_or(CheckpointError::Text);
        let origin = line()?;
        let decimal = line()?;
        let root = line()?;
        let size = LogSize(decimal.parse().map_err(|_| CheckpointError::Text)?);
        let root = BASE64_STANDARD.decode(root).ok().and_then(|root| root.try_into().ok());
        let root = Hash(root.ok_or(CheckpointError::Text)?);
        if size.to_string() != decimal || lines.any(str::is_empty) {
            return Err(CheckpointError::Text);
        }
        Ok(Self { origin: origin.into(), size, root })
    }

    /// Checkpoint from a note signed by the log's key, under the key's own name, and by the policy's witness quorum.
    ///
    /// # Errors
    /// [`CheckpointError`] naming the fault.
    pub fn of_note(
        note: &str,
        key: &VerifierKey,
        policy: &TrustPolicy,
    ) -> Result<Self, CheckpointError> {
        let note = Note::parse(note)?;
        note.verify(key)?; // what nobody signed is of no concern, whatever it says
        let checkpoint = Self::parse(note.text())?;
        checkpoint.check_signed(&note, key, policy)?;
        Ok(checkpoint)
    }

    /// Checks the source note's signatures: the log's key, under the key's own name, and the policy's witness quorum.
    ///
    /// # Errors
    /// [`CheckpointError`] naming the fault.
    pub fn check_signed(
        &self,
        note: &Note,
        key: &VerifierKey,
        policy: &TrustPolicy,
    ) -> Result<(), CheckpointError> {
        note.verify(key)?;
        if self.origin != key.name() {
            let got = self.origin.clone();
            let expected = key.name().into();
            return Err(CheckpointError::Origin { got, expected });
        }
        if policy.is_met(note) { Ok(()) } else { Err(CheckpointError::Quorum) }
    }
}

impl core::fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { origin, size, root } = self;
        writeln!(f, "{origin}\n{size}\n{}", BASE64_STANDARD.encode(root.0))
    }
}
