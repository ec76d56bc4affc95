//! The service: accounts in a store, and what their keys give.

mod admin;
mod auth;
mod keys;
mod standing;
mod wallets;

use std::sync::Arc;

use superroot_store::{Batch, Store, Table};
use superroot_types::{Address, Clock, Hash, UnixSeconds};

use crate::account::{Account, WalletLink};
use crate::cache::KeyCache;
use crate::key::{IssuedKey, Key, KeyOwner, NewKey};
use crate::row::{self, Held};
use crate::{
    AccountError, AccountId, Actor, Config, Environment, Journal, KeyId, Plans, Secret, Stopwatch,
    Subscriptions, SystemStopwatch, place,
};

/// Accounts of one environment, with their keys and wallets. Any number of these, on any number of
/// machines, may stand on one store. Calls block, but for
/// [`authenticate_remembered`](Accounts::authenticate_remembered).
///
/// ```
/// use std::sync::Arc;
/// use superroot_account::{Accounts, Config, Tier};
/// use superroot_store::MemoryStore;
/// use superroot_types::{Address, SystemClock};
/// let accounts =
///     Accounts::open(Arc::new(MemoryStore::new()), Arc::new(SystemClock), Config::default())?;
/// let (account, issued) = accounts.register(Address([7; 20]))?;
/// let entitlement = accounts.authenticate(issued.secret.expose())?;
/// assert_eq!((entitlement.account, entitlement.tier()), (account.id, Tier::Explorer));
/// # Ok::<(), superroot_account::AccountError>(())
/// ```
pub struct Accounts {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    stopwatch: Arc<dyn Stopwatch>,
    config: Config,
    subscriptions: Subscriptions,
    journal: Journal,
    cache: KeyCache,
    /// What clock and stopwatch said when this was opened.
    opened: (UnixSeconds, u64),
}

impl Accounts {
    /// Opens the accounts of the configured environment.
    ///
    /// # Errors
    /// [`AccountError::Config`] for a setting out of range.
    pub fn open(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        config: Config,
    ) -> Result<Self, AccountError> {
        Self::open_with(store, clock, Arc::new(SystemStopwatch::default()), config)
    }

    /// As [`Accounts::open`], with a stopwatch of the caller's.
    ///
    /// # Errors
    /// As [`Accounts::open`].
    pub fn open_with(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        stopwatch: Arc<dyn Stopwatch>,
        config: Config,
    ) -> Result<Self, AccountError> {
        config.validate()?;
        let cache = KeyCache::new(config.keys.cached_keys_max, Arc::clone(&stopwatch));
        let subscriptions = Subscriptions::new(Arc::clone(&store), config.keys.environment);
        let journal = Journal::new(Arc::clone(&store), config.keys.environment);
        let opened = (clock.now(), stopwatch.elapsed_ms());
        Ok(Self { store, clock, stopwatch, config, subscriptions, journal, cache, opened })
    }

    /// The world these accounts are of.
    #[must_use]
    pub const fn environment(&self) -> Environment {
        self.config.keys.environment
    }

    /// Subscriptions, to be read; [`Accounts::apply_to_subscription`] is the way to change one.
    #[must_use]
    pub const fn subscriptions(&self) -> &Subscriptions {
        &self.subscriptions
    }

    /// Tiers, prices and models.
    #[must_use]
    pub const fn plans(&self) -> &Plans {
        &self.config.plans
    }

    /// Now, as expiry sees it: what the clock says, but never less than when this was opened and
    /// what has passed since. A clock set back revives nothing; one that ran ahead and was put
    /// right harms nobody for longer than it ran ahead.
    #[must_use]
    pub fn now(&self) -> UnixSeconds {
        let (opened, began_ms) = self.opened;
        let passed = self.stopwatch.elapsed_ms().saturating_sub(began_ms) / 1_000;
        self.clock.now().max(UnixSeconds(opened.0.saturating_add(passed)))
    }

    /// Opens an account that claims `wallet`, with its first key. As often as anyone likes: how often
    /// from one place is [`AccountService::register`](crate::AccountService::register)'s to say. It
    /// never gives what the wallet paid for.
    ///
    /// # Errors
    /// [`AccountError::Randomness`], [`AccountError::Store`].
    pub fn register(&self, wallet: Address) -> Result<(Account, IssuedKey), AccountError> {
        let now = self.now();
        let account = self.new_account(Some(wallet), None, now);
        let (issued, batch) = self.opening(&account, None, NewKey::default(), now)?;
        self.store.commit(batch)?;
        Ok((account, issued))
    }

    /// Opens an account below the actor's own, with its first key as `first` says; `also` puts into
    /// the same commit what else must hold of it.
    ///
    /// # Errors
    /// Those of the actor and of `also`; [`AccountError::Beyond`] where the parent is a sub-account
    /// itself; [`AccountError::Contended`], [`AccountError::Randomness`], [`AccountError::Store`].
    pub(crate) fn open_below(
        &self,
        actor: Actor<'_>,
        parent: AccountId,
        first: &NewKey,
        also: &mut dyn FnMut(&mut Batch, AccountId) -> Result<(), AccountError>,
    ) -> Result<(Account, IssuedKey), AccountError> {
        first.check()?;
        row::commit(&*self.store, Table::Account, || {
            let now = self.now();
            keys::check_expiry(first.expires_at, now)?;
            let held = self.load_account(parent)?;
            if held.value.parent.is_some() {
                return Err(AccountError::Beyond { what: "a sub-account has none below it" });
            }
            let label = first.label.clone();
            let account = Account { label, ..self.new_account(None, Some(parent), now) };
            let (issued, mut batch) = self.opening(&account, None, first.clone(), now)?;
            let subject = format!("account {} under {parent}", account.id);
            let act = ("open_account", subject.as_str());
            let reach = actor.admit(&*self.store, &mut batch, &held.value, act, now)?;
            // whoever is confined opens nothing, however narrow its key: the account is whole
            reach.check_opens(now)?;
            self.put_account(&mut batch, &held, held.value.clone());
            also(&mut batch, account.id)?;
            Ok((batch, (account, issued)))
        })
    }

    /// The account.
    ///
    /// # Errors
    /// [`AccountError::UnknownAccount`], [`AccountError::Store`].
    pub fn account(&self, id: AccountId) -> Result<Account, AccountError> {
        Ok(self.load_account(id)?.value)
    }

    fn new_account(
        &self,
        wallet: Option<Address>,
        parent: Option<AccountId>,
        now: UnixSeconds,
    ) -> Account {
        Account {
            id: AccountId::random(),
            environment: self.environment(),
            created_at: now,
            wallet,
            parent,
            grant: None,
            label: None,
            closed_at: None,
            revision: 0,
        }
    }

    /// The first rows of an account: itself, its wallet, claimed or proven, its first key.
    fn opening(
        &self,
        account: &Account,
        proven_at: Option<UnixSeconds>,
        first: NewKey,
        now: UnixSeconds,
    ) -> Result<(IssuedKey, Batch), AccountError> {
        let environment = self.environment();
        let mut batch = Batch::new();
        let place = place::account(environment, account.id);
        batch.expect(Table::Account, place.clone(), None);
        batch.put(Table::Account, place, row::encode(account));
        if let Some(wallet) = account.wallet {
            let link = WalletLink { wallet, claimed_at: now, proven_at };
            let place = place::link(environment, account.id, wallet);
            batch.put(Table::Wallet, place, row::encode(&link));
        }
        let issued = self.issue(account.id, first, now)?;
        self.put_new_key(&mut batch, &issued.key);
        Ok((issued, batch))
    }

    /// A key of those properties, not yet written.
    fn issue(
        &self,
        account: AccountId,
        new: NewKey,
        now: UnixSeconds,
    ) -> Result<IssuedKey, AccountError> {
        let secret = Secret::generate(self.environment())?;
        let key = Key {
            id: KeyId::random(),
            account,
            key_prefix: secret.key_prefix(),
            label: new.label,
            scope: new.scope,
            created_at: now,
            expires_at: new.expires_at,
            retires_at: None,
            replaced_by: None,
            revoked_at: None,
            hash: secret.hash(),
        };
        Ok(IssuedKey { secret, key })
    }

    fn put_new_key(&self, batch: &mut Batch, key: &Key) {
        let environment = self.environment();
        let place = place::key(environment, key.account, key.id);
        batch.expect(Table::AccountKey, place.clone(), None);
        batch.put(Table::AccountKey, place, row::encode(key));
        let owner = KeyOwner { environment, account: key.account, key: key.id };
        batch.expect(Table::KeyHash, key.hash.0, None);
        batch.put(Table::KeyHash, key.hash.0, row::encode(&owner));
    }

    fn load_account(&self, id: AccountId) -> Result<Held<Account>, AccountError> {
        let place = place::account(self.environment(), id);
        let held = row::load::<Account>(&*self.store, Table::Account, &place)?;
        held.ok_or(AccountError::UnknownAccount { id })
    }

    fn load_owner(&self, hash: &Hash) -> Result<Option<KeyOwner>, AccountError> {
        let held = row::load::<KeyOwner>(&*self.store, Table::KeyHash, &hash.0)?;
        Ok(held.map(|held| held.value))
    }

    /// Puts the account with its revision raised: of two changes at one time one looks again.
    fn put_account(&self, batch: &mut Batch, held: &Held<Account>, mut account: Account) {
        account.revision = account.revision.saturating_add(1);
        let place = place::account(self.environment(), account.id);
        batch.expect(Table::Account, place.clone(), Some(&held.bytes));
        batch.put(Table::Account, place, row::encode(&account));
    }

    /// Commits a change of what is remembered, and forgets it here at once.
    fn change<T>(
        &self,
        table: Table,
        build: impl FnMut() -> Result<(Batch, T), AccountError>,
    ) -> Result<T, AccountError> {
        self.forget_changed(row::commit(&*self.store, table, build))
    }

    /// After a commit that noted changes: forgets them here, at once.
    pub(crate) fn forget_changed<T>(
        &self,
        done: Result<T, AccountError>,
    ) -> Result<T, AccountError> {
        match &done {
            Ok(_) if self.refresh().is_err() => self.cache.distrust(),
            Err(AccountError::Store(_)) => self.cache.distrust(), // it may have been written
            Ok(_) | Err(_) => {}
        }
        done
    }
}

#[cfg(test)]
mod tests;
