//! Auditing a log: every rule but the block leaves, recomputed from what is published.
//!
//! ```text
//! fetch(n) ──► take: blob n follows from blob n - 1, its twigs page by page
//!                    its note, of size n + 1, has the root of the replayed history
//!          ──► compare: the same size in the note of another view: one root, or evidence
//! ```
//! An audit holds peaks, the last blob and the last note: no more for a long log than for a short one.

mod error;
mod state;
mod views;

pub use error::AuditError;

use superroot_proof::consistency::Replay;
use superroot_proof::note::{Checkpoint, Evidence, HistoryEntry, Note, TrustPolicy, VerifierKey};
use superroot_proof::superroot::log_id;
use superroot_types::{BlockNumber, ChainKey, Hash};
use superroot_wire::parse_json;
use superroot_wire::superroot::{BlobAnswer, Consistency, Strength, parse_blob, parse_consistency};

use crate::{At, Client, ClientError};

/// An audit so far.
#[derive(Clone, Debug)]
pub struct Audit {
    origin: String,
    key: Option<VerifierKey>,
    replay: Replay,
    /// SuperRoots whose own note holds.
    signed: u64,
    /// Twigs that were replayed.
    twigs: u64,
    /// The note of the last SuperRoot.
    last_note: Option<String>,
}

/// A SuperRoot as a service shows it; nothing of it is checked.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// What is behind it.
    pub answer: BlobAnswer,
    /// Its own note, where there is one.
    pub note: Option<String>,
}

impl Fetched {
    /// Fetches the SuperRoot of that sequence.
    ///
    /// # Errors
    /// [`AuditError::Client`].
    pub async fn fetch(client: &Client, sequence: u64) -> Result<Self, AuditError> {
        let of = |error: ClientError| AuditError::Client { sequence, cause: Box::new(error) };
        let page = client.fetch_superroot(At::Sequence(sequence)).await.map_err(of)?;
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
    /// Of the log of that origin, with the key that its notes are signed by, where the auditor knows
    /// one.
    #[must_use]
    pub fn new(origin: &str, key: Option<VerifierKey>) -> Self {
        let (signed, twigs, last_note) = (0, 0, None);
        Self { origin: origin.to_owned(), key, replay: Replay::new(), signed, twigs, last_note }
    }

    /// SuperRoots that were replayed: the sequence of the next.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.replay.size()
    }

    /// SuperRoots whose own note was signed by the key.
    #[must_use]
    pub const fn signed(&self) -> u64 {
        self.signed
    }

    /// Twigs that were replayed.
    #[must_use]
    pub const fn twigs(&self) -> u64 {
        self.twigs
    }

    /// Hash of the last SuperRoot.
    #[must_use]
    pub fn last_hash(&self) -> Option<Hash> {
        self.replay.last().map(|blob| blob.super_root.hash())
    }

    /// First and last number of a chain's run in the last SuperRoot.
    #[must_use]
    pub fn run(&self, chain: ChainKey) -> Option<(BlockNumber, BlockNumber)> {
        let references = self.replay.last()?.references.iter();
        let mut own = references.filter(|(_, reference)| reference.chain == chain);
        own.next().map(|(_, reference)| (reference.start, reference.number))
    }

    /// Root of the replayed history, of [`Audit::size`] entries.
    #[must_use]
    pub fn log_root(&self) -> Hash {
        self.replay.log_root()
    }

    /// Takes the next SuperRoot; where its twigs come in pages, they are fetched.
    ///
    /// # Errors
    /// [`AuditError`]; the audit is then as it was.
    pub async fn take(&mut self, client: &Client, fetched: Fetched) -> Result<(), AuditError> {
        let Fetched { answer: BlobAnswer { blob, appended_count, appended }, note } = fetched;
        let sequence = self.size();
        let rule = |cause| AuditError::Rule { sequence, cause };
        if log_id(&self.origin) != Ok(blob.super_root.log_id) {
            return Err(AuditError::AnotherLog { origin: self.origin.clone() });
        }
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
        let mut signed = 0;
        if let (Some(key), Some(note)) = (&self.key, &note) {
            let said = checkpoint(note, key, sequence)?;
            let (size, root) = (replay.size(), replay.log_root());
            if (said.size, said.root) != (size, root) {
                let note = note.clone();
                return Err(AuditError::Root { size, said: said.root, root, note });
            }
            signed = 1;
        }
        (self.replay, self.last_note) = (replay, note);
        self.signed += signed;
        self.twigs += due;
        Ok(())
    }

    /// Compares the note of another view of the log, where it is of [`Audit::size`].
    ///
    /// # Errors
    /// [`AuditError::Split`] where it has another root, with evidence where both are signed.
    pub fn compare(&self, note: &str) -> Result<(), AuditError> {
        let Some(key) = &self.key else { return Ok(()) };
        let said = checkpoint(note, key, self.size().saturating_sub(1))?;
        let (size, root) = (self.size(), self.log_root());
        if said.size != size || said.root == root {
            return Ok(());
        }
        let evidence = self.last_note.as_ref().map(|own| Evidence {
            key: key.clone(),
            notes: [own.clone(), note.to_owned()],
            entry: None,
        });
        let evidence = evidence.filter(|evidence| evidence.verify().is_ok()).map(Box::new);
        Err(AuditError::Split { size, roots: [root, said.root], evidence })
    }
}

/// The checkpoint of a note that the key signed.
///
/// # Errors
/// [`AuditError::Note`].
fn checkpoint(note: &str, key: &VerifierKey, sequence: u64) -> Result<Checkpoint, AuditError> {
    Checkpoint::of_note(note, key, &TrustPolicy::none())
        .map_err(|cause| AuditError::Note { sequence, cause })
}

/// Whether the policy's witnesses cosigned the note.
#[must_use]
pub fn has_quorum(note: &str, policy: &TrustPolicy) -> bool {
    Note::parse(note).is_ok_and(|note| policy.is_met(&note))
}

/// Evidence that the service says another root of the size of `note`: in its note of that size, or, where
/// it does not show that one, in what a later note of it says of its past. `None` where there is none.
async fn contradicted(client: &Client, key: &VerifierKey, note: &str) -> Option<Evidence> {
    let text = async |sequence| {
        let note = client.fetch_checkpoint(sequence).await.ok()?;
        String::from_utf8(note).ok()
    };
    let size = checkpoint(note, key, 0).ok()?.size;
    if let Some(same_size) = text(Some(size.checked_sub(1)?)).await {
        let notes = [note.to_owned(), same_size];
        let evidence = Evidence { key: key.clone(), notes, entry: None };
        if evidence.verify().is_ok() {
            return Some(evidence);
        }
    }
    let newest = checkpoint(&text(None).await?, key, 0).ok()?.size;
    // the newest SuperRoot commits to the entries before it
    let later = newest.checked_sub(1).filter(|later| *later > size)?;
    let notes = [note.to_owned(), text(later.checked_sub(1)).await?];
    let body = client.fetch_consistency(size, later, Strength::History).await.ok()?;
    let (answer, _) = parse_consistency(&parse_json(&body).ok()?).ok()?;
    let Consistency::History(history) = answer.proof else { return None };
    let upgrade = history.upgrade;
    let entry = HistoryEntry {
        super_root: upgrade.from,
        path: upgrade.path,
        opening: history.from_opening,
    };
    let evidence = Evidence { key: key.clone(), notes, entry: Some(Box::new(entry)) };
    evidence.verify().is_ok().then_some(evidence)
}
