//! The loops: each does a bounded piece of work, waits, and does the next until the service stops.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use superroot_account::{AccountError, AccountService};
use superroot_billing::{Billing, BillingError, Closing};
use superroot_store::StoreError;
use superroot_types::{Address, Clock, ErrorKind, Hash, SystemClock, UnixSeconds};
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

/// Time between looks at whom other nodes have changed. What is remembered is believed for 900 ms,
/// so two looks may fail before every key is looked up in the store.
const REFRESH_INTERVAL: Duration = Duration::from_millis(250);
/// Time between writes of what was counted. A kill loses it and the time of the write: together no
/// more than the second that is promised, also where the disk is slow.
const FLUSH_INTERVAL: Duration = Duration::from_millis(500);
/// Time between pieces of forgetting, while there is something to forget.
const PRUNE_INTERVAL: Duration = Duration::from_secs(1);
/// Time before everything is gone through again for what is too old.
const PRUNE_REST: Duration = Duration::from_secs(600);
/// Time between pieces of closing a month.
const CLOSING_INTERVAL: Duration = Duration::from_millis(200);
/// Time before it is looked at again whether a month is over.
const CLOSING_REST: Duration = Duration::from_secs(300);
/// Time in which the service must answer itself to count as up.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// Times that the last counts are tried to be written.
const LAST_FLUSHES_MAX: u32 = 3;

/// What keeps the accounts of a running service.
pub(crate) struct Loops {
    pub(crate) billing: Arc<Billing>,
    /// Where the service answers.
    pub(crate) listen: SocketAddr,
    pub(crate) shutdown: CancellationToken,
}

/// How long until the next piece of work.
type Pause = Duration;

impl Loops {
    /// Starts every loop.
    pub(crate) fn spawn(self, tasks: &mut JoinSet<anyhow::Result<()>>) {
        let Self { billing, listen, shutdown } = self;
        let each = |what, work: Work| {
            Stage { what, work, billing: billing.clone(), shutdown: shutdown.clone() }.run()
        };
        tasks.spawn(each("look at changed accounts", Box::new(refresh)));
        tasks.spawn(each("write counts", Box::new(flush)));
        tasks.spawn(each("forget old counts", Box::new(prune)));
        let mut closing = Closing::default();
        let close = move |billing: &Billing| close(&mut closing, billing);
        tasks.spawn(each("close months", Box::new(close)));
        let mut after = None;
        let enter = move |billing: &Billing| enter(&mut after, billing);
        tasks.spawn(each("enter payments of wallets", Box::new(enter)));
        tasks.spawn(measure(billing.clone(), listen, shutdown.clone()));
    }
}

type Work = Box<dyn FnMut(&Billing) -> Result<Pause, BillingError> + Send>;

fn refresh(billing: &Billing) -> Result<Pause, BillingError> {
    billing.accounts().refresh()?;
    Ok(REFRESH_INTERVAL)
}

fn flush(billing: &Billing) -> Result<Pause, BillingError> {
    billing.accounts().flush(billing.accounts().now())?;
    Ok(FLUSH_INTERVAL)
}

fn prune(billing: &Billing) -> Result<Pause, BillingError> {
    let pruned = billing.accounts().prune(billing.accounts().now())?;
    Ok(if pruned.done { PRUNE_REST } else { PRUNE_INTERVAL })
}

fn close(closing: &mut Closing, billing: &Billing) -> Result<Pause, BillingError> {
    // minutes in which nobody ran count as down before the month is told
    billing.record_gap(billing.now())?;
    let closed = closing.step(billing)?;
    if closed.invoices > 0 {
        tracing::info!("{} invoices were closed", closed.invoices);
    }
    Ok(if closed.is_done { CLOSING_REST } else { CLOSING_INTERVAL })
}

/// What a wallet paid before somebody proved it.
fn enter(after: &mut Option<(Address, Hash)>, billing: &Billing) -> Result<Pause, BillingError> {
    let (entered, next) = billing.enter_waiting(*after)?;
    if entered > 0 {
        tracing::info!("{entered} movements of wallets were entered for those who proved them");
    }
    *after = next;
    Ok(if after.is_none() { CLOSING_REST } else { CLOSING_INTERVAL })
}

/// A piece of work that is repeated.
struct Stage {
    what: &'static str,
    work: Work,
    billing: Arc<Billing>,
    shutdown: CancellationToken,
}

impl Stage {
    /// Until the service stops, or nothing can be done any more.
    async fn run(self) -> anyhow::Result<()> {
        let Self { what, mut work, billing, shutdown } = self;
        let mut has_failed = false;
        loop {
            let billing = billing.clone();
            let done = tokio::task::spawn_blocking(move || {
                let done = work(&billing);
                (done, work)
            });
            let (done, back) = done.await.with_context(|| format!("to {what} panicked"))?;
            work = back;
            let pause = match done {
                Ok(pause) => {
                    if has_failed {
                        tracing::info!("it works again to {what}");
                    }
                    has_failed = false;
                    pause
                }
                Err(error) if is_lasting(&error) => bail!("cannot {what}: {error}"),
                Err(error) => {
                    if !has_failed {
                        tracing::warn!("cannot {what}, it is tried again: {error}");
                    }
                    has_failed = true;
                    FLUSH_INTERVAL
                }
            };
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = shutdown.cancelled() => return Ok(()),
            }
        }
    }
}

/// Whether trying again within this process is of no use: the store has to be opened again, or a
/// person has to look.
fn is_lasting(error: &BillingError) -> bool {
    matches!(error.store(), Some(StoreError::Dead))
        || matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::Bug)
}

fn is_dead(error: &AccountError) -> bool {
    matches!(error, AccountError::Store(StoreError::Dead))
}

/// Notes each minute whether the service answers on its own address. Minutes in which nobody ran are
/// noted as down when it is started again.
async fn measure(
    billing: Arc<Billing>,
    listen: SocketAddr,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let client = reqwest::Client::builder().timeout(ANSWER_TIMEOUT).no_proxy().build();
    let client = client.context("cannot make a client")?;
    let url = format!("http://{}/health/ready", own_address(listen));
    note(billing.clone(), |billing, now| billing.record_gap(now).map(|_| ())).await?;
    let first = tokio::time::Instant::now() + until_next_minute(SystemClock.now());
    let mut minutes = tokio::time::interval_at(first, Duration::from_secs(60));
    minutes.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        tokio::select! {
            _ = minutes.tick() => {}
            () = shutdown.cancelled() => return Ok(()),
        }
        let answer = client.get(&url).send().await;
        let is_up = answer.is_ok_and(|answer| !answer.status().is_server_error());
        note(billing.clone(), move |billing, now| record(billing, now, is_up)).await?;
    }
}

/// Whether the service is up in the minute of `now`. The process may have been frozen since the
/// last one: nobody was answered in the minutes between.
fn record(billing: &Billing, now: UnixSeconds, is_up: bool) -> Result<(), BillingError> {
    billing.record_gap(now)?;
    billing.record_minute(now, is_up)
}

/// A note that fails is missed; the next minute is another.
async fn note(
    billing: Arc<Billing>,
    work: impl FnOnce(&Billing, UnixSeconds) -> Result<(), BillingError> + Send + 'static,
) -> anyhow::Result<()> {
    let noted = tokio::task::spawn_blocking(move || work(&billing, billing.accounts().now()));
    if let Err(error) = noted.await.context("noting the availability panicked")? {
        tracing::warn!("the availability of a minute could not be noted: {error}");
    }
    Ok(())
}

fn until_next_minute(now: UnixSeconds) -> Duration {
    Duration::from_secs(60 - now.0 % 60)
}

/// An address at which this machine reaches what listens there.
fn own_address(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

/// Writes the last counts, once nothing is answered any more.
pub(crate) async fn last_flush(service: Arc<AccountService>) {
    let written = tokio::task::spawn_blocking(move || {
        for tries_left in (0..LAST_FLUSHES_MAX).rev() {
            match service.flush(service.now()) {
                Ok(_) => return,
                Err(error) if tries_left == 0 || is_dead(&error) => {
                    tracing::error!("the last second of counts is not written: {error}");
                    return;
                }
                Err(_) => {}
            }
        }
    });
    if written.await.is_err() {
        tracing::error!("the last second of counts is not written: it panicked");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use superroot_account::Config;
    use superroot_account::row::Contended;
    use superroot_store::{MemoryStore, Table};

    use super::*;

    fn billing() -> Arc<Billing> {
        let store = Arc::new(MemoryStore::new());
        let clock = Arc::new(SystemClock);
        Billing::new(AccountService::open(store, clock, &Config::default()).unwrap())
    }

    fn stage(shutdown: &CancellationToken, work: Work) -> Stage {
        Stage { what: "try", work, billing: billing(), shutdown: shutdown.clone() }
    }

    /// What may pass is tried again, and the work goes on where it was.
    #[tokio::test(start_paused = true)]
    async fn a_failure_that_may_pass_ends_no_loop() {
        let (shutdown, calls) = (CancellationToken::new(), Arc::new(AtomicU32::new(0)));
        let (stop, counted) = (shutdown.clone(), calls.clone());
        let work = move |_: &Billing| match counted.fetch_add(1, Ordering::SeqCst) {
            0 | 2 => Err(BillingError::from(Contended { table: Table::Meta, attempts: 1 })),
            5 => {
                stop.cancel();
                Ok(REFRESH_INTERVAL)
            }
            _ => Ok(REFRESH_INTERVAL),
        };
        stage(&shutdown, Box::new(work)).run().await.unwrap();
        assert_eq!(calls.load(Ordering::SeqCst), 6);
    }

    /// A dead store ends the loop, and with it the service: a manager starts it anew.
    #[tokio::test(start_paused = true)]
    async fn a_store_that_is_dead_or_damaged_ends_the_loop() {
        for lasting in [
            || AccountError::from(StoreError::Dead),
            || AccountError::Audit { sequence: 1, why: "it is missing" },
        ] {
            let work = move |_: &Billing| Err(BillingError::from(lasting()));
            let error = stage(&CancellationToken::new(), Box::new(work)).run().await.unwrap_err();
            assert!(error.to_string().starts_with("cannot try"), "{error}");
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
            record(&billing, at(tick), true).unwrap();
        }
        assert_eq!(availability(), (3, 3));
        record(&billing, at(120 + 145), true).unwrap(); // stopped for 145 s, then asked and ready
        assert_eq!(availability(), (4, 5), "minute 3 was slept through");
        record(&billing, at(360), false).unwrap();
        assert_eq!(availability(), (4, 7), "minute 5 was, and in minute 6 it was not ready");
        record(&billing, at(359), true).unwrap();
        assert_eq!(availability(), (4, 7), "a clock set back counts nothing twice");
    }

    #[test]
    fn the_service_asks_itself_where_it_can_be_reached() {
        for (listen, own) in [
            ("0.0.0.0:80", "127.0.0.1:80"),
            ("[::]:80", "[::1]:80"),
            ("10.0.0.7:80", "10.0.0.7:80"),
        ] {
            assert_eq!(own_address(listen.parse().unwrap()).to_string(), own);
        }
        assert_eq!(until_next_minute(UnixSeconds(120)).as_secs(), 60);
        assert_eq!(until_next_minute(UnixSeconds(179)).as_secs(), 1);
    }
}
