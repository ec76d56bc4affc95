//! Going on with an audit: what is new is replayed from one service, and what each place shows is held
//! against it.

use futures_util::{StreamExt, stream};
use superroot_proof::note::Evidence;

use super::{Audit, AuditError, Fetched};
use crate::Client;

/// SuperRoots that are fetched ahead.
const AHEAD: usize = 4;

impl Audit {
    /// Replays the service's SuperRoots up to that size, and compares the notes that were shown, here and
    /// elsewhere, each with its size. `told` hears of each SuperRoot that was replayed.
    ///
    /// # Errors
    /// [`AuditError::Behind`] where the size is below [`Audit::size`], whose notes are kept until they can
    /// be compared; else as [`Audit::take`] and
    /// [`Audit::compare`], and what `told` says. What was replayed before stays.
    pub async fn go_on(
        &mut self,
        client: &Client,
        size: u64,
        notes: &[(u64, String)],
        mut told: impl FnMut(&Self) -> Result<(), AuditError>,
    ) -> Result<(), AuditError> {
        if size < self.size() {
            return Err(self.behind(size, notes));
        }
        for (_, note) in notes.iter().filter(|(size, _)| *size <= self.size()) {
            self.compare(client, note).await?;
        }
        let fetched = stream::iter(self.size()..size).map(|next| Fetched::fetch(client, next));
        let mut fetched = std::pin::pin!(fetched.buffered(AHEAD));
        while let Some(next) = fetched.next().await {
            self.take(client, next?).await?;
            for (_, note) in notes.iter().filter(|(size, _)| *size == self.size()) {
                self.compare(client, note).await?;
            }
            told(self)?;
        }
        for (size, note) in self.notes.all_waiting() {
            self.compare(client, &note).await?;
            self.notes.remove_waiting(size, &note);
        }
        Ok(())
    }

    /// What the services show is shorter than what was replayed: an older copy of the log, or a fork.
    fn behind(&mut self, shown: u64, notes: &[(u64, String)]) -> AuditError {
        let replayed = self.size();
        for (size, note) in notes.iter().filter(|(size, _)| *size <= replayed) {
            if let Err(error) = self.compare_kept(*size, note) {
                return error;
            }
        }
        AuditError::Behind { shown, replayed, waiting: self.notes.all_waiting().len() }
    }

    /// Evidence that the key signed two histories, where an audit ended with that error: out of the note
    /// that it is about or of the last that was replayed, and of what the services show now.
    pub async fn evidence_of(
        &self,
        error: &AuditError,
        clients: impl Iterator<Item = &Client> + Clone,
    ) -> Option<Evidence> {
        for note in error.note().into_iter().chain(self.last_note()) {
            for client in clients.clone() {
                if let Some(evidence) = self.evidence(client, note).await {
                    return Some(evidence);
                }
            }
        }
        None
    }
}
