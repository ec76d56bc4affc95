//! The service: accounts in a store, and what their keys give.

mod admin;
mod auth;
mod keys;
mod standing;
mod wallets;

use std::sync::Arc;

use superroot_store::{Batch, Direction, Store, StoreError, Table};
use superroot_types::{Address, Clock, Hash, UnixSeconds};
use uuid::Uuid;

use crate::account::{Account, WalletLink};
use crate::cache::KeyCache;
use crate::key::{IssuedKey, Key, KeyOwner, NewKey};
use crate::place::Place;
use crate::row::{self, Held};
use crate::{
    AccountError, AccountId, Actor, Config, Environment, KeyId, Month, Plans, Secret, Stopwatch,
    place,
};

/// Rows that one listing hands out at most.
const LISTED_MAX: usize = 1_000;

/// Accounts of one environment, with their keys and wallets. Any number of these, on any number of
/// machines, may stand on one store. Calls block, but for
/// [`authenticate_remembered`](Accounts::authenticate_remembered).
pub struct Accounts {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    stopwatch: Arc<dyn Stopwatch>,
    config: Config,
    cache: KeyCache,
    /// What clock and stopwatch said when this was opened.
    opened: (UnixSeconds, u64),
}

impl Accounts {
    /// Opens the accounts of the configured environment.
    ///
    /// # Errors
    /// [`AccountError::Config`], [`AccountError::Bounds`] for a setting out of range.
    pub fn open(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        stopwatch: Arc<dyn Stopwatch>,
        config: Config,
    ) -> Result<Self, AccountError> {
        config.validate()?;
        let cache = KeyCache::new(config.keys.cached_keys_max, Arc::clone(&stopwatch));
        let opened = (clock.now(), stopwatch.elapsed_ms());
        Ok(Self { store, clock, stopwatch, config, cache, opened })
    }

    /// The world these accounts are of.
    #[must_use]
    pub const fn environment(&self) -> Environment {
        self.config.keys.environment
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

    /// Opens a sub-account of an integrator, with its first key as `first` says: account, key and tie
    /// are one commit. The key's label is the account's as well.
    ///
    /// # Errors
    /// [`AccountError::NoIntegrator`] where the parent is none in the running month,
    /// [`AccountError::Full`], [`AccountError::Beyond`] where the parent is a sub-account itself, and
    /// for a key that is confined or expires; those of the actor and of what no key may have;
    /// [`AccountError::Contended`], [`AccountError::Randomness`], [`AccountError::Store`].
    pub fn open_sub_account(
        &self,
        actor: Actor<'_>,
        parent: AccountId,
        first: &NewKey,
    ) -> Result<(Account, IssuedKey), AccountError> {
        first.scope.check(self.config.routes)?;
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
            reach.check_is_whole(now)?;
            let agreed = self.agreed(parent, Month::of(now)?)?;
            if !agreed.gives().is_some_and(|gives| gives.is_integrator) {
                return Err(AccountError::NoIntegrator);
            }
            let most = self.plans().integrator.sub_accounts_max;
            let count = held.value.sub_account_count;
            if count >= most {
                let expected = usize::try_from(most).unwrap_or(usize::MAX);
                return Err(AccountError::Full { what: "sub-accounts", expected });
            }
            let sub_account_count = count.saturating_add(1);
            self.put_account(
                &mut batch,
                &held,
                Account { sub_account_count, ..held.value.clone() },
            );
            let tie = Place::Tie { integrator: parent, sub_account: account.id };
            batch.put(tie.table(), tie.encode(self.environment()), [1]);
            Ok((batch, (account, issued)))
        })
    }

    /// Whether an agreement makes an account an integrator now.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn is_integrator(&self, id: AccountId) -> Result<bool, AccountError> {
        let agreed = self.agreed(id, Month::of(self.now())?)?;
        Ok(agreed.gives().is_some_and(|gives| gives.is_integrator))
    }

    /// Sub-accounts of an integrator after one (or from the first), at most a thousand.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn sub_accounts(
        &self,
        integrator: AccountId,
        after: Option<AccountId>,
        limit: usize,
    ) -> Result<Vec<AccountId>, AccountError> {
        let prefix = place::ties(self.environment(), integrator);
        let behind = |sub_account| {
            place::next(&Place::Tie { integrator, sub_account }.encode(self.environment()))
        };
        let start = after.map_or_else(|| prefix.clone(), behind);
        let (table, end) = (Table::Subscription, place::after(&prefix));
        let limit = limit.min(LISTED_MAX);
        let rows = self.store.scan(table, &start, end.as_deref(), limit, Direction::Rising)?;
        let below = |key: &[u8]| match key.get(prefix.len()..).map(Uuid::from_slice) {
            Some(Ok(id)) => Ok(AccountId(id)),
            _ => Err(StoreError::Corrupt { table, key: key.to_vec(), why: "no tie" }.into()),
        };
        rows.iter().map(|(key, _)| below(key)).collect()
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
            sub_account_count: 0,
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
        let place = Place::Account(account.id).encode(environment);
        batch.expect(Table::Account, place.clone(), None);
        batch.put(Table::Account, place, row::encode(account));
        if let Some(wallet) = account.wallet {
            let link = WalletLink { wallet, claimed_at: now, proven_at };
            let place = Place::Link(account.id, wallet).encode(environment);
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
        let place = Place::Key(key.account, key.id).encode(environment);
        batch.expect(Table::AccountKey, place.clone(), None);
        batch.put(Table::AccountKey, place, row::encode(key));
        let owner = KeyOwner { environment, account: key.account, key: key.id };
        batch.expect(Table::KeyHash, key.hash.0, None);
        batch.put(Table::KeyHash, key.hash.0, row::encode(&owner));
    }

    fn load_account(&self, id: AccountId) -> Result<Held<Account>, AccountError> {
        let place = Place::Account(id).encode(self.environment());
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
        let place = Place::Account(account.id).encode(self.environment());
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
    fn forget_changed<T>(&self, done: Result<T, AccountError>) -> Result<T, AccountError> {
        match &done {
            Ok(_) => self.look_again(),
            Err(AccountError::Store(_)) => self.cache.distrust(), // it may have been written
            Err(_) => {}
        }
        done
    }

    /// Forgets at once whom the log of changes names, and everybody where it cannot be read: for who
    /// has just committed a change of this crate's rows.
    pub fn look_again(&self) {
        if self.refresh().is_err() {
            self.cache.distrust();
        }
    }

    /// Removes some of the changes that every node has seen long since; how many.
    pub(crate) fn prune_changes(&self) -> Result<usize, AccountError> {
        self.cache.prune_changes(&*self.store)
    }
}

#[cfg(test)]
mod tests;
