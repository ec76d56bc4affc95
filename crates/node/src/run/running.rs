//! Running service: readiness, screen and shutdown.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use superroot_account::AccountService;
use superroot_accumulate::prove::Prover;
use superroot_api::{LEFT_OUT_MAX, StatusBoard, StatusReader};
use superroot_chain::ChainSpec;
use superroot_types::{Clock, Network, SystemClock};

use super::parts::ServiceParts;
use crate::accounts;
use crate::bond::AccountHeartbeat;
use crate::chains;
use crate::publish::FIRST_ROOT_POLL;
use crate::screen::Screen;
use crate::stage::{BlockingStage, Runner};
use crate::stop;

/// Time limit for the last account commit note.
const LAST_NOTE: Duration = Duration::from_secs(5);

pub(crate) struct RunningStages {
    pub(crate) url: String,
    pub(crate) prover: Prover,
    pub(crate) status: Arc<StatusBoard>,
    pub(crate) accounts: Arc<AccountService>,
    pub(super) noting: AccountHeartbeat,
    pub(super) ready: Arc<AtomicBool>,
    pub(super) runner: Runner,
    pub(super) drain: Duration,
    pub(super) shutdown_timeout: Duration,
}

impl RunningStages {
    pub(super) fn of(
        parts: ServiceParts,
        url: String,
        noting: AccountHeartbeat,
        ready: Arc<AtomicBool>,
        runner: Runner,
    ) -> Self {
        let ServiceParts { config, prover, status, accounts, .. } = parts;
        let drain = Duration::from_millis(config.server.drain_ms);
        let shutdown_timeout = Duration::from_millis(config.server.shutdown_timeout_ms);
        Self { url, prover, status, accounts, noting, ready, runner, drain, shutdown_timeout }
    }

    /// Waits until everything final at the start is anchored, or a loop fails. Calls `waiting` from time to time.
    pub(crate) async fn ready(&mut self, mut waiting: impl FnMut(&Prover)) -> anyhow::Result<()> {
        loop {
            tokio::select! {
                error = self.runner.ended() => return Err(error),
                () = tokio::time::sleep(FIRST_ROOT_POLL) => {}
            }
            if self.ready.load(Ordering::SeqCst) {
                self.tell_left_out();
                return Ok(());
            }
            waiting(&self.prover);
        }
    }

    /// Reports invalid recorded blocks in one line.
    fn tell_left_out(&self) {
        if self.prover.network() != Network::Recorded {
            return;
        }
        let views = chains::known().rows().iter().map(|row| self.status.status(row.key()));
        let counts: Vec<_> =
            views.map(|view| view.left_out.len()).filter(|count| *count > 0).collect();
        if let (count @ 1.., chains) = (counts.iter().sum::<usize>(), counts.len()) {
            // of a chain the newest are kept alone
            let at_least = if counts.contains(&LEFT_OUT_MAX) { "at least " } else { "" };
            tracing::warn!(
                count,
                "{at_least}{count} blocks of {chains} recorded chains do not hold and are left out: \
                 /api/v1/status has the newest with the reason, and --log warn,superroot_collect=debug names each"
            );
        }
    }

    pub(crate) fn show(&mut self, rows: Vec<ChainSpec>) {
        let url = self.url.clone();
        let prover = self.prover.clone();
        let status = self.status.clone();
        self.runner.work(Screen::new(url, prover, status, rows));
    }

    /// Runs until a signal or a failed loop, then shuts down. After a signal the service reports not ready but serves
    /// on for a while, so that a load balancer sends no client to a closed port.
    pub(crate) async fn until_stopped(mut self) -> anyhow::Result<()> {
        let status = self.status.clone();
        let drain = self.drain;
        let stopped = async {
            let stopped = stop::requested().await.context("cannot hear signals");
            status.stop();
            tracing::info!(drain_ms = drain.as_millis(), "stopping");
            stop::drain(drain).await;
            stopped
        };
        let result = tokio::select! {
            error = self.runner.ended() => Err(error),
            stopped = stopped => stopped,
        };
        self.status.stop();
        tracing::info!("no new connections are taken");
        self.runner.stop(self.shutdown_timeout).await;
        accounts::last_flush(self.accounts).await;
        // without it the next start knows ten seconds less
        let mut noting = self.noting;
        let noted = tokio::task::spawn_blocking(move || noting.step(SystemClock.now()));
        match tokio::time::timeout(LAST_NOTE, noted).await {
            Ok(Ok(Ok(_))) => {}
            Ok(Ok(Err(failed))) => tracing::warn!(
                "it was not noted how much of the accounts there is: {:#}",
                failed.into_error()
            ),
            Ok(Err(_)) | Err(_) => {
                tracing::warn!("it was not noted in time how much of the accounts there is");
            }
        }
        result
    }
}
