//! Complete account service over one store.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use superroot_store::Store;
use superroot_types::{Address, ChainId, Clock, UnixSeconds};

use crate::account::Account;
use crate::key::CreatedKey;
use crate::limit::{AddressPrefix, Allowance};
use crate::usage::{Pruned, Pruner, UsageCheckpoints};
use crate::wallet::{CallResult, CallUnavailable, WalletCall};
use crate::{
    AccountConfig, AccountError, AccountId, Accounts, ContractCaller, Entitlement, Environment,
    Flusher, Limiter, Meter, PlanTable, ProvenWallet, Stopwatch, SystemStopwatch, UsageReader,
    Wallets,
};

/// Approximate rows per call of [`AccountService::prune`].
const PRUNED_ROWS_MAX: usize = 4_096;

/// Accounts, limits and counts of one environment, over one store, used by the HTTP API, the loops of the node, and
/// operators.
///
/// ```
/// use std::sync::Arc;
/// use superroot_account::{AccountService, AccountConfig};
/// use superroot_store::MemoryStore;
/// use superroot_types::{Address, SystemClock};
/// let service = AccountService::open(
///     Arc::new(MemoryStore::new()),
///     Arc::new(SystemClock),
///     &AccountConfig::default(),
/// )?;
/// let from: std::net::IpAddr = [192, 0, 2, 1].into();
/// let (account, issued) = service.register(from.into(), Address([7; 20]))?;
/// assert_eq!(service.accounts().authenticate(issued.secret.expose())?.account, account.id);
/// # Ok::<(), superroot_account::AccountError>(())
/// ```
pub struct AccountService {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    config: AccountConfig,
    accounts: Accounts,
    limiter: Limiter,
    meter: Meter,
    usage: UsageReader,
    checkpoints: UsageCheckpoints,
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
        config: &AccountConfig,
    ) -> Result<Arc<Self>, AccountError> {
        Self::open_with(store, clock, Arc::new(SystemStopwatch::default()), config)
    }

    /// Like [`AccountService::open`], with the caller's stopwatch.
    pub fn open_with(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        stopwatch: Arc<dyn Stopwatch>,
        config: &AccountConfig,
    ) -> Result<Arc<Self>, AccountError> {
        let environment = config.keys.environment;
        let accounts =
            Accounts::open(Arc::clone(&store), Arc::clone(&clock), stopwatch, config.clone())?;
        Ok(Arc::new(Self {
            accounts,
            limiter: Limiter::in_process(&config.limit, Arc::clone(&clock)),
            meter: Meter::new(&config.meter),
            usage: UsageReader::new(Arc::clone(&store), environment),
            checkpoints: UsageCheckpoints::new(Arc::clone(&store), environment),
            wallets: Wallets::open(Arc::clone(&store), environment, config.wallet.clone())?,
            flusher: Mutex::new(Flusher::default()),
            pruner: Mutex::new(Pruner::new(&config.meter)),
            config: config.clone(),
            store,
            clock,
        }))
    }

    #[must_use]
    pub const fn accounts(&self) -> &Accounts {
        &self.accounts
    }

    #[must_use]
    pub const fn limiter(&self) -> &Limiter {
        &self.limiter
    }

    #[must_use]
    pub const fn meter(&self) -> &Meter {
        &self.meter
    }

    /// Counted usage, up to the last flush.
    #[must_use]
    pub const fn usage(&self) -> &UsageReader {
        &self.usage
    }

    /// Usage checkpoints.
    #[must_use]
    pub const fn checkpoints(&self) -> &UsageCheckpoints {
        &self.checkpoints
    }

    /// Wallet proofs.
    #[must_use]
    pub const fn wallets(&self) -> &Wallets {
        &self.wallets
    }

    #[must_use]
    pub const fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    #[must_use]
    pub const fn plans(&self) -> &PlanTable {
        &self.config.plans
    }

    #[must_use]
    pub const fn config(&self) -> &AccountConfig {
        &self.config
    }

    #[must_use]
    pub const fn environment(&self) -> Environment {
        self.config.keys.environment
    }

    /// Current clock time, for counts.
    #[must_use]
    pub fn now(&self) -> UnixSeconds {
        self.clock.now()
    }

    /// Opens an account that claims `wallet`, with its first key, within the registration limit of `from`.
    ///
    /// # Errors
    /// [`AccountError::Registrations`], and errors of [`Accounts::register`].
    pub fn register(
        &self,
        from: AddressPrefix,
        wallet: Address,
    ) -> Result<(Account, CreatedKey), AccountError> {
        self.check_registration(from)?;
        self.accounts.register(wallet)
    }

    /// Like [`AccountService::register`], for a proven wallet: account, key, proof and used challenge are one commit.
    ///
    /// # Errors
    /// [`AccountError::UnknownChallenge`] if the challenge was used meanwhile, and errors of
    /// [`AccountService::register`].
    pub fn register_proven(
        &self,
        from: AddressPrefix,
        proven: &ProvenWallet,
    ) -> Result<(Account, CreatedKey), AccountError> {
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

    /// Like [`Wallets::verify`], with a limit on node queries per site.
    ///
    /// # Errors
    /// Errors of [`Wallets::verify`]; past the limit, nodes count as not answering.
    pub fn verify_wallet(
        &self,
        from: AddressPrefix,
        (message, signature): (&str, &[u8]),
        caller: &dyn ContractCaller,
    ) -> Result<ProvenWallet, AccountError> {
        let bounded = BoundedNodeCalls { caller, limiter: &self.limiter, from };
        self.wallets.verify(message, signature, &bounded, self.accounts.now())
    }

    /// Account visible to an entitlement's key: its own, and for an integrator its sub-accounts.
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

    /// Writes the counts since the last call and returns the number of requests. Call every second, and once at the
    /// end.
    ///
    /// # Errors
    /// Errors of [`Flusher::flush`]: nothing is lost, the next call writes the counts.
    pub fn flush(&self, now: UnixSeconds) -> Result<u64, AccountError> {
        lock(&self.flusher).flush(&self.meter, &*self.store, now)
    }

    /// Evicts entries changed by other nodes. Call every 250 ms, and once before the first request: see
    /// [`Accounts::refresh`].
    pub fn refresh(&self) -> Result<(), AccountError> {
        self.accounts.refresh()
    }

    /// Removes some expired rows in one commit; `done` after a full pass.
    pub fn prune(&self, now: UnixSeconds) -> Result<Pruned, AccountError> {
        let challenges = self.wallets.prune(self.accounts.now())?;
        let mut pruned = lock(&self.pruner).step(&*self.store, now, PRUNED_ROWS_MAX)?;
        let changes = self.accounts.prune_changes()?;
        pruned.done &= challenges == 0 && changes == 0;
        Ok(pruned)
    }
}

/// Node caller with a limit per site.
struct BoundedNodeCalls<'a> {
    caller: &'a dyn ContractCaller,
    limiter: &'a Limiter,
    from: AddressPrefix,
}

impl ContractCaller for BoundedNodeCalls<'_> {
    fn asks(&self, chain: ChainId) -> bool {
        self.caller.asks(chain)
    }

    fn call(&self, chain: ChainId, call: &WalletCall) -> Result<CallResult, CallUnavailable> {
        if self.limiter.contract_check(self.from) {
            return self.caller.call(chain, call);
        }
        Err(CallUnavailable { why: "one address has asked too often".to_owned() })
    }
}

/// Locks a stage, also after another caller's panic: the stage repeats unfinished work.
fn lock<T>(stage: &Mutex<T>) -> MutexGuard<'_, T> {
    stage.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
