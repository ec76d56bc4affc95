//! Authentication: from a key text to its rights.

use std::sync::Arc;

use subtle::ConstantTimeEq;
use superroot_store::{StoreError, Table};
use superroot_types::UnixSeconds;

use super::Accounts;
use crate::entitlement::Remembered;
use crate::key::KeyRow;
use crate::place::AccountKey;
use crate::secret::{ReadKey, hash_of_key_sized};
use crate::{AccountError, Entitlement, read_key, row};

impl Accounts {
    /// Returns the current rights of a key. A text that is not a key costs no store access.
    ///
    /// # Errors
    /// [`AccountError::NotAKey`], [`AccountError::OtherEnvironment`], [`AccountError::UnknownKey`],
    /// [`AccountError::RevokedKey`], [`AccountError::RotatedKey`], [`AccountError::ExpiredKey`],
    /// [`AccountError::ClosedAccount`]; [`AccountError::Store`] if the store fails: access is then refused.
    pub fn authenticate(&self, text: &str) -> Result<Arc<Entitlement>, AccountError> {
        let read = self.read(text)?;
        let now = self.now();
        if let Some(entitlement) = self.cache.look(&read.hash, now) {
            return Ok(entitlement);
        }
        let begun = self.cache.begin();
        let remembered = self.load_key(&read, now)?;
        let entitlement = Arc::clone(&remembered.entitlement);
        self.cache.keep(begun, read.hash, remembered);
        Ok(entitlement)
    }

    /// Like [`Accounts::authenticate`], from the cache alone and without blocking; `None` if the store is needed.
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

    /// Evicts entries changed by other nodes. Call every 250 ms: the cache is valid for 900 ms from the beginning of
    /// the last successful call, and never before the first.
    ///
    /// # Errors
    /// [`AccountError::Store`]: after 900 ms each key is looked up in the store.
    pub fn refresh(&self) -> Result<(), AccountError> {
        self.cache.refresh(&*self.store)
    }

    /// Returns the current rights of an entitlement's key: for work that outlives its request, such as a stream.
    pub fn renew(&self, given: &Entitlement) -> Result<Arc<Entitlement>, AccountError> {
        let now = self.now();
        let place = AccountKey::Key(given.account, given.key).encode(given.environment);
        let held = row::load::<KeyRow>(&*self.store, Table::AccountKey, &place)?;
        let key = held.ok_or(AccountError::UnknownKey)?.value;
        let renewed = self.load_standings(given.account, now)?.entitle(key, self.plans(), now)?;
        Ok(renewed.entitlement)
    }

    #[must_use]
    pub fn remembered_key_count(&self) -> usize {
        self.cache.key_count()
    }

    pub(super) fn read(&self, text: &str) -> Result<ReadKey, AccountError> {
        let read = read_key(text)?;
        let got = read.environment;
        let expected = self.environment();
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
        let place = AccountKey::Key(owner.account, owner.key).encode(owner.environment);
        let held = row::load::<KeyRow>(&*self.store, Table::AccountKey, &place)?;
        let key = held.ok_or(AccountError::UnknownKey)?.value;
        if !bool::from(key.hash.0.ct_eq(&read.hash.0)) {
            let why = "its hash is not the one that leads to it";
            return Err(StoreError::Corrupt { table: Table::AccountKey, key: place, why }.into());
        }
        key.check_at(now)?; // before more is read for it
        self.load_standings(owner.account, now)?.entitle(key, self.plans(), now)
    }
}
