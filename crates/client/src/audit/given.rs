//! Mid-log start: the previous SuperRoot's past is given, without its twigs.

use superroot_proof::consistency::{Appending, Replay};
use superroot_proof::note::VerifierKey;
use superroot_proof::range::Peaks;
use superroot_types::{Family, Hash};

use super::compare::fetch_history;
use super::{Audit, AuditError, FetchedSuperRoot, check_note, check_origin};
use crate::{Client, ClientError};

/// State before the first replayed SuperRoot; unchecked.
#[derive(Clone, Debug)]
pub struct AuditBase {
    /// Previous SuperRoot.
    pub before: FetchedSuperRoot,
    /// RFC 9162 path from the SuperRoot's committed history to the history including the SuperRoot itself: gives the
    /// former's peaks. Empty for an empty history.
    pub path: Vec<Hash>,
}

impl AuditBase {
    /// Fetches the state before SuperRoot `from`, which must be above 0 and published.
    ///
    /// # Errors
    /// [`AuditError::Client`], and as [`FetchedSuperRoot::fetch`].
    pub async fn fetch(client: &Client, from: u64) -> Result<Self, AuditError> {
        let last = from.saturating_sub(1);
        let before = FetchedSuperRoot::fetch(client, last).await?;
        let got = before.answer.blob.super_root.sequence.0;
        if got != last {
            return Err(AuditError::Elsewhere { expected: last, got });
        }
        let path = match last {
            0 => Vec::new(),
            last => fetch_history(client, last, from).await?.path,
        };
        Ok(Self { before, path })
    }
}

impl Audit {
    /// Starts an audit after the given SuperRoot. Fetches all its twigs page by page, since no SuperRoot separates
    /// earlier twigs; `told` receives the count received and the total.
    ///
    /// # Errors
    /// [`AuditError`] if the given state is inconsistent, or its note is not signed by the key.
    pub async fn after(
        (origin, key): (&str, Option<VerifierKey>),
        client: &Client,
        given: AuditBase,
        told: impl Fn(u64, u64),
    ) -> Result<Self, AuditError> {
        let AuditBase { before: FetchedSuperRoot { answer, note }, path } = given;
        let mut audit = Self::new(origin, key);
        let blob = answer.blob;
        let sequence = blob.super_root.sequence.0;
        let hash = blob.super_root.hash();
        let rule = |cause| AuditError::Rule { sequence, cause };
        check_origin(&audit.origin, &blob)?;
        let mut appending = Appending::all(&blob).map_err(rule)?;
        let fetched = client.fetch_appended(&hash, &mut appending, told).await;
        fetched.map_err(|error| match error {
            ClientError::Inconsistent(cause) => rule(cause),
            error => AuditError::Client { sequence, cause: Box::new(error) },
        })?;
        let mut mini_mmrs: [Peaks; Family::COUNT] = Default::default();
        for (family, peaks) in appending.into_peaks().map_err(rule)? {
            mini_mmrs[usize::from(family.byte())] = peaks;
        }
        let count = blob.history.leaf_count;
        let root = blob.history.log_root;
        let history = Peaks::of_consistency(count, count.next().unwrap_or(count), &root, &path);
        audit.replay =
            Replay::resume(blob, mini_mmrs, history.unwrap_or_default()).map_err(rule)?;
        check_note(audit.key.as_ref(), note.as_deref(), &audit.replay)?;
        (audit.from, audit.last_note) = (audit.size(), note);
        Ok(audit)
    }
}
