//! The end of a month: every account's invoice.
//!
//! ```text
//! month over, an hour passed -> it begins -> accounts, page by page -> invoice each -> gone through
//! ```
//! What must always hold: nothing is entered for a month once its closing has begun, so that no account
//! is passed over that has something to say; a month is marked only when every account was looked
//! at; an account whose month is closed is passed over, so a step that was cut short is repeated
//! without harm.

use superroot_store::{Batch, Store, Table};
use superroot_types::{ErrorKind, UnixSeconds};

use crate::{AccountError, AccountId, AccountService, Environment, Month, row};

/// How long after its end a month is closed: every node has written its counts long since.
pub const CLOSING_DELAY_SECONDS: u64 = 3_600;

/// Months that are gone through at most where nothing says which was the last.
const MONTHS_BACK_MAX: u32 = 12;

/// Accounts that one step looks at.
const ACCOUNTS_AT_ONCE: usize = 100;

/// The newest month that was gone through; the key ends with the name of the environment.
const CLOSED: &str = "accounts/closed_month/";

/// The newest month whose closing has begun; the key ends with the name of the environment.
const BEGUN: &str = "accounts/closing_month/";

/// What a step has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Closed {
    /// Invoices made.
    pub invoices: u64,
    /// Accounts whose month could not be closed, for a person to look at.
    pub refused: u64,
    /// Whether nothing is left to do until another month ends.
    pub is_done: bool,
}

/// Closes the months of all accounts. A stage without a loop of its own: call it until it is done,
/// and now and then after that.
#[derive(Debug, Default)]
pub struct Closing {
    /// The month that is gone through, and the account it has come to.
    at: Option<(Month, Option<AccountId>)>,
}

impl Closing {
    /// Looks at the next accounts. Flush first: counts of the month that come later are in no
    /// invoice. An account about which there is nothing to say has none; nor has a sub-account of
    /// which there is usage alone, which is in its integrator's.
    ///
    /// # Errors
    /// [`AccountError::Store`], [`AccountError::Contended`]: the next step goes on with the same.
    pub fn step(
        &mut self,
        service: &AccountService,
        now: UnixSeconds,
    ) -> Result<Closed, AccountError> {
        let last_due = Month::of(UnixSeconds(now.0.saturating_sub(CLOSING_DELAY_SECONDS)))?;
        let mut done = Closed::default();
        let (month, after) = match self.at {
            Some(at) => at,
            None => (first_open(service, last_due)?, None),
        };
        if month >= last_due {
            done.is_done = true;
            return Ok(done);
        }
        if after.is_none() {
            // minutes in which nobody ran count as down: the month's fee gives a part back for them
            service.commerce().record_gap(now)?;
            mark(service, BEGUN, month)?;
        }
        self.at = Some((month, after));
        let accounts = service.accounts().accounts(after, ACCOUNTS_AT_ONCE)?;
        for account in &accounts {
            if account.created_at < month.end() {
                close(service, account.id, month, &mut done)?;
            }
            self.at = Some((month, Some(account.id)));
        }
        if accounts.len() < ACCOUNTS_AT_ONCE {
            mark(service, CLOSED, month)?;
            self.at = Some((month.next(), None));
        }
        Ok(done)
    }
}

fn close(
    service: &AccountService,
    account: AccountId,
    month: Month,
    done: &mut Closed,
) -> Result<(), AccountError> {
    if service.invoices().load(account, month)?.is_some() {
        return Ok(());
    }
    let closed = service.close_month_if_due(account, month, None);
    match closed {
        Ok(invoice) => done.invoices += u64::from(invoice.is_some()),
        Err(error) if error.kind() == ErrorKind::Unavailable => return Err(error),
        Err(error) => {
            tracing::error!("{month} of account {account} is not closed, look at it: {error}");
            done.refused += 1;
        }
    }
    Ok(())
}

/// The first month that was not gone through.
fn first_open(service: &AccountService, last_due: Month) -> Result<Month, AccountError> {
    let key = key_of(CLOSED, service.environment());
    let held = row::load::<Month>(service.store(), Table::Meta, &key)?;
    if let Some(held) = held {
        return Ok(held.value.next());
    }
    let mut first = last_due;
    for _ in 0..MONTHS_BACK_MAX {
        let Some(before) = first.start().0.checked_sub(1) else { break };
        first = Month::of(UnixSeconds(before))?;
    }
    Ok(first)
}

/// Moves one of the two marks up to a month.
fn mark(service: &AccountService, name: &str, month: Month) -> Result<(), AccountError> {
    let key = key_of(name, service.environment());
    row::commit(service.store(), Table::Meta, || {
        let mut batch = Batch::new();
        let held = row::load::<Month>(service.store(), Table::Meta, &key)?;
        if held.as_ref().is_none_or(|held| held.value < month) {
            batch.expect(Table::Meta, key.clone(), held.as_ref().map(|held| &held.bytes[..]));
            batch.put(Table::Meta, key.clone(), row::encode(&month));
        }
        Ok((batch, ()))
    })
}

/// Lets a batch hold only where the closing of the accounts' month has not begun: what is entered for
/// it later might be on no invoice.
///
/// # Errors
/// [`AccountError::Month`] where it has, [`AccountError::Store`].
pub(crate) fn expect_not_begun(
    store: &dyn Store,
    batch: &mut Batch,
    environment: Environment,
    month: Month,
) -> Result<(), AccountError> {
    for name in [BEGUN, CLOSED] {
        let key = key_of(name, environment);
        let held = row::load::<Month>(store, Table::Meta, &key)?;
        if held.as_ref().is_some_and(|held| month <= held.value) {
            return Err(AccountError::Month { month: month.to_string(), why: "is closed" });
        }
        batch.expect(Table::Meta, key, held.as_ref().map(|held| &held.bytes[..]));
    }
    Ok(())
}

fn key_of(name: &str, environment: Environment) -> Vec<u8> {
    format!("{name}{}", environment.name()).into_bytes()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use superroot_store::MemoryStore;
    use superroot_types::{Address, ManualClock};

    use super::*;
    use crate::meter::{Caller, Counted, StatusClass};
    use crate::{
        Agreed, Agreement, Config, Interval, KeyId, LineKind, ManualStopwatch, Operator, Terms,
        Tier, route,
    };

    struct World {
        clock: Arc<ManualClock>,
        service: Arc<AccountService>,
    }

    fn month(text: &str) -> Month {
        text.parse().unwrap()
    }

    fn operator() -> Operator {
        Operator { who: "ana".into(), why: "contract 7".into() }
    }

    fn world(at: &str) -> World {
        let clock = Arc::new(ManualClock::at(month(at).start()));
        let stopwatch = Arc::new(ManualStopwatch::default());
        let store = Arc::new(MemoryStore::new());
        let config = Config::default();
        let service = AccountService::open_with(store, clock.clone(), stopwatch, &config).unwrap();
        World { clock, service }
    }

    impl World {
        fn open(&self, wallet: u8) -> (AccountId, KeyId) {
            let (account, issued) =
                self.service.accounts().register(Address([wallet; 20])).unwrap();
            (account.id, issued.key.id)
        }

        fn use_it(&self, (account, key): (AccountId, KeyId), times: usize) {
            let route = route("/kv/verify").unwrap();
            for _ in 0..times {
                self.service.meter().count(&Counted {
                    environment: self.service.environment(),
                    caller: Caller::Account { account, key },
                    route: route.number,
                    chain: None,
                    status: StatusClass::Success,
                    weight: route.weight,
                    at: self.service.now(),
                });
            }
            self.service.flush(self.service.now()).unwrap();
        }

        /// Makes it an integrator.
        fn agree(&self, account: AccountId, from: &str) -> Result<Agreed, AccountError> {
            let agreement = Agreement {
                account,
                terms: Terms::Integrator {
                    interval: Interval::Monthly,
                    fee_usdc_e6: 99_000_000,
                    tier: Tier::Builder,
                },
                from: month(from),
                until: None,
                by: operator(),
                entered_at: self.service.now(),
            };
            self.service.commerce().agree(&agreement, self.service.plans())
        }

        fn close(&self, closing: &mut Closing) -> Closed {
            let mut all = Closed::default();
            for _ in 0..1_000 {
                let step = closing.step(&self.service, self.service.now()).unwrap();
                all.invoices += step.invoices;
                all.refused += step.refused;
                if step.is_done {
                    return Closed { is_done: true, ..all };
                }
            }
            panic!("it never ends");
        }
    }

    #[test]
    fn a_month_is_closed_an_hour_after_its_end_once_and_for_every_account_that_used_something() {
        let world = world("2028-02");
        let accounts: Vec<_> = (0..205).map(|number| world.open(number as u8 + 1)).collect();
        for account in &accounts[..203] {
            world.use_it(*account, 2);
        }
        let mut closing = Closing::default();
        assert_eq!(world.close(&mut closing).invoices, 0, "it runs");
        world.clock.set(UnixSeconds(month("2028-02").end().0 + CLOSING_DELAY_SECONDS - 1));
        assert_eq!(world.close(&mut closing).invoices, 0, "counts may still come");
        world.clock.set(UnixSeconds(month("2028-02").end().0 + CLOSING_DELAY_SECONDS));
        assert_eq!(world.close(&mut closing), Closed { invoices: 203, refused: 0, is_done: true });
        let numbers = accounts[..203].iter().map(|(account, _)| {
            let invoice =
                world.service.invoices().load(*account, month("2028-02")).unwrap().unwrap();
            assert_eq!((invoice.requests(), invoice.tokens()), (2, 2));
            invoice.number
        });
        let numbers: std::collections::BTreeSet<_> = numbers.collect();
        assert_eq!(numbers, (1..=203).collect(), "numbers have no gaps");
        let idle = accounts[204].0;
        assert!(world.service.invoices().load(idle, month("2028-02")).unwrap().is_none());
        assert_eq!(world.close(&mut closing).invoices, 0);
        assert_eq!(world.close(&mut Closing::default()).invoices, 0, "after a restart too");
    }

    #[test]
    fn months_during_which_nobody_ran_are_closed_one_after_the_other() {
        let world = world("2028-02");
        let account = world.open(1);
        world.use_it(account, 1);
        world.clock.set(month("2028-03").start());
        world.use_it(account, 3);
        world.clock.set(UnixSeconds(month("2028-06").start().0 + 86_400));
        assert_eq!(world.close(&mut Closing::default()).invoices, 2);
        let load = |text| world.service.invoices().load(account.0, month(text)).unwrap();
        assert_eq!(load("2028-02").unwrap().number, 1);
        assert_eq!(load("2028-03").unwrap().requests(), 3);
        assert!(load("2028-04").is_none());
    }

    /// Accounts that were looked at already would be passed over.
    #[test]
    fn nothing_is_entered_for_a_month_whose_closing_has_begun() {
        let world = world("2028-02");
        let accounts: Vec<_> = (0..150).map(|number| world.open(number as u8 + 1).0).collect();
        let mut closing = Closing::default();
        world.clock.set(UnixSeconds(month("2028-02").start().0 + CLOSING_DELAY_SECONDS));
        world.close(&mut closing);
        world.clock.set(UnixSeconds(month("2028-03").start().0 + CLOSING_DELAY_SECONDS + 5));
        world.agree(accounts[0], "2028-02").unwrap();
        let step = closing.step(&world.service, world.service.now()).unwrap();
        assert!(!step.is_done, "accounts are left");
        for account in &accounts[1..] {
            let refused = world.agree(*account, "2028-02").unwrap_err().to_string();
            assert!(refused.contains("2028-02 is closed"), "{refused}");
        }
        assert_eq!(world.close(&mut closing).invoices + step.invoices, 1);
        world.clock.set(UnixSeconds(month("2028-02").start().0 + 86_400));
        let refused = world.agree(accounts[1], "2028-02").unwrap_err().to_string();
        assert!(refused.contains("2028-02 is closed"), "a clock set back: {refused}");
        world.agree(accounts[1], "2028-03").unwrap();
    }

    /// Whoever closes notes first that nobody ran: a credit for it is on the month's invoice.
    #[test]
    fn a_month_in_which_nobody_ran_gives_its_fee_back_on_every_invoice() {
        let world = world("2028-02");
        let accounts: Vec<_> = (0..3).map(|number| world.open(number as u8 + 1).0).collect();
        for account in &accounts {
            world.agree(*account, "2028-02").unwrap();
        }
        world.service.commerce().record_minute(world.service.now(), true).unwrap();
        world.clock.set(UnixSeconds(month("2028-03").start().0 + CLOSING_DELAY_SECONDS + 60));
        assert_eq!(world.close(&mut Closing::default()).invoices, 3);
        for account in accounts {
            let invoice = world.service.invoices().load(account, month("2028-02")).unwrap();
            assert_eq!(invoice.unwrap().sum_of(LineKind::AvailabilityCredit), -99_000_000);
        }
    }

    #[test]
    fn usage_of_sub_accounts_is_in_the_invoice_of_their_integrator_alone() {
        let world = world("2028-02");
        let integrator = world.open(1);
        world.agree(integrator.0, "2028-02").unwrap();
        let by = operator();
        let actor = crate::Actor::Operator(&by);
        let (child, issued) =
            world.service.open_sub_account(actor, integrator.0, &crate::NewKey::default()).unwrap();
        world.use_it((child.id, issued.key.id), 5);
        world.clock.set(UnixSeconds(month("2028-02").end().0 + CLOSING_DELAY_SECONDS));
        assert_eq!(world.close(&mut Closing::default()).invoices, 1);
        let load = |account| world.service.invoices().load(account, month("2028-02")).unwrap();
        assert!(load(child.id).is_none());
        let invoice = load(integrator.0).unwrap();
        assert_eq!((invoice.requests(), invoice.total_usdc_e6), (5, 99_000_000));
    }
}
