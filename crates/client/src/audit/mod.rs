//! Log audit: recomputes every rule from published data, except the block leaves.
//!
//! ```text
//! fetch(n) ──► take: blob n follows from blob n - 1, its twigs page by page
//!                    its note, of size n + 1, has the root of the replayed history
//!          ──► compare: the note of another view: one root at its size, or evidence
//! ```
//! An audit keeps peaks, the last blob and some notes: memory does not grow with the log.

mod compare;
mod error;
mod given;
mod notes;
mod round;
mod state;

pub use compare::has_quorum;
pub use error::AuditError;
pub use given::AuditBase;
pub use notes::checkpoint;

use superroot_proof::consistency::{Blob, Replay};
use superroot_proof::note::VerifierKey;
use superroot_proof::registry::Profile;
use superroot_proof::superroot::log_id;
use superroot_types::{BlockNumber, ChainKey, Hash, Sequence, SuperRootRef};
use superroot_wire::parse_json;
use superroot_wire::superroot::{BlobAnswer, parse_blob};

use self::notes::Notes;
use crate::{Client, ClientError};

/// Running audit.
#[derive(Clone, Debug)]
pub struct Audit {
    origin: String,
    key: Option<VerifierKey>,
    replay: Replay,
    /// First replayed SuperRoot; the previous SuperRoot's commitments are given.
    from: u64,
    /// SuperRoots with a valid own note.
    signed: u64,
    /// Replayed twigs.
    twigs: u64,
    /// Last SuperRoot's note.
    last_note: Option<String>,
    notes: Notes,
}

/// SuperRoot as a service shows it; unchecked.
#[derive(Clone, Debug)]
pub struct FetchedSuperRoot {
    /// SuperRoot data.
    pub answer: BlobAnswer,
    /// SuperRoot's own note, if any.
    pub note: Option<String>,
}

impl FetchedSuperRoot {
    /// Fetches the SuperRoot with this sequence.
    ///
    /// # Errors
    /// [`AuditError::Client`].
    pub async fn fetch(client: &Client, sequence: u64) -> Result<Self, AuditError> {
        let of = |error: ClientError| AuditError::Client { sequence, cause: Box::new(error) };
        let page =
            client.fetch_superroot(SuperRootRef::Sequence(Sequence(sequence))).await.map_err(of)?;
        let page = parse_json(&page).map_err(|error| of(error.into()))?;
        let hash = page.get("superRootHash").and_then(|hash| hash.as_str()?.parse().ok());
        let hash: Hash = hash.ok_or(AuditError::NoHash { sequence })?;
        let body = client.fetch_blob(&hash).await.map_err(of)?;
        let body = parse_json(&body).map_err(|error| of(error.into()))?;
        let (answer, _) = parse_blob(&body).map_err(|error| of(error.into()))?;
        let got = answer.blob.super_root.hash();
        if got != hash {
            return Err(AuditError::Hash { sequence, got, expected: hash });
        }
        let note = body.pointer("/publication/note").and_then(|note| note.as_str());
        Ok(Self { answer, note: note.map(str::to_owned) })
    }
}

impl Audit {
    /// Audit for the log with this origin, with the note signing key if known.
    #[must_use]
    pub fn new(origin: &str, key: Option<VerifierKey>) -> Self {
        Self {
            origin: origin.to_owned(),
            key,
            replay: Replay::new(),
            from: 0,
            signed: 0,
            twigs: 0,
            last_note: None,
            notes: Notes::default(),
        }
    }

    /// First replayed SuperRoot.
    #[must_use]
    pub const fn from(&self) -> u64 {
        self.from
    }

    /// Log size: the next SuperRoot's sequence.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.replay.size().0
    }

    /// SuperRoots whose own note the key signed.
    #[must_use]
    pub const fn signed(&self) -> u64 {
        self.signed
    }

    /// Replayed twigs.
    #[must_use]
    pub const fn twigs(&self) -> u64 {
        self.twigs
    }

    /// Last SuperRoot's note, signed by the key.
    #[must_use]
    pub fn last_note(&self) -> Option<&str> {
        self.last_note.as_deref().filter(|_| self.key.is_some())
    }

    /// Last SuperRoot's hash.
    #[must_use]
    pub fn last_hash(&self) -> Option<Hash> {
        self.replay.last().map(|blob| blob.super_root.hash())
    }

    /// Last SuperRoot's registry.
    #[must_use]
    pub fn registry(&self) -> &[Profile] {
        self.replay.last().map_or(&[], |blob| blob.registry.rows())
    }

    /// First and last number in a chain's run in the last SuperRoot.
    #[must_use]
    pub fn run(&self, chain: ChainKey) -> Option<(BlockNumber, BlockNumber)> {
        let references = self.replay.last()?.references.iter();
        let mut own = references.filter(|(_, reference)| reference.chain == chain);
        own.next().map(|(_, reference)| (reference.start, reference.number))
    }

    /// Replayed history root, over [`Audit::size`] entries.
    #[must_use]
    pub fn log_root(&self) -> Hash {
        self.replay.log_root()
    }

    /// Replays the next SuperRoot; fetches its twigs if paged.
    ///
    /// # Errors
    /// [`AuditError`]; the audit is then unchanged.
    pub async fn take(
        &mut self,
        client: &Client,
        fetched: FetchedSuperRoot,
    ) -> Result<(), AuditError> {
        let FetchedSuperRoot { answer: BlobAnswer { blob, appended_count, appended }, note } =
            fetched;
        let sequence = self.size();
        let rule = |cause| AuditError::Rule { sequence, cause };
        check_origin(&self.origin, &blob)?;
        let hash = blob.super_root.hash();
        let mut replay = self.replay.clone();
        let mut step = replay.begin(blob).map_err(rule)?;
        let due = step.appending.missing();
        if due != appended_count {
            return Err(AuditError::Count { sequence, said: appended_count, due });
        }
        if let Some(appended) = appended {
            step.appending.take_all(&appended).map_err(rule)?;
        }
        client.fetch_appended(&hash, &mut step.appending, |_, _| ()).await.map_err(|error| {
            match error {
                ClientError::Inconsistent(cause) => rule(cause),
                error => AuditError::Client { sequence, cause: Box::new(error) },
            }
        })?;
        replay.finish(step).map_err(rule)?;
        let is_signed = check_note(self.key.as_ref(), note.as_deref(), &replay)?;
        if let Some(note) = note.as_deref().filter(|_| is_signed) {
            self.notes.put_replayed(replay.size().0, note, self.key.as_ref());
        }
        (self.replay, self.last_note) = (replay, note);
        self.signed += u64::from(is_signed);
        self.twigs += due;
        Ok(())
    }
}

/// Checks that the blob belongs to the log with this origin.
fn check_origin(origin: &str, blob: &Blob) -> Result<(), AuditError> {
    match log_id(origin) {
        Ok(id) if id == blob.super_root.log_id => Ok(()),
        Ok(_) | Err(_) => Err(AuditError::AnotherLog { origin: origin.to_owned() }),
    }
}

/// Checks the last SuperRoot's note against the key and the replayed history. False without a note or key.
fn check_note(
    key: Option<&VerifierKey>,
    note: Option<&str>,
    replay: &Replay,
) -> Result<bool, AuditError> {
    let (Some(key), Some(note)) = (key, note) else { return Ok(false) };
    let size = replay.size();
    let root = replay.log_root();
    let said = checkpoint(note, key)?;
    if (said.size, said.root) == (size, root) {
        return Ok(true);
    }
    Err(AuditError::Root { size: size.0, said: said.root, root, note: note.to_owned() })
}
