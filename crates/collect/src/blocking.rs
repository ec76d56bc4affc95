//! Work that would keep the asynchronous threads from their own.

use superroot_source::{NotDone, compute};
use tokio::runtime::{Handle, RuntimeFlavor};

use crate::error::CollectError;

/// Runs what waits for the disk for a moment off the asynchronous threads. A runtime of one thread
/// has no other to spare: there it runs in place, so that one seed always gives one order of things.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CollectError> + Send + 'static,
) -> Result<T, CollectError> {
    if Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread {
        return computing(work).await;
    }
    tokio::task::spawn_blocking(work).await?
}

/// Runs what computes for long off the asynchronous threads, no more of it than there are cores.
pub(crate) async fn computing<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CollectError> + Send + 'static,
) -> Result<T, CollectError> {
    match compute(work).await {
        Ok(done) => done,
        Err(NotDone::Panicked) => Err(CollectError::Panicked),
        Err(NotDone::ShuttingDown) => Err(CollectError::Cancelled),
    }
}
