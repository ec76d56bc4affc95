//! Watches of key owners as a stage.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use superroot_types::UnixSeconds;
use superroot_watch::Watches;

use crate::stage::{BlockingStage, StageFailure, StageName};

/// Longest time between two computations of the union: tiers expire.
const REFRESH_INTERVAL: Duration = Duration::from_secs(60);

impl BlockingStage for Arc<Watches> {
    fn name(&self) -> StageName {
        StageName::Watches
    }

    /// Recomputes the union of all watches. After a failure the previous union stays.
    fn step(&mut self, _: UnixSeconds) -> Result<Duration, StageFailure> {
        self.refresh().map_err(|error| StageFailure::Passing(error.into()))?;
        Ok(REFRESH_INTERVAL)
    }

    fn woken(&mut self) -> BoxFuture<'_, ()> {
        self.changed().boxed()
    }
}
