//! Several services that ought to show one log.
//!
//! ```text
//! newest of each ──► replay the one that is farthest ──► at the size that each shows: one root?
//!                └─► older than the audit: its note beside the note of that size of the farthest
//! ```

use futures_util::{StreamExt, stream};
use superroot_proof::note::{Evidence, VerifierKey};

use super::{Audit, AuditError, Fetched, checkpoint, contradicted};
use crate::{Client, ClientError};

/// SuperRoots that are fetched ahead.
const AHEAD: usize = 4;

/// What a service shows at the moment.
struct Shown<'a> {
    client: &'a Client,
    size: u64,
    /// Signed by the key, where one is known.
    note: Option<String>,
}

impl Audit {
    /// Replays what is new at the service that is farthest, and holds on the way what all of them show
    /// against it. `told` is called after each SuperRoot, with the size at which the round ends. Gives
    /// the farthest's newest note, where a key is known.
    ///
    /// # Errors
    /// [`AuditError`]; what was replayed before stays. [`Audit::evidence`] says what it shows of the key.
    pub async fn round(
        &mut self,
        clients: &[Client],
        mut told: impl FnMut(&Self, u64) -> Result<(), AuditError>,
    ) -> Result<Option<String>, AuditError> {
        let mut shown = Vec::new();
        for client in clients {
            shown.push(look(client, self.key.as_ref()).await?);
        }
        shown.sort_by_key(|one| one.size);
        let Some(farthest) = shown.last() else { return Ok(None) };
        self.compare_older(&shown, farthest.client).await?;
        let fetched = stream::iter(self.size()..farthest.size)
            .map(|next| Fetched::fetch(farthest.client, next));
        let mut fetched = std::pin::pin!(fetched.buffered(AHEAD));
        while let Some(next) = fetched.next().await {
            self.take(farthest.client, next?).await?;
            let due = shown.iter().filter(|one| one.size == self.size());
            due.filter_map(|one| one.note.as_ref()).try_for_each(|note| self.compare(note))?;
            told(self, farthest.size)?;
        }
        Ok(farthest.note.clone())
    }

    /// Compares notes of sizes that were replayed before: with the note of that size that the service
    /// which is replayed shows. Two of one size contradict by themselves.
    async fn compare_older(&self, shown: &[Shown<'_>], client: &Client) -> Result<(), AuditError> {
        let Some(key) = &self.key else { return Ok(()) };
        for one in shown.iter().filter(|one| one.size < self.size()) {
            let (Some(note), Some(sequence)) = (&one.note, one.size.checked_sub(1)) else {
                continue;
            };
            let own = fetch_note(client, Some(sequence)).await;
            let own =
                own.map_err(|cause| AuditError::Client { sequence, cause: Box::new(cause) })?;
            let roots = [checkpoint(&own, key, sequence)?, checkpoint(note, key, sequence)?];
            if roots[0].size == roots[1].size && roots[0].root != roots[1].root {
                let notes = [own, note.clone()];
                let evidence = Some(Box::new(Evidence { key: key.clone(), notes, entry: None }));
                let (size, roots) = (one.size, roots.map(|one| one.root));
                return Err(AuditError::Split { size, roots, evidence });
            }
        }
        shown.iter().filter_map(|one| one.note.as_ref()).try_for_each(|note| self.compare(note))
    }

    /// Evidence that the key signed two histories, out of what a round came to and of what the services
    /// still show; `None` where no two notes contradict each other.
    pub async fn evidence(&self, clients: &[Client], error: &AuditError) -> Option<Evidence> {
        let note = match error {
            AuditError::Split { evidence, .. } => return evidence.as_deref().cloned(),
            AuditError::Root { note, .. } => note,
            // what was replayed may be of one history, and what came next of another
            AuditError::Rule { .. } => self.last_note.as_ref()?,
            AuditError::Client { .. }
            | AuditError::NoHash { .. }
            | AuditError::Hash { .. }
            | AuditError::AnotherLog { .. }
            | AuditError::Count { .. }
            | AuditError::Note { .. }
            | AuditError::State { .. } => return None,
        };
        for client in clients {
            if let Some(evidence) = contradicted(client, self.key.as_ref()?, note).await {
                return Some(evidence);
            }
        }
        None
    }
}

/// The newest note of a service; where no key is known, how many SuperRoots it has.
async fn look<'a>(client: &'a Client, key: Option<&VerifierKey>) -> Result<Shown<'a>, AuditError> {
    let text = fetch_note(client, None).await;
    let text = text.map_err(|cause| AuditError::Client { sequence: 0, cause: Box::new(cause) })?;
    match key {
        Some(key) => {
            let size = checkpoint(&text, key, 0)?.size;
            Ok(Shown { client, size, note: Some(text) })
        }
        None => {
            let size = text.lines().nth(1).and_then(|size| size.parse().ok());
            let size = size.ok_or(AuditError::NoHash { sequence: 0 })?;
            Ok(Shown { client, size, note: None })
        }
    }
}

async fn fetch_note(client: &Client, sequence: Option<u64>) -> Result<String, ClientError> {
    let note = client.fetch_checkpoint(sequence).await?;
    Ok(String::from_utf8_lossy(&note).into_owned())
}
