//! Everything about accounts, opened together on one store.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use superroot_store::Store;
use superroot_types::{Address, Clock, UnixSeconds};

use crate::account::{Account, WalletLink};
use crate::key::IssuedKey;
use crate::limit::AddressPrefix;
use crate::meter::Flushed;
use crate::usage::{Pruned, Pruner};
use crate::{
    AccountError, AccountId, Accounts, Actor, Commerce, Config, Entitlement, Environment, Flusher,
    Invoice, Invoices, Journal, Limiter, Meter, Month, MonthOfAccount, Plans, ProvenWallet,
    Stopwatch, Subscriber, SystemStopwatch, Usage, Wallets,
};

/// Rows that one call of [`AccountService::prune`] looks at, about.
const PRUNED_ROWS_MAX: usize = 4_096;

/// Sub-accounts whose usage an integrator's bill reads at one time.
const CHILDREN_AT_ONCE: usize = 1_000;

/// Accounts, limits, counts and invoices of one environment, over one store. The HTTP face asks it,
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
    commerce: Commerce,
    wallets: Wallets,
    flusher: Mutex<Flusher>,
    pruner: Mutex<Pruner>,
}

impl AccountService {
    /// Opens the accounts of the configured environment.
    ///
    /// # Errors
    /// [`AccountError::Config`], [`AccountError::Range`] for a setting out of range.
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
            Accounts::open_with(Arc::clone(&store), Arc::clone(&clock), stopwatch, config.clone())?;
        Ok(Arc::new(Self {
            accounts,
            limiter: Limiter::in_process(&config.limit, Arc::clone(&clock)),
            meter: Meter::new(&config.meter),
            usage: Usage::new(Arc::clone(&store), environment),
            commerce: Commerce::new(Arc::clone(&store), environment),
            wallets: Wallets::open(Arc::clone(&store), environment, config.wallet.clone())?,
            flusher: Mutex::new(Flusher::new(&config.meter)),
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

    /// Agreements, sub-accounts, availability.
    #[must_use]
    pub const fn commerce(&self) -> &Commerce {
        &self.commerce
    }

    /// Closed invoices.
    #[must_use]
    pub const fn invoices(&self) -> &Invoices {
        self.commerce.invoices()
    }

    /// The ledger.
    #[must_use]
    pub const fn journal(&self) -> &Journal {
        self.commerce.journal()
    }

    pub(crate) fn store(&self) -> &dyn Store {
        &*self.store
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
        self.wallets.in_turn(|| self.accounts.register_proven(proven))
    }

    /// Writes down that a wallet's holder has signed for the account of the key behind `by`, and
    /// for no other: what the wallet paid for is that account's from now on. The challenge is used
    /// up in the same commit. One wallet lifts one account, the last one it signed for.
    ///
    /// # Errors
    /// [`AccountError::Beyond`] for a key that is confined or expires, and for a sub-account;
    /// [`AccountError::UnknownChallenge`], [`AccountError::Full`], those of the key,
    /// [`AccountError::Contended`], [`AccountError::Store`].
    pub fn prove_wallet(
        &self,
        by: &Entitlement,
        proven: &ProvenWallet,
    ) -> Result<WalletLink, AccountError> {
        self.wallets.in_turn(|| self.accounts.prove_wallet(by, proven))
    }

    fn check_registration(&self, from: AddressPrefix) -> Result<(), AccountError> {
        let allowance = self.limiter.registration(from);
        let wait = allowance.and_then(|allowance| allowance.retry_after);
        wait.map_or(Ok(()), |retry_after_seconds| {
            Err(AccountError::Registrations { retry_after_seconds })
        })
    }

    /// Opens a sub-account of an integrator, with its first key: account, key and tie in one commit.
    ///
    /// # Errors
    /// [`AccountError::Agreement`] where the actor's account is no integrator,
    /// [`AccountError::Full`], [`AccountError::Beyond`] for a key with a scope or an end of its own;
    /// those of the actor; [`AccountError::Contended`], [`AccountError::Randomness`],
    /// [`AccountError::Store`].
    pub fn open_sub_account(
        &self,
        actor: Actor<'_>,
        integrator: AccountId,
    ) -> Result<(Account, IssuedKey), AccountError> {
        self.accounts.open_below(actor, integrator, &mut |batch, child| {
            self.commerce.stage_sub_account(batch, integrator, child, self.plans())
        })
    }

    /// What a month's bill of an account rests on: its usage (an integrator's sub-accounts' too), and
    /// what its own subscription and the wallets that it has proven bought.
    ///
    /// # Errors
    /// [`AccountError::Overflow`], [`AccountError::Store`].
    pub fn month_of(
        &self,
        account: AccountId,
        month: Month,
    ) -> Result<MonthOfAccount, AccountError> {
        let mut usage = self.usage.billed(account, month)?;
        let mut after = None;
        loop {
            let children = self.commerce.sub_accounts(account, after, CHILDREN_AT_ONCE)?;
            for child in &children {
                usage.extend(self.usage.billed(*child, month)?);
            }
            after = children.last().copied();
            if children.len() < CHILDREN_AT_ONCE {
                break;
            }
        }
        let mut payers = vec![Subscriber::Account(account)];
        let wallets = self.accounts.wallets(account)?;
        let proven = wallets.iter().filter(|link| link.proven_at.is_some());
        payers.extend(proven.map(|link| Subscriber::Wallet(link.wallet)));
        let mut bought = Vec::new();
        for payer in payers {
            bought.extend(self.accounts.subscriptions().payments_in(&payer, month)?);
        }
        let billed_to = format!("Account {account}");
        Ok(MonthOfAccount { account, month, billed_to, usage, bought })
    }

    /// The invoice of a month: the closed one, or a draft of what it comes to so far.
    ///
    /// # Errors
    /// [`AccountError::Overflow`], [`AccountError::Invoice`], [`AccountError::Store`].
    pub fn invoice_of(&self, account: AccountId, month: Month) -> Result<Invoice, AccountError> {
        if let Some(closed) = self.invoices().load(account, month)? {
            return Ok(closed);
        }
        let bill = self.commerce.bill(&self.month_of(account, month)?, self.plans())?;
        bill.draft(self.environment(), self.now())
    }

    /// Closes an account's month: its invoice is numbered, in the ledger, and never changed. A month
    /// that is closed stays as it is. Flush first: counts of the month that come later are not in it.
    ///
    /// # Errors
    /// Those of [`Commerce::close_month`].
    pub fn close_month(&self, account: AccountId, month: Month) -> Result<Invoice, AccountError> {
        let of = self.month_of(account, month)?;
        self.commerce.close_month(&of, self.now(), self.plans())
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

    /// Writes what was counted since the last call. To be called each second, and once at the end.
    ///
    /// # Errors
    /// Those of [`Flusher::flush`]: nothing is lost by them, the next call writes it.
    pub fn flush(&self, now: UnixSeconds) -> Result<Flushed, AccountError> {
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
        pruned.done &= challenges == 0;
        Ok(pruned)
    }
}

/// A panic of another caller leaves a stage that repeats what it had not finished.
fn lock<T>(stage: &Mutex<T>) -> MutexGuard<'_, T> {
    stage.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use superroot_store::{Direction, MemoryStore, Table};
    use superroot_types::ManualClock;

    use super::*;
    use crate::meter::{Caller, Counted, StatusClass};
    use crate::{Agreement, Interval, ManualStopwatch, Operator, Terms, route};

    const NOW: UnixSeconds = UnixSeconds(1_700_000_000);

    struct World {
        store: Arc<MemoryStore>,
        service: Arc<AccountService>,
        clock: Arc<ManualClock>,
    }

    fn world() -> World {
        let (store, clock) = (Arc::new(MemoryStore::new()), Arc::new(ManualClock::at(NOW)));
        let stopwatch = Arc::new(ManualStopwatch::default());
        let mut config = Config::default();
        config.keys.environment = Environment::Test;
        let service =
            AccountService::open_with(store.clone(), clock.clone(), stopwatch, &config).unwrap();
        service.refresh().unwrap();
        World { store, service, clock }
    }

    fn from(text: &str) -> AddressPrefix {
        text.parse::<IpAddr>().unwrap().into()
    }

    fn operator() -> Operator {
        Operator { who: "ana".into(), why: "asked by the customer".into() }
    }

    fn count(world: &World, account: AccountId, key: crate::KeyId, times: usize) {
        let route = route("/kv/verify").unwrap();
        for _ in 0..times {
            world.service.meter().count(&Counted {
                environment: Environment::Test,
                caller: Caller::Account { account, key },
                route: route.number,
                chain: None,
                status: StatusClass::Success,
                weight: route.weight,
                at: world.service.now(),
            });
        }
    }

    fn make_integrator(world: &World, account: AccountId) {
        let agreement = Agreement {
            account,
            terms: Terms::Integrator { interval: Interval::Monthly, fee_usdc_e6: 99_000_000 },
            from: Month::of(NOW).unwrap(),
            until: None,
            by: operator(),
            entered_at: NOW,
            sub_account_count: 0,
        };
        world.service.commerce().agree(&agreement, world.service.plans()).unwrap();
    }

    #[test]
    fn a_hundred_thousand_registrations_from_one_place_leave_few_rows_and_others_unharmed() {
        let world = world();
        let register = |address: &str, wallet: u8| {
            world.service.register(from(address), Address([wallet; 20]))
        };
        let (mut opened, mut refused) = (0, 0);
        for number in 0..100_000_u32 {
            match register("2001:db8:1:2::1", (number % 251) as u8 + 1) {
                Ok(_) => opened += 1,
                Err(AccountError::Registrations { retry_after_seconds }) => {
                    assert!((1..=86_400).contains(&retry_after_seconds));
                    refused += 1;
                }
                Err(other) => panic!("{other}"),
            }
        }
        assert_eq!((opened, refused), (20, 99_980));
        let rows = |table| {
            world.store.scan(table, b"", None, usize::MAX, Direction::Rising).unwrap().len()
        };
        assert_eq!((rows(Table::Account), rows(Table::KeyHash)), (20, 20));
        assert!(register("2001:db8:1:ffff::1", 9).is_err(), "the same site");
        assert!(register("2001:db8:2::1", 9).is_ok());
        assert!(register("192.0.2.1", 9).is_ok());
        world.clock.advance(3_600);
        assert!(register("2001:db8:1:2::1", 9).is_ok());
    }

    #[test]
    fn what_was_counted_is_in_usage_after_a_flush_and_in_the_draft_of_the_invoice() {
        let world = world();
        let service = &world.service;
        let (account, issued) = service.register(from("192.0.2.1"), Address([1; 20])).unwrap();
        count(&world, account.id, issued.key.id, 3);
        assert_eq!(service.usage().totals(account.id, NOW).unwrap().requests_today, 0);
        assert_eq!(service.flush(NOW).unwrap().requests, 3);
        assert_eq!(service.usage().totals(account.id, NOW).unwrap().requests_today, 3);
        let month = Month::of(NOW).unwrap();
        let draft = service.invoice_of(account.id, month).unwrap();
        assert_eq!((draft.number, draft.requests(), draft.tokens()), (0, 3, 3));
        assert_eq!(draft.lines[0].label, "/kv/verify");
        assert!(service.close_month(account.id, month).is_err(), "it is not over");
        world.clock.set(month.end());
        let closed = service.close_month(account.id, month).unwrap();
        assert_eq!((closed.number, closed.lines), (1, draft.lines));
        count(&world, account.id, issued.key.id, 1);
        service.flush(service.now()).unwrap();
        assert_eq!(service.invoice_of(account.id, month).unwrap().number, 1);
        assert!(service.prune(service.now()).unwrap().done);
    }

    #[test]
    fn a_sub_account_is_opened_whole_or_not_at_all_and_only_by_an_integrator() {
        let world = world();
        let service = &world.service;
        let (account, issued) = service.register(from("192.0.2.1"), Address([1; 20])).unwrap();
        let entitled = service.accounts().authenticate(issued.secret.expose()).unwrap();
        let open = || service.open_sub_account(Actor::Key(&entitled), account.id);
        assert!(matches!(open(), Err(AccountError::Agreement { .. })));
        assert_eq!(service.accounts().accounts(None, 10).unwrap().len(), 1);
        make_integrator(&world, account.id);
        let (child, key) = open().unwrap();
        assert_eq!(child.parent, Some(account.id));
        assert_eq!(service.commerce().integrator_of(child.id).unwrap(), Some(account.id));
        assert_eq!(service.commerce().sub_accounts(account.id, None, 10).unwrap(), [child.id]);
        let below = service.accounts().authenticate(key.secret.expose()).unwrap();
        assert_eq!((below.account, below.limited_as()), (child.id, account.id));
        let of_child = service.open_sub_account(Actor::Key(&below), child.id);
        assert!(matches!(of_child, Err(AccountError::Beyond { .. })));
        let of_parent = service.open_sub_account(Actor::Key(&below), account.id);
        assert!(matches!(of_parent, Err(AccountError::UnknownAccount { .. })));
        assert_eq!(service.account_below(&entitled, child.id).unwrap().id, child.id);
        assert!(service.account_below(&below, account.id).is_err());
        count(&world, child.id, key.key.id, 2);
        service.flush(NOW).unwrap();
        let bill = service.month_of(account.id, Month::of(NOW).unwrap()).unwrap();
        assert_eq!(bill.usage.iter().map(|used| used.requests).sum::<u64>(), 2);
    }
}
