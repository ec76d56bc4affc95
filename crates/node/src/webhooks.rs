//! Webhook dispatcher as a stage.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use superroot_types::UnixSeconds;
use superroot_webhook::Dispatcher;

use crate::stage::{BlockingStage, StageFailure, StageName};

/// Interval between scans of all webhooks: an account whose tier has ended receives events for at most this long.
const SCAN_INTERVAL: Duration = Duration::from_secs(20);

impl BlockingStage for Dispatcher {
    fn name(&self) -> StageName {
        StageName::Webhooks
    }

    /// Starts and stops senders. After a failure the running senders continue.
    fn step(&mut self, _: UnixSeconds) -> Result<Duration, StageFailure> {
        self.dispatch().map_err(|error| StageFailure::Passing(error.into()))?;
        Ok(SCAN_INTERVAL)
    }

    fn woken(&mut self) -> BoxFuture<'_, ()> {
        self.changed().boxed()
    }

    fn stop(&mut self) -> BoxFuture<'_, ()> {
        self.end().boxed()
    }
}
