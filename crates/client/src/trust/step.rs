//! Pin step: the proof required before a pin moves.

use superroot_proof::consistency::{Appending, Blob, FullConsistency};
use superroot_proof::note::VerifierKey;
use superroot_proof::registry::Profile;
use superroot_types::Hash;

use super::{LogKey, Pin, TrustError, TrustStore, TrustedLog};
use crate::FetchedPage;

/// Prepared pin move, applied by [`TrustStore::advance`] if the store is unchanged.
#[derive(Clone, Debug)]
pub struct PinAdvance {
    pub(super) origin: String,
    pub(super) key: VerifierKey,
    pub(super) from: Option<Pin>,
    pub(super) to: Pin,
    pub(super) registry: Vec<Profile>,
}

impl TrustStore {
    /// Returns the log key, required for every pin move.
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

impl PinAdvance {
    /// First pin for a log: its note alone proves the SuperRoot.
    ///
    /// # Errors
    /// As [`FetchedPage::check_signed`]; [`TrustError::Inconsistent`] for a blob that does not match the SuperRoot.
    pub fn first(
        origin: &str,
        key: &LogKey,
        page: &FetchedPage,
        note: &str,
        blob: &Blob,
    ) -> Result<Self, TrustError> {
        page.check_signed(note, key)?;
        check_blob(blob, &page.super_root.hash())?;
        Ok(Self::to(origin, key, None, page, note, blob))
    }

    /// Step from the newest pin, with the twigs still required.
    ///
    /// # Errors
    /// As [`FetchedPage::check_signed`]; [`TrustError::Inconsistent`] if the log does not fully extend the pin.
    pub fn after(
        origin: &str,
        key: &LogKey,
        from: &Pin,
        (page, note): (&FetchedPage, &str),
        proof: &FullConsistency,
    ) -> Result<PendingAdvance, TrustError> {
        page.check_signed(note, key)?;
        let appending = proof.begin(&from.super_root_hash, &page.super_root.hash())?;
        let step = Self::to(origin, key, Some(from.clone()), page, note, &proof.to);
        Ok(PendingAdvance { step, appending })
    }

    fn to(
        origin: &str,
        key: &LogKey,
        from: Option<Pin>,
        page: &FetchedPage,
        note: &str,
        blob: &Blob,
    ) -> Self {
        let sequence = page.super_root.sequence.0;
        let super_root_hash = page.super_root.hash();
        let to = Pin { sequence, super_root_hash, note: Some(note.to_owned()) };
        let registry = blob.registry.rows().to_vec();
        Self { origin: origin.to_owned(), key: key.key.clone(), from, to, registry }
    }

    /// Start pin; `None` if nothing was pinned yet.
    #[must_use]
    pub const fn from(&self) -> Option<&Pin> {
        self.from.as_ref()
    }

    /// Registry for the target SuperRoot.
    #[must_use]
    pub fn registry(&self) -> &[Profile] {
        &self.registry
    }

    /// Target pin.
    #[must_use]
    pub const fn pin(&self) -> &Pin {
        &self.to
    }
}

/// Step with appended twigs still missing.
#[derive(Debug)]
pub struct PendingAdvance {
    step: PinAdvance,
    /// Missing twigs.
    pub appending: Appending,
}

impl PendingAdvance {
    /// Returns the step after every twig has arrived.
    ///
    /// # Errors
    /// [`TrustError::Inconsistent`].
    pub fn finish(self) -> Result<PinAdvance, TrustError> {
        self.appending.finish()?;
        Ok(self.step)
    }
}

fn check_blob(blob: &Blob, expected: &Hash) -> Result<(), TrustError> {
    use superroot_proof::consistency::ConsistencyError;
    blob.check()?;
    let got = blob.super_root.hash();
    let expected = *expected;
    if got == expected {
        return Ok(());
    }
    Err(ConsistencyError::Root { which: "blob's", got, expected }.into())
}
