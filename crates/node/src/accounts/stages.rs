//! Account stages, in bounded steps.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use superroot_account::{AccountError, AccountService, Month};
use superroot_billing::{BillingError, BillingLedger, MonthClosing};
use superroot_store::StoreError;
use superroot_types::{Clock, SystemClock, UnixSeconds};
use tokio::runtime::Handle;

use super::chain_clock::ChainClock;
use crate::stage::{BlockingStage, Runner, StageFailure, StageName};

/// Poll interval for changes by other nodes. Cached keys are valid for 900 ms, so two polls may fail before every key
/// is looked up in the store.
const REFRESH_INTERVAL: Duration = Duration::from_millis(250);
/// Interval between counter writes. A kill loses the interval plus the write time: at most the promised second, even on
/// a slow disk.
const FLUSH_INTERVAL: Duration = Duration::from_millis(500);
/// Pause between pruning steps while old data remains.
const PRUNE_INTERVAL: Duration = Duration::from_secs(1);
/// Pause before the next pruning round.
const PRUNE_REST: Duration = Duration::from_secs(600);
/// Pause between month closing steps.
const CLOSING_INTERVAL: Duration = Duration::from_millis(200);
/// Pause before the next check for an ended month.
const CLOSING_REST: Duration = Duration::from_secs(300);
/// Longest self-check that counts as up.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// Attempts at the last counter write.
const LAST_FLUSHES_MAX: u32 = 3;
const LAST_FLUSH: Duration = Duration::from_secs(5);

/// Starts the account stages for a service that this machine reaches at `url`.
pub(crate) fn spawn(
    runner: &mut Runner,
    billing: &Arc<BillingLedger>,
    chains: ChainClock,
    url: &str,
) -> anyhow::Result<()> {
    let mut each =
        |name, step: Step| runner.work(AccountWork { name, billing: billing.clone(), step });
    each(StageName::AccountRefresh, Box::new(refresh));
    each(StageName::AccountFlush, Box::new(flush));
    each(StageName::AccountPrune, Box::new(prune));
    let chains = Arc::new(chains);
    let closing = MonthClosing::default();
    let mut months = Months { chains: chains.clone(), closing, waits: None, has_begun: false };
    each(StageName::AccountClose, Box::new(move |billing| months.step(billing)));
    let mut after = None;
    each(StageName::AccountPayments, Box::new(move |billing| enter(&mut after, billing)));
    // it asks itself, by an address that no certificate names
    let client = reqwest::Client::builder().timeout(ANSWER_TIMEOUT).no_proxy();
    let client = client.tls_danger_accept_invalid_certs(url.starts_with("https:")).build();
    let client = client.context("cannot make a client")?;
    let url = format!("{url}/health/ready");
    let billing = billing.clone();
    runner.work(AvailabilityStage {
        minutes: Minutes::of(billing),
        chains,
        client,
        url,
        has_begun: false,
        handle: Handle::current(),
    });
    Ok(())
}

type Step = Box<dyn FnMut(&BillingLedger) -> Result<Duration, BillingError> + Send>;

struct AccountWork {
    name: StageName,
    billing: Arc<BillingLedger>,
    step: Step,
}

impl BlockingStage for AccountWork {
    fn name(&self) -> StageName {
        self.name
    }

    fn step(&mut self, _: UnixSeconds) -> Result<Duration, StageFailure> {
        (self.step)(&self.billing).map_err(failure)
    }
}

fn refresh(billing: &BillingLedger) -> Result<Duration, BillingError> {
    billing.accounts().refresh()?;
    Ok(REFRESH_INTERVAL)
}

fn flush(billing: &BillingLedger) -> Result<Duration, BillingError> {
    billing.accounts().flush(billing.accounts().now())?;
    Ok(FLUSH_INTERVAL)
}

fn prune(billing: &BillingLedger) -> Result<Duration, BillingError> {
    let pruned = billing.accounts().prune(billing.accounts().now())?;
    Ok(if pruned.done { PRUNE_REST } else { PRUNE_INTERVAL })
}

/// Enters the configured price list once, and closes months.
struct Months {
    chains: Arc<ChainClock>,
    closing: MonthClosing,
    waits: Option<Month>,
    has_begun: bool,
}

impl Months {
    fn step(&mut self, billing: &BillingLedger) -> Result<Duration, BillingError> {
        if !self.has_begun {
            if let Some(list) = billing.enter_price_list()? {
                let from = list.from.iso_8601();
                tracing::info!(
                    "prices are journalled, in force from {from}; see admin ledger prices"
                );
            }
            self.has_begun = true;
        }
        let chains_at = self.chains.now()?;
        let closed = self.closing.step(billing, chains_at)?;
        if closed.invoices > 0 {
            tracing::info!("{} invoices were closed", closed.invoices);
        }
        // chains that have no block yet say nothing of the clock
        let waits = closed.waits.filter(|month| Some(*month) > self.waits);
        if let (Some(month), Some(reached)) = (waits, chains_at) {
            let reached = reached.iso_8601();
            tracing::warn!(
                "{month} is over by this machine's clock, but the newest blocks of the chains have reached \
                 {reached}: the month stays open. Correct the system clock, or, if the month is over, say so by \
                 `superroot admin invoice confirm-over {month}`"
            );
            self.waits = Some(month);
        }
        Ok(if closed.is_done { CLOSING_REST } else { CLOSING_INTERVAL })
    }
}

/// Enters wallet payments made before the wallet was proven.
fn enter(after: &mut Option<Vec<u8>>, billing: &BillingLedger) -> Result<Duration, BillingError> {
    let (entered, next) = billing.enter_waiting(after.as_deref())?;
    if entered > 0 {
        tracing::info!("{entered} movements of wallets were entered for those who proved them");
    }
    *after = next;
    Ok(if after.is_none() { CLOSING_REST } else { CLOSING_INTERVAL })
}

/// Classifies an account error. A dead store has to be reopened.
fn failure(error: BillingError) -> StageFailure {
    let kind = error.kind();
    let is_over = matches!(error.store(), Some(StoreError::Dead));
    StageFailure::of(error, kind, is_over)
}

/// Notes each minute whether the service answers on its address. Minutes without a running service are noted as down at
/// the next start. A clock ahead of the chains would note false downtime for good, so nothing is written until both
/// agree.
struct AvailabilityStage {
    minutes: Minutes,
    chains: Arc<ChainClock>,
    client: reqwest::Client,
    url: String,
    has_begun: bool,
    handle: Handle,
}

struct Minutes {
    billing: Arc<BillingLedger>,
    /// Unwritten up minutes: the disk was almost full, or the chains were behind.
    unwritten: Vec<UnixSeconds>,
}

const UNWRITTEN_MAX: usize = 7 * 24 * 60;

impl BlockingStage for AvailabilityStage {
    fn name(&self) -> StageName {
        StageName::Availability
    }

    fn step(&mut self, _: UnixSeconds) -> Result<Duration, StageFailure> {
        let noted = if std::mem::replace(&mut self.has_begun, true) {
            let answer = self.handle.block_on(self.client.get(&self.url).send());
            let is_up = answer.is_ok_and(|answer| !answer.status().is_server_error());
            self.minutes.record(self.minutes.billing.accounts().now(), is_up, &self.chains)
        } else {
            self.minutes.record_gap(&self.chains)
        };
        if let Err(error) = noted {
            // it is missed; the next minute is another
            tracing::warn!("the availability of a minute could not be noted: {error}");
        }
        Ok(until_next_minute(SystemClock.now()))
    }
}

impl Minutes {
    const fn of(billing: Arc<BillingLedger>) -> Self {
        Self { billing, unwritten: Vec::new() }
    }

    /// Records whether the service is up in the minute of `now`. A process may have been frozen since the last minute;
    /// minutes between count as unanswered.
    fn record(
        &mut self,
        now: UnixSeconds,
        is_up: bool,
        chains: &ChainClock,
    ) -> Result<(), BillingError> {
        if !chains.agrees(now)? {
            self.keep(now, is_up);
            return Ok(());
        }
        // those of a clock that was ahead never were
        let before = self.unwritten.iter().filter(|at| **at < now).map(|at| (*at, true));
        let written = record(&self.billing, before.chain([(now, is_up)]));
        match &written {
            Ok(()) => self.unwritten.clear(),
            Err(error) if is_full(error) => self.keep(now, is_up),
            Err(_) => {}
        }
        written
    }

    fn keep(&mut self, at: UnixSeconds, is_up: bool) {
        if is_up && self.unwritten.len() < UNWRITTEN_MAX {
            self.unwritten.push(at);
        }
    }

    /// Counts the minutes since the last one as down, after a service start.
    fn record_gap(&self, chains: &ChainClock) -> Result<(), BillingError> {
        let now = self.billing.accounts().now();
        if chains.agrees(now)? {
            self.billing.record_gap(now)?;
        }
        Ok(())
    }
}

fn record(
    billing: &BillingLedger,
    minutes: impl IntoIterator<Item = (UnixSeconds, bool)>,
) -> Result<(), BillingError> {
    minutes.into_iter().try_for_each(|(at, is_up)| {
        billing.record_gap(at)?;
        billing.record_minute(at, is_up)
    })
}

fn is_full(error: &BillingError) -> bool {
    matches!(error.store(), Some(StoreError::Full { .. }))
}

fn until_next_minute(now: UnixSeconds) -> Duration {
    Duration::from_secs(60 - now.0 % 60)
}

/// Writes the last counts after the last answer.
pub(crate) async fn last_flush(service: Arc<AccountService>) {
    let written = tokio::task::spawn_blocking(move || {
        for tries_left in (0..LAST_FLUSHES_MAX).rev() {
            match service.flush(service.now()) {
                Ok(_) => return,
                Err(error)
                    if tries_left == 0
                        || matches!(error, AccountError::Store(StoreError::Dead)) =>
                {
                    tracing::error!("the last second of counts is not written: {error}");
                    return;
                }
                Err(_) => {}
            }
        }
    });
    match tokio::time::timeout(LAST_FLUSH, written).await {
        Ok(Ok(())) => {}
        Ok(Err(_)) => tracing::error!("the last second of counts is not written: it panicked"),
        Err(_) => tracing::error!("the last second of counts is not written: no time is left"),
    }
}

#[cfg(test)]
mod tests {
    use superroot_account::AccountConfig;
    use superroot_account::row::Contended;
    use superroot_store::{EmbeddedConfig, EmbeddedStore, MemoryStore, Table};

    use super::*;

    fn billing() -> Arc<BillingLedger> {
        let store = Arc::new(MemoryStore::new());
        let clock = Arc::new(SystemClock);
        BillingLedger::new(AccountService::open(store, clock, &AccountConfig::default()).unwrap())
    }

    /// Chains that say nothing against any time.
    fn recorded(store: Arc<dyn superroot_store::Store>) -> ChainClock {
        ChainClock::new(store, Vec::new(), true)
    }

    /// A dead store ends the service: a manager starts it anew.
    #[test]
    fn a_store_that_is_dead_or_damaged_ends_the_service() {
        for (error, lasts) in [
            (AccountError::from(StoreError::Dead), true),
            (AccountError::Audit { sequence: 1, why: "it is missing" }, true),
            (Contended { table: Table::Meta, attempts: 1 }.into(), false),
        ] {
            assert_eq!(matches!(failure(error.into()), StageFailure::Lasting(_)), lasts);
        }
    }

    /// A suspended machine answers nobody: the ticks that it slept through are not passed over.
    #[test]
    fn frozen_minutes_count_as_down() {
        let billing = billing();
        let start = 1_835_395_200; // 2028-02-29T00:00:00Z
        let at = |seconds: u64| UnixSeconds(start + seconds);
        let availability = || {
            let month = superroot_account::Month::of(at(0)).unwrap();
            let seen = billing.availability(month).unwrap();
            (seen.up_minutes, seen.measured_minutes)
        };
        for tick in [0, 60, 120] {
            record(&billing, [(at(tick), true)]).unwrap();
        }
        assert_eq!(availability(), (3, 3));
        record(&billing, [(at(120 + 145), true)]).unwrap(); // stopped for 145 s, then asked and ready
        assert_eq!(availability(), (4, 5), "minute 3 was slept through");
        record(&billing, [(at(360), false)]).unwrap();
        assert_eq!(availability(), (4, 7), "minute 5 was, and in minute 6 it was not ready");
        record(&billing, [(at(359), true)]).unwrap();
        assert_eq!(availability(), (4, 7), "a clock set back counts nothing twice");
    }

    /// A clock that is ahead of the chains notes nothing, neither the time between as down nor what it takes for
    /// minutes; once it is right the real ones count.
    #[test]
    fn minutes_of_a_clock_ahead_of_the_chains_are_not_counted() {
        let billing = billing();
        let real = UnixSeconds(1_835_395_200);
        let (month, ahead) =
            (superroot_account::Month::of(real).unwrap(), UnixSeconds(real.0 + 200 * 86_400));
        record(&billing, [(real, true)]).unwrap();
        let (mut minutes, empty) = (Minutes::of(billing), Arc::new(MemoryStore::new()));
        let behind = ChainClock::new(empty.clone(), Vec::new(), false);
        minutes.record_gap(&behind).unwrap();
        minutes.record(ahead, true, &behind).unwrap();
        assert_eq!(minutes.unwritten, [ahead]);
        let agrees = recorded(empty);
        minutes.record(UnixSeconds(real.0 + 60), true, &agrees).unwrap();
        let seen = minutes.billing.availability(month).unwrap();
        assert_eq!((seen.up_minutes, seen.measured_minutes), (2, 2));
        let later = superroot_account::Month::of(ahead).unwrap();
        assert_eq!(minutes.billing.availability(later).unwrap().measured_minutes, 0);
    }

    /// Of a full disk the service answers, and that counts once it can be written.
    #[test]
    fn minutes_of_a_full_disk_count_as_up() {
        let folder = tempfile::tempdir().unwrap();
        let store = EmbeddedStore::open(folder.path(), &EmbeddedConfig::default());
        let (store, clock) = (Arc::new(store.unwrap()), Arc::new(SystemClock));
        let accounts =
            AccountService::open(store.clone(), clock, &AccountConfig::default()).unwrap();
        let mut minutes = Minutes::of(BillingLedger::new(accounts));
        let chains = recorded(store.clone());
        let at = |minute: u64| UnixSeconds(1_835_395_200 + 60 * minute);
        minutes.record(at(0), true, &chains).unwrap();
        store.pretend_free(Some(0));
        for (minute, is_up) in [(1, true), (2, false), (3, true)] {
            assert!(minutes.record(at(minute), is_up, &chains).is_err());
        }
        store.pretend_free(None);
        minutes.record(at(4), true, &chains).unwrap();
        let month = superroot_account::Month::of(at(0)).unwrap();
        let seen = minutes.billing.availability(month).unwrap();
        assert_eq!((seen.up_minutes, seen.measured_minutes), (4, 5), "in one it was not ready");
    }

    #[test]
    fn the_service_asks_itself_at_each_full_minute() {
        assert_eq!(until_next_minute(UnixSeconds(120)).as_secs(), 60);
        assert_eq!(until_next_minute(UnixSeconds(179)).as_secs(), 1);
    }
}
