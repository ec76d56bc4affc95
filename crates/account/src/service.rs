//! Everything about accounts, opened together on one store.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use superroot_store::Store;
use superroot_types::{Address, ChainId, Clock, UnixSeconds};

use crate::account::Account;
use crate::key::IssuedKey;
use crate::limit::{AddressPrefix, Allowance};
use crate::usage::{Pruned, Pruner};
use crate::wallet::{CallUnavailable, Called, ContractCall};
use crate::{
    AccountError, AccountId, Accounts, Config, ContractCaller, Entitlement, Environment, Flusher,
    Limiter, Meter, Plans, ProvenWallet, Stopwatch, SystemStopwatch, Usage, Wallets,
};

/// Rows that one call of [`AccountService::prune`] looks at, about.
const PRUNED_ROWS_MAX: usize = 4_096;

/// Accounts, limits and counts of one environment, over one store. The HTTP face asks it,
/// the node runs its loops, the operator acts through it.
///
/// ```
/// use std::sync::Arc;
/// use superroot_account::{AccountService, Config};
/// use superroot_store::MemoryStore;
/// use superroot_types::{Address, SystemClock};
/// let service = AccountService::open(
///     Arc::new(MemoryStore::new()),
///     Arc::new(SystemClock),
///     &Config::default(),
/// )?;
/// let from: std::net::IpAddr = [192, 0, 2, 1].into();
/// let (account, issued) = service.register(from.into(), Address([7; 20]))?;
/// assert_eq!(service.accounts().authenticate(issued.secret.expose())?.account, account.id);
/// # Ok::<(), superroot_account::AccountError>(())
/// ```
pub struct AccountService {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    config: Config,
    accounts: Accounts,
    limiter: Limiter,
    meter: Meter,
    usage: Usage,
    wallets: Wallets,
    flusher: Mutex<Flusher>,
    pruner: Mutex<Pruner>,
}

impl AccountService {
    /// Opens the accounts of the configured environment.
    ///
    /// # Errors
    /// [`AccountError::Config`], [`AccountError::Bounds`] for a setting out of range.
    pub fn open(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        config: &Config,
    ) -> Result<Arc<Self>, AccountError> {
        Self::open_with(store, clock, Arc::new(SystemStopwatch::default()), config)
    }

    /// As [`AccountService::open`], with a stopwatch of the caller's.
    ///
    /// # Errors
    /// As [`AccountService::open`].
    pub fn open_with(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        stopwatch: Arc<dyn Stopwatch>,
        config: &Config,
    ) -> Result<Arc<Self>, AccountError> {
        let environment = config.keys.environment;
        let accounts =
            Accounts::open(Arc::clone(&store), Arc::clone(&clock), stopwatch, config.clone())?;
        Ok(Arc::new(Self {
            accounts,
            limiter: Limiter::in_process(&config.limit, Arc::clone(&clock)),
            meter: Meter::new(&config.meter),
            usage: Usage::new(Arc::clone(&store), environment),
            wallets: Wallets::open(Arc::clone(&store), environment, config.wallet.clone())?,
            flusher: Mutex::new(Flusher::default()),
            pruner: Mutex::new(Pruner::new(&config.meter)),
            config: config.clone(),
            store,
            clock,
        }))
    }

    /// Accounts, keys and wallets.
    #[must_use]
    pub const fn accounts(&self) -> &Accounts {
        &self.accounts
    }

    /// Who may go on.
    #[must_use]
    pub const fn limiter(&self) -> &Limiter {
        &self.limiter
    }

    /// Where requests are counted.
    #[must_use]
    pub const fn meter(&self) -> &Meter {
        &self.meter
    }

    /// What was counted, up to the last flush.
    #[must_use]
    pub const fn usage(&self) -> &Usage {
        &self.usage
    }

    /// Messages that prove wallets.
    #[must_use]
    pub const fn wallets(&self) -> &Wallets {
        &self.wallets
    }

    /// The store that all of it lies in.
    #[must_use]
    pub const fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Tiers, prices and models.
    #[must_use]
    pub const fn plans(&self) -> &Plans {
        &self.config.plans
    }

    /// Every setting.
    #[must_use]
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// The world of these accounts.
    #[must_use]
    pub const fn environment(&self) -> Environment {
        self.config.keys.environment
    }

    /// Now, as counts see it: the clock's word.
    #[must_use]
    pub fn now(&self) -> UnixSeconds {
        self.clock.now()
    }

    /// Opens an account that claims `wallet`, with its first key, if the limit of registrations lets
    /// `from` have one more.
    ///
    /// # Errors
    /// [`AccountError::Registrations`], and those of [`Accounts::register`].
    pub fn register(
        &self,
        from: AddressPrefix,
        wallet: Address,
    ) -> Result<(Account, IssuedKey), AccountError> {
        self.check_registration(from)?;
        self.accounts.register(wallet)
    }

    /// As [`AccountService::register`], for a wallet that was proven: account, key, proof and the
    /// use of the challenge are one commit, all of it or nothing.
    ///
    /// # Errors
    /// [`AccountError::UnknownChallenge`] where the challenge was used since, and as there.
    pub fn register_proven(
        &self,
        from: AddressPrefix,
        proven: &ProvenWallet,
    ) -> Result<(Account, IssuedKey), AccountError> {
        self.check_registration(from)?;
        self.accounts.register_proven(proven)
    }

    fn check_registration(&self, from: AddressPrefix) -> Result<(), AccountError> {
        match self.limiter.registration(from) {
            Some(refused @ Allowance { retry_after: Some(retry_after_seconds), .. }) => {
                Err(AccountError::Registrations { retry_after_seconds, refused })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// As [`Wallets::verify`], where nodes are asked no oftener for one site than its limit says.
    ///
    /// # Errors
    /// As there; past the limit that nodes do not answer.
    pub fn verify_wallet(
        &self,
        from: AddressPrefix,
        (message, signature): (&str, &[u8]),
        caller: &dyn ContractCaller,
    ) -> Result<ProvenWallet, AccountError> {
        let bounded = Bounded { caller, limiter: &self.limiter, from };
        self.wallets.verify(message, signature, &bounded, self.accounts.now())
    }

    /// What the key behind an entitlement may see of an account: its own, and an integrator's those
    /// below it.
    ///
    /// # Errors
    /// [`AccountError::UnknownAccount`] for any other, [`AccountError::Store`].
    pub fn account_below(
        &self,
        entitlement: &Entitlement,
        id: AccountId,
    ) -> Result<Account, AccountError> {
        let account = self.accounts.account(id)?;
        let own = entitlement.account;
        if account.id != own && account.parent != Some(own) {
            return Err(AccountError::UnknownAccount { id });
        }
        Ok(account)
    }

    /// Writes what was counted since the last call; how many requests that are. To be called each
    /// second, and once at the end.
    ///
    /// # Errors
    /// Those of [`Flusher::flush`]: nothing is lost by them, the next call writes it.
    pub fn flush(&self, now: UnixSeconds) -> Result<u64, AccountError> {
        lock(&self.flusher).flush(&self.meter, &*self.store, now)
    }

    /// Forgets whom other nodes have changed. To be called every 250 ms, and once before the first
    /// request: see [`Accounts::refresh`].
    ///
    /// # Errors
    /// As there.
    pub fn refresh(&self) -> Result<(), AccountError> {
        self.accounts.refresh()
    }

    /// Removes some of what is too old to be kept, in one commit; `done` once all was gone through.
    ///
    /// # Errors
    /// [`AccountError::Contended`], [`AccountError::Store`].
    pub fn prune(&self, now: UnixSeconds) -> Result<Pruned, AccountError> {
        let challenges = self.wallets.prune(self.accounts.now())?;
        let mut pruned = lock(&self.pruner).step(&*self.store, now, PRUNED_ROWS_MAX)?;
        let changes = self.accounts.prune_changes()?;
        pruned.done &= challenges == 0 && changes == 0;
        Ok(pruned)
    }
}

/// Asks nodes no oftener for one site than its limit says.
struct Bounded<'a> {
    caller: &'a dyn ContractCaller,
    limiter: &'a Limiter,
    from: AddressPrefix,
}

impl ContractCaller for Bounded<'_> {
    fn asks(&self, chain: ChainId) -> bool {
        self.caller.asks(chain)
    }

    fn call(&self, chain: ChainId, call: &ContractCall) -> Result<Called, CallUnavailable> {
        if self.limiter.contract_check(self.from) {
            return self.caller.call(chain, call);
        }
        Err(CallUnavailable { why: "one address has asked too often".to_owned() })
    }
}

/// A panic of another caller leaves a stage that repeats what it had not finished.
fn lock<T>(stage: &Mutex<T>) -> MutexGuard<'_, T> {
    stage.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
