//! Account service: stored accounts, and rights of their keys.

mod admin;
mod auth;
mod keys;
mod standing;
mod wallets;

use std::sync::Arc;

use superroot_store::{ScanOrder, Store, StoreError, Table, WriteBatch};
use superroot_types::{Address, Clock, Hash, UnixSeconds};
use uuid::Uuid;

use crate::account::{Account, WalletLink};
use crate::cache::KeyCache;
use crate::key::{CreatedKey, KeyOwner, KeyRow, NewKey};
use crate::place::AccountKey;
use crate::provisional::ProvisionalTiers;
use crate::row::{self, RowSnapshot};
use crate::{
    AccountConfig, AccountError, AccountId, Actor, Environment, KeyId, KeySecret, Month, PlanTable,
    Stopwatch, place,
};

/// Most rows per listing.
const LISTED_MAX: usize = 1_000;

/// Accounts of one environment, with keys and wallets. Several instances, on several machines, may share one store.
/// Calls block, except [`authenticate_remembered`](Accounts::authenticate_remembered).
pub struct Accounts {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    stopwatch: Arc<dyn Stopwatch>,
    config: AccountConfig,
    cache: KeyCache,
    provisional: ProvisionalTiers,
    /// Clock and stopwatch readings at opening.
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
        config: AccountConfig,
    ) -> Result<Self, AccountError> {
        config.validate()?;
        let cache = KeyCache::new(config.keys.cached_keys_max, Arc::clone(&stopwatch));
        let opened = (clock.now(), stopwatch.elapsed_ms());
        let provisional = ProvisionalTiers::default();
        Ok(Self { store, clock, stopwatch, config, cache, provisional, opened })
    }

    #[must_use]
    pub const fn environment(&self) -> Environment {
        self.config.keys.environment
    }

    #[must_use]
    pub const fn plans(&self) -> &PlanTable {
        &self.config.plans
    }

    /// Current time for expiry: the clock, but at least the opening time plus the elapsed time. A clock set back
    /// revives nothing; a clock that ran ahead causes harm for at most its lead.
    #[must_use]
    pub fn now(&self) -> UnixSeconds {
        let (opened, began_ms) = self.opened;
        let passed = self.stopwatch.elapsed_ms().saturating_sub(began_ms) / 1_000;
        self.clock.now().max(UnixSeconds(opened.0.saturating_add(passed)))
    }

    /// Opens an account that claims `wallet`, with its first key. Without a rate limit:
    /// [`AccountService::register`](crate::AccountService::register) limits registrations per address. The claim gives
    /// no rights paid by the wallet.
    pub fn register(&self, wallet: Address) -> Result<(Account, CreatedKey), AccountError> {
        let now = self.now();
        let account = self.new_account(Some(wallet), None, now);
        let (issued, batch) = self.opening(&account, None, NewKey::default(), now)?;
        self.store.commit(batch)?;
        Ok((account, issued))
    }

    /// Opens a sub-account of an integrator with a first key described by `first`: account, key and tie are one commit.
    /// The key's label also becomes the account's label.
    ///
    /// # Errors
    /// [`AccountError::NoIntegrator`] if the parent is no integrator this month, [`AccountError::Full`],
    /// [`AccountError::Beyond`] if the parent is a sub-account, or the acting key is confined or expires; errors of the
    /// actor and of an invalid key; [`AccountError::Contended`], [`AccountError::Randomness`], [`AccountError::Store`].
    pub fn open_sub_account(
        &self,
        actor: Actor<'_>,
        parent: AccountId,
        first: &NewKey,
    ) -> Result<(Account, CreatedKey), AccountError> {
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
            let tie = AccountKey::Tie { integrator: parent, sub_account: account.id };
            batch.put(tie.table(), tie.encode(self.environment()), [1]);
            Ok((batch, (account, issued)))
        })
    }

    /// Whether an agreement makes the account an integrator now.
    pub fn is_integrator(&self, id: AccountId) -> Result<bool, AccountError> {
        let agreed = self.agreed(id, Month::of(self.now())?)?;
        Ok(agreed.gives().is_some_and(|gives| gives.is_integrator))
    }

    /// Sub-accounts of an integrator after one (or from the first), at most a thousand.
    pub fn sub_accounts(
        &self,
        integrator: AccountId,
        after: Option<AccountId>,
        limit: usize,
    ) -> Result<Vec<AccountId>, AccountError> {
        let prefix = place::ties(self.environment(), integrator);
        let behind = |sub_account| {
            place::next(&AccountKey::Tie { integrator, sub_account }.encode(self.environment()))
        };
        let start = after.map_or_else(|| prefix.clone(), behind);
        let table = Table::Subscription;
        let end = place::after(&prefix);
        let limit = limit.min(LISTED_MAX);
        let rows = self.store.scan(table, &start, end.as_deref(), limit, ScanOrder::Rising)?;
        let below = |key: &[u8]| match key.get(prefix.len()..).map(Uuid::from_slice) {
            Some(Ok(id)) => Ok(AccountId(id)),
            _ => Err(StoreError::Corrupt { table, key: key.to_vec(), why: "no tie" }.into()),
        };
        rows.iter().map(|(key, _)| below(key)).collect()
    }

    /// Returns an account.
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

    /// First rows of an account: account, wallet (claimed or proven), first key.
    fn opening(
        &self,
        account: &Account,
        proven_at: Option<UnixSeconds>,
        first: NewKey,
        now: UnixSeconds,
    ) -> Result<(CreatedKey, WriteBatch), AccountError> {
        let environment = self.environment();
        let mut batch = WriteBatch::new();
        let place = AccountKey::Account(account.id).encode(environment);
        batch.expect(Table::Account, place.clone(), None);
        batch.put(Table::Account, place, row::encode(account));
        if let Some(wallet) = account.wallet {
            let link = WalletLink { wallet, claimed_at: now, proven_at };
            let place = AccountKey::Link(account.id, wallet).encode(environment);
            batch.put(Table::Wallet, place, row::encode(&link));
        }
        let issued = self.issue(account.id, first, now)?;
        self.put_new_key(&mut batch, &issued.key);
        Ok((issued, batch))
    }

    /// Builds a key without writing.
    fn issue(
        &self,
        account: AccountId,
        new: NewKey,
        now: UnixSeconds,
    ) -> Result<CreatedKey, AccountError> {
        let secret = KeySecret::generate(self.environment())?;
        let key = KeyRow {
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
        Ok(CreatedKey { secret, key })
    }

    fn put_new_key(&self, batch: &mut WriteBatch, key: &KeyRow) {
        let environment = self.environment();
        let place = AccountKey::Key(key.account, key.id).encode(environment);
        batch.expect(Table::AccountKey, place.clone(), None);
        batch.put(Table::AccountKey, place, row::encode(key));
        let owner = KeyOwner { environment, account: key.account, key: key.id };
        batch.expect(Table::KeyHash, key.hash.0, None);
        batch.put(Table::KeyHash, key.hash.0, row::encode(&owner));
    }

    fn load_account(&self, id: AccountId) -> Result<RowSnapshot<Account>, AccountError> {
        let place = AccountKey::Account(id).encode(self.environment());
        let held = row::load::<Account>(&*self.store, Table::Account, &place)?;
        held.ok_or(AccountError::UnknownAccount { id })
    }

    fn load_owner(&self, hash: &Hash) -> Result<Option<KeyOwner>, AccountError> {
        let held = row::load::<KeyOwner>(&*self.store, Table::KeyHash, &hash.0)?;
        Ok(held.map(|held| held.value))
    }

    /// Puts the account with its revision raised: one of two concurrent changes must retry.
    fn put_account(
        &self,
        batch: &mut WriteBatch,
        held: &RowSnapshot<Account>,
        mut account: Account,
    ) {
        account.revision = account.revision.saturating_add(1);
        let place = AccountKey::Account(account.id).encode(self.environment());
        batch.expect(Table::Account, place.clone(), Some(&held.bytes));
        batch.put(Table::Account, place, row::encode(&account));
    }

    /// Commits a change of cached rows, and evicts them here at once.
    fn change<T>(
        &self,
        table: Table,
        build: impl FnMut() -> Result<(WriteBatch, T), AccountError>,
    ) -> Result<T, AccountError> {
        self.forget_changed(row::commit(&*self.store, table, build))
    }

    /// Evicts changed entries here at once, after a commit that noted changes.
    fn forget_changed<T>(&self, done: Result<T, AccountError>) -> Result<T, AccountError> {
        match &done {
            Ok(_) => self.look_again(),
            Err(AccountError::Store(_)) => self.cache.distrust(), // it may have been written
            Err(_) => {}
        }
        done
    }

    /// Evicts all entries named in the change log at once, or everything if the log is unreadable. For callers that
    /// have just committed a change of this crate's rows.
    pub fn look_again(&self) {
        if self.refresh().is_err() {
            self.cache.distrust();
        }
    }

    /// Removes some changes that every node saw long ago. Returns their number.
    pub(crate) fn prune_changes(&self) -> Result<usize, AccountError> {
        self.cache.prune_changes(&*self.store)
    }
}

#[cfg(test)]
mod tests;
