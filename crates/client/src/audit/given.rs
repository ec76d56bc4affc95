//! Beginning in the middle of a log: the past of the SuperRoot before is given, its twigs are not.

use superroot_proof::consistency::{Appending, Replay};
use superroot_proof::note::VerifierKey;
use superroot_proof::range::Peaks;
use superroot_types::Hash;

use super::compare::fetch_history;
use super::{Audit, AuditError, Fetched, check_note, check_origin};
use crate::{Client, ClientError};

/// What stands before the first SuperRoot that is replayed; nothing of it is checked.
#[derive(Clone, Debug)]
pub struct Given {
    /// The SuperRoot before.
    pub before: Fetched,
    /// RFC 9162 path from the history that it commits to, to that with itself behind it: it names the
    /// peaks of the former. Empty where that has no entry.
    pub path: Vec<Hash>,
}

impl Given {
    /// Fetches what stands before SuperRoot `from`, which is above 0 and published.
    ///
    /// # Errors
    /// [`AuditError::Client`], and as [`Fetched::fetch`].
    pub async fn fetch(client: &Client, from: u64) -> Result<Self, AuditError> {
        let last = from.saturating_sub(1);
        let before = Fetched::fetch(client, last).await?;
        let got = before.answer.blob.super_root.sequence;
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
    /// Of the log of that origin, from the SuperRoot after the given one on. All twigs of the given one
    /// come page by page, since no SuperRoot says which of them were before it; `told` hears how many
    /// came, of how many.
    ///
    /// # Errors
    /// [`AuditError`] where what is given does not hold together, or its note is not of the key.
    pub async fn after(
        (origin, key): (&str, Option<VerifierKey>),
        client: &Client,
        given: Given,
        told: impl Fn(u64, u64),
    ) -> Result<Self, AuditError> {
        let Given { before: Fetched { answer, note }, path } = given;
        let (mut audit, blob) = (Self::new(origin, key), answer.blob);
        let (sequence, hash) = (blob.super_root.sequence, blob.super_root.hash());
        let rule = |cause| AuditError::Rule { sequence, cause };
        check_origin(&audit.origin, &blob)?;
        let mut appending = Appending::all(&blob).map_err(rule)?;
        let fetched = client.fetch_appended(&hash, &mut appending, told).await;
        fetched.map_err(|error| match error {
            ClientError::Inconsistent(cause) => rule(cause),
            error => AuditError::Client { sequence, cause: Box::new(error) },
        })?;
        let mut mini_mmrs: [Peaks; 9] = Default::default();
        for (family, peaks) in appending.into_peaks().map_err(rule)? {
            mini_mmrs[usize::from(family.byte())] = peaks;
        }
        let (count, root) = (blob.history.leaf_count, blob.history.log_root);
        let history = Peaks::of_consistency(count, count.saturating_add(1), &root, &path);
        audit.replay =
            Replay::resume(blob, mini_mmrs, history.unwrap_or_default()).map_err(rule)?;
        check_note(audit.key.as_ref(), note.as_deref(), &audit.replay)?;
        (audit.from, audit.last_note) = (audit.size(), note);
        Ok(audit)
    }
}
