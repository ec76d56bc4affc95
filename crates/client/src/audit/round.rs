//! Audit continuation: replays new SuperRoots from one service and compares every place's view with them.

use futures_util::{StreamExt, stream};
use superroot_proof::note::ForkEvidence;

use super::{Audit, AuditError, FetchedSuperRoot};
use crate::Client;

/// SuperRoots fetched ahead.
const AHEAD: usize = 4;

impl Audit {
    /// Replays the service's SuperRoots up to `size` and compares the notes shown here and elsewhere, each with its
    /// size. Calls `told` after each replayed SuperRoot.
    ///
    /// # Errors
    /// [`AuditError::Behind`] if `size` is below [`Audit::size`]; the notes are then kept for later comparison.
    /// Otherwise as [`Audit::take`] and [`Audit::compare`], and errors from `told`. Earlier replayed SuperRoots stay.
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
        let fetched =
            stream::iter(self.size()..size).map(|next| FetchedSuperRoot::fetch(client, next));
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

    /// Error for services that show less than was replayed: an older log copy, or a fork.
    fn behind(&mut self, shown: u64, notes: &[(u64, String)]) -> AuditError {
        let replayed = self.size();
        for (size, note) in notes.iter().filter(|(size, _)| *size <= replayed) {
            if let Err(error) = self.compare_kept(*size, note) {
                return error;
            }
        }
        AuditError::Behind { shown, replayed, waiting: self.notes.all_waiting().len() }
    }

    /// Returns evidence that the key signed two histories, after this error: from its note or the last replayed note,
    /// and the services' current ones.
    pub async fn evidence_of(
        &self,
        error: &AuditError,
        clients: impl Iterator<Item = &Client> + Clone,
    ) -> Option<ForkEvidence> {
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
