//! From the text of a key to what it gives.

use std::sync::Arc;

use subtle::ConstantTimeEq;
use superroot_store::{StoreError, Table};
use superroot_types::UnixSeconds;

use super::Accounts;
use crate::entitlement::Remembered;
use crate::key::Key;
use crate::place::Place;
use crate::secret::{ReadKey, hash_of_key_sized};
use crate::{AccountError, Entitlement, read_key, row};

impl Accounts {
    /// What a key gives now. A text that is no key costs no look into the store.
    ///
    /// # Errors
    /// [`AccountError::NotAKey`], [`AccountError::OtherEnvironment`],
    /// [`AccountError::UnknownKey`], [`AccountError::RevokedKey`], [`AccountError::RotatedKey`],
    /// [`AccountError::ExpiredKey`], [`AccountError::ClosedAccount`]; [`AccountError::Store`] where
    /// nothing can be known: nobody is let in by that.
    pub fn authenticate(&self, text: &str) -> Result<Arc<Entitlement>, AccountError> {
        let (read, now) = (self.read(text)?, self.now());
        if let Some(entitlement) = self.cache.look(&read.hash, now) {
            return Ok(entitlement);
        }
        let begun = self.cache.begin();
        let remembered = self.load_key(&read, now)?;
        let entitlement = Arc::clone(&remembered.entitlement);
        self.cache.keep(begun, read.hash, remembered);
        Ok(entitlement)
    }

    /// As [`Accounts::authenticate`], from memory alone, and never blocks: none where the store must
    /// be asked.
    ///
    /// # Errors
    /// [`AccountError::NotAKey`], [`AccountError::OtherEnvironment`].
    pub fn authenticate_remembered(
        &self,
        text: &str,
    ) -> Result<Option<Arc<Entitlement>>, AccountError> {
        // only keys are remembered: what is found need not be read
        if let Some(hash) = hash_of_key_sized(text)
            && let Some(entitlement) = self.cache.look(&hash, self.now())
        {
            return Ok(Some(entitlement));
        }
        self.read(text).map(|_| None)
    }

    /// Forgets whom other nodes have changed. To be called every 250 ms: what is remembered is
    /// believed for 900 ms from the beginning of the last call that succeeded, and not at all
    /// before the first.
    ///
    /// # Errors
    /// [`AccountError::Store`]: from 900 ms on each key is looked up in the store.
    pub fn refresh(&self) -> Result<(), AccountError> {
        self.cache.refresh(&*self.store)
    }

    /// What the key behind an entitlement gives now: for whatever goes on after its request, as a stream
    /// does.
    ///
    /// # Errors
    /// As [`Accounts::authenticate`].
    pub fn renew(&self, given: &Entitlement) -> Result<Arc<Entitlement>, AccountError> {
        let now = self.now();
        let place = Place::Key(given.account, given.key).encode(given.environment);
        let held = row::load::<Key>(&*self.store, Table::AccountKey, &place)?;
        let key = held.ok_or(AccountError::UnknownKey)?.value;
        let renewed = self.load_standings(given.account, now)?.entitle(key, self.plans(), now)?;
        Ok(renewed.entitlement)
    }

    /// Keys remembered now.
    #[must_use]
    pub fn remembered_key_count(&self) -> usize {
        self.cache.key_count()
    }

    pub(super) fn read(&self, text: &str) -> Result<ReadKey, AccountError> {
        let read = read_key(text)?;
        let (got, expected) = (read.environment, self.environment());
        if got != expected {
            return Err(AccountError::OtherEnvironment { got, expected });
        }
        Ok(read)
    }

    fn load_key(&self, read: &ReadKey, now: UnixSeconds) -> Result<Remembered, AccountError> {
        let owner = self.load_owner(&read.hash)?.ok_or(AccountError::UnknownKey)?;
        if owner.environment != read.environment {
            return Err(AccountError::UnknownKey);
        }
        let place = Place::Key(owner.account, owner.key).encode(owner.environment);
        let held = row::load::<Key>(&*self.store, Table::AccountKey, &place)?;
        let key = held.ok_or(AccountError::UnknownKey)?.value;
        if !bool::from(key.hash.0.ct_eq(&read.hash.0)) {
            let why = "its hash is not the one that leads to it";
            return Err(StoreError::Corrupt { table: Table::AccountKey, key: place, why }.into());
        }
        key.check_at(now)?; // before more is read for it
        self.load_standings(owner.account, now)?.entitle(key, self.plans(), now)
    }
}
