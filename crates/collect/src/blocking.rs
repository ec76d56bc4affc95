//! Blocking work, kept off the asynchronous threads.

use superroot_source::{NotDone, compute};
use tokio::runtime::{Handle, RuntimeFlavor};

use crate::error::CollectError;

/// Runs short disk work off the asynchronous threads. A single-threaded runtime runs the work in place, so that one
/// seed always gives one order.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CollectError> + Send + 'static,
) -> Result<T, CollectError> {
    if Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread {
        return computing(work).await;
    }
    tokio::task::spawn_blocking(work).await?
}

/// Runs long computations off the asynchronous threads, at most one per core.
pub(crate) async fn computing<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CollectError> + Send + 'static,
) -> Result<T, CollectError> {
    match compute(work).await {
        Ok(done) => done,
        Err(NotDone::Panicked) => Err(CollectError::Panicked),
        Err(NotDone::ShuttingDown) => Err(CollectError::Cancelled),
    }
}
