//! From one pinned SuperRoot to a later one: what has to be shown before a pin moves.

use superroot_proof::consistency::{Appending, Blob, FullConsistency};
use superroot_proof::note::VerifierKey;
use superroot_proof::registry::Profile;
use superroot_types::Hash;

use super::{LogKey, Pin, TrustError, TrustStore, TrustedLog};
use crate::Page;

/// A pin that may be moved: [`TrustStore::advance`] takes it where the store still stands as it did.
#[derive(Clone, Debug)]
pub struct Step {
    pub(super) origin: String,
    pub(super) key: VerifierKey,
    pub(super) from: Option<Pin>,
    pub(super) to: Pin,
    pub(super) registry: Vec<Profile>,
}

impl TrustStore {
    /// The key of a log, without which no pin of it moves.
    ///
    /// # Errors
    /// [`TrustError::UnknownLog`] and [`TrustError::NoKey`].
    pub fn key_of(&self, origin: &str) -> Result<(&TrustedLog, &LogKey), TrustError> {
        let unknown = || TrustError::UnknownLog { origin: origin.to_owned() };
        let log = self.log(origin).ok_or_else(unknown)?;
        let no_key = || TrustError::NoKey { origin: origin.to_owned() };
        Ok((log, log.key().ok_or_else(no_key)?))
    }
}

impl Step {
    /// The first SuperRoot that is pinned of a log: its note alone leads to it.
    ///
    /// # Errors
    /// As [`Page::check_signed`]; [`TrustError::Inconsistent`] for a blob that is not behind it.
    pub fn first(
        origin: &str,
        key: &LogKey,
        page: &Page,
        note: &str,
        blob: &Blob,
    ) -> Result<Self, TrustError> {
        page.check_signed(note, key)?;
        check_blob(blob, &page.super_root.hash())?;
        Ok(Self::to(origin, key, None, page, note, blob))
    }

    /// The step from the newest pin, and the twigs that have to come before it may be taken.
    ///
    /// # Errors
    /// As [`Page::check_signed`]; [`TrustError::Inconsistent`] where the log does not extend the pin in
    /// full.
    pub fn after(
        origin: &str,
        key: &LogKey,
        from: &Pin,
        (page, note): (&Page, &str),
        proof: &FullConsistency,
    ) -> Result<Pending, TrustError> {
        page.check_signed(note, key)?;
        let appending = proof.begin(&from.super_root_hash, &page.super_root.hash())?;
        let step = Self::to(origin, key, Some(from.clone()), page, note, &proof.to);
        Ok(Pending { step, appending })
    }

    fn to(
        origin: &str,
        key: &LogKey,
        from: Option<Pin>,
        page: &Page,
        note: &str,
        blob: &Blob,
    ) -> Self {
        let (sequence, super_root_hash) = (page.super_root.sequence, page.super_root.hash());
        let to = Pin { sequence, super_root_hash, note: Some(note.to_owned()) };
        let registry = blob.registry.rows().to_vec();
        Self { origin: origin.to_owned(), key: key.key.clone(), from, to, registry }
    }

    /// Where it begins; `None` where nothing was pinned yet.
    #[must_use]
    pub const fn from(&self) -> Option<&Pin> {
        self.from.as_ref()
    }

    /// The registry of the SuperRoot to which it leads.
    #[must_use]
    pub fn registry(&self) -> &[Profile] {
        &self.registry
    }

    /// Where it leads.
    #[must_use]
    pub const fn pin(&self) -> &Pin {
        &self.to
    }
}

/// A step whose appended twigs are still to come.
#[derive(Debug)]
pub struct Pending {
    step: Step,
    /// What is due.
    pub appending: Appending,
}

impl Pending {
    /// The step, as soon as every twig came.
    ///
    /// # Errors
    /// [`TrustError::Inconsistent`].
    pub fn finish(self) -> Result<Step, TrustError> {
        self.appending.finish()?;
        Ok(self.step)
    }
}

fn check_blob(blob: &Blob, expected: &Hash) -> Result<(), TrustError> {
    use superroot_proof::consistency::ConsistencyError;
    blob.check()?;
    let (got, expected) = (blob.super_root.hash(), *expected);
    if got == expected {
        return Ok(());
    }
    Err(ConsistencyError::Root { which: "blob's", got, expected }.into())
}
