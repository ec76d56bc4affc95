//! Cross-checks: notes shown by another service or a witness.
//!
//! ```text
//! note of size s ──► s above what was replayed: not yet known
//!                ──► its root beside that of the replayed history at s: one, or two histories
//! ```

use superroot_proof::consistency::HistoryConsistency;
use superroot_proof::note::{ForkEvidence, HistoryEntry, Note, TrustPolicy};
use superroot_types::{Hash, LogSize};
use superroot_wire::parse_json;
use superroot_wire::superroot::{Consistency, Strength, parse_consistency};

use super::{Audit, AuditError, checkpoint};
use crate::{Client, ClientError};

impl Audit {
    /// Compares another view's note up to [`Audit::size`]. The client must be the replayed service's: earlier sizes are
    /// fetched there.
    ///
    /// # Errors
    /// [`AuditError::Split`] if the replayed history has another root at the same size.
    pub async fn compare(&self, client: &Client, note: &str) -> Result<(), AuditError> {
        let Some(key) = &self.key else { return Ok(()) };
        let said = checkpoint(note, key)?;
        match self.root_at(client, said.size.0).await? {
            Some(root) if root != said.root => {
                let size = said.size.0;
                let roots = [root, said.root];
                Err(AuditError::Split { size, roots, note: note.to_owned() })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Replayed root at a size; `None` if the history never had this size. For sizes before the last two, the service
    /// supplies the root and proves the value from the last SuperRoot.
    async fn root_at(&self, client: &Client, size: u64) -> Result<Option<Hash>, AuditError> {
        let Some(last) = self.replay.last() else { return Ok(None) };
        let sequence = last.super_root.sequence.0;
        if size == 0 || size > self.size() {
            return Ok(None);
        }
        if let Some(root) = self.newest_root(size) {
            return Ok(Some(root));
        }
        let proof = fetch_history(client, size, sequence).await?;
        let from = proof.upgrade.from;
        let held = proof.verify(&from.hash(), &last.super_root.hash());
        held.map_err(|cause| AuditError::Rule { sequence, cause })?;
        let got = from.sequence.0;
        if got != size {
            return Err(AuditError::Elsewhere { expected: size, got });
        }
        Ok(Some(proof.from_opening.history.log_root))
    }

    /// Replayed root at the last two sizes, known without a note.
    fn newest_root(&self, size: u64) -> Option<Hash> {
        let last = self.replay.last()?;
        if size == self.size() {
            return Some(self.log_root());
        }
        (size == last.super_root.sequence.0).then_some(last.history.log_root)
    }

    /// Compares a note from a shorter log with the kept notes only, when no service shows the replayed log any longer.
    /// A note without a kept counterpart waits for a longer log.
    ///
    /// # Errors
    /// As [`Audit::compare`].
    pub(super) fn compare_kept(&mut self, size: u64, note: &str) -> Result<(), AuditError> {
        let Some(key) = &self.key else { return Ok(()) };
        let said = checkpoint(note, key)?;
        match self.kept_root(said.size.0) {
            Some(root) if root != said.root => {
                Err(AuditError::Split { size, roots: [root, said.root], note: note.to_owned() })
            }
            Some(_) => Ok(()),
            None if said.size == LogSize::EMPTY => Ok(()),
            None => {
                self.notes.put_waiting(said.size.0, note);
                Ok(())
            }
        }
    }

    /// Replayed root at a size with a kept note.
    fn kept_root(&self, size: u64) -> Option<Hash> {
        let of_note = |key| checkpoint(self.notes.replayed(size)?, key).ok().map(|said| said.root);
        self.newest_root(size).or_else(|| of_note(self.key.as_ref()?))
    }

    /// Returns evidence that the key signed `note` and a contradicting note: the last replayed SuperRoot's note, or the
    /// service's current one. `None` without two contradicting notes.
    pub async fn evidence(&self, client: &Client, note: &str) -> Option<ForkEvidence> {
        let key = self.key.as_ref()?;
        let of_two = |other: &str| {
            let notes = [other.to_owned(), note.to_owned()];
            let evidence = ForkEvidence { key: key.clone(), notes, entry: None };
            evidence.verify().is_ok().then_some(evidence)
        };
        let size = checkpoint(note, key).ok()?.size.0;
        let kept = self.last_note().into_iter().chain(self.notes.replayed(size));
        if let Some(evidence) = kept.filter_map(of_two).next() {
            return Some(evidence);
        }
        let same_size = fetch_note(client, size.checked_sub(1)).await;
        if let Some(evidence) = same_size.as_deref().and_then(of_two) {
            return Some(evidence);
        }
        let newest = checkpoint(&fetch_note(client, None).await?, key).ok()?.size.0;
        // the newest SuperRoot commits to the entries before it
        let later = newest.checked_sub(1).filter(|later| *later > size)?;
        let notes = [note.to_owned(), fetch_note(client, later.checked_sub(1)).await?];
        let history = fetch_history(client, size, later).await.ok()?;
        let entry = HistoryEntry {
            super_root: history.upgrade.from,
            path: history.upgrade.path,
            opening: history.from_opening,
        };
        let evidence = ForkEvidence { key: key.clone(), notes, entry: Some(Box::new(entry)) };
        evidence.verify().is_ok().then_some(evidence)
    }
}

/// Fetches the proof that SuperRoot `to` includes the history at `from`; unchecked.
pub(super) async fn fetch_history(
    client: &Client,
    from: u64,
    to: u64,
) -> Result<HistoryConsistency, AuditError> {
    let of = |error: ClientError| AuditError::Client { sequence: from, cause: Box::new(error) };
    let body = client.fetch_consistency(from, to, Strength::History).await.map_err(of)?;
    let body = parse_json(&body).map_err(|error| of(error.into()))?;
    let (answer, _) = parse_consistency(&body).map_err(|error| of(error.into()))?;
    match answer.proof {
        Consistency::History(history) => Ok(*history),
        Consistency::Upgrade(_) | Consistency::Full(_) => {
            let got = "consistency of another strength than history".to_owned();
            Err(of(ClientError::AnotherAnswer { got }))
        }
    }
}

/// Fetches the note for a SuperRoot, or for the newest.
async fn fetch_note(client: &Client, sequence: Option<u64>) -> Option<String> {
    String::from_utf8(client.fetch_checkpoint(sequence).await.ok()?).ok()
}

/// Whether the policy's witnesses cosigned the note.
#[must_use]
pub fn has_quorum(note: &str, policy: &TrustPolicy) -> bool {
    Note::parse(note).is_ok_and(|note| policy.is_met(&note))
}
