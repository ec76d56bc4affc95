//! Work on blocking threads: permits, cancellation, panics.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::ApiError;
use crate::error::codes::TIMEOUT;

/// Bytes per memory permit.
const ROOM_BYTES: usize = 2 << 20;

#[derive(Clone, Default)]
pub(crate) struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// Checks that a caller still waits; else 503 `timeout`, which nobody sees.
    pub(crate) fn check(&self) -> Result<(), ApiError> {
        if self.0.load(Ordering::Relaxed) {
            return Err(ApiError::new(TIMEOUT, "the request was given up"));
        }
        Ok(())
    }
}

/// Cancels the work when its request ends, answered or dropped.
pub(super) struct CancelGuard(CancelFlag);

impl CancelGuard {
    pub(super) const fn new(flag: CancelFlag) -> Self {
        Self(flag)
    }
}

impl Drop for CancelGuard {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

/// Keeps only the permits that the answer size needs.
pub(crate) fn fitted(mut rooms: OwnedSemaphorePermit, bytes: usize) -> OwnedSemaphorePermit {
    let needed = bytes.div_ceil(ROOM_BYTES).max(1);
    drop(rooms.split(rooms.num_permits().saturating_sub(needed)));
    rooms
}

pub(super) async fn run_blocking<T: Send + 'static>(
    permits: &Arc<Semaphore>,
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let done = run_erased(permits, Box::new(move || Box::new(work()))).await?;
    *done.downcast().expect("of the type that the work gave")
}

/// Type-erased result and work: one task serves all queries, so little code is compiled for each.
type Done = Box<dyn Any + Send>;
type Work = Box<dyn FnOnce() -> Done + Send>;

async fn run_erased(permits: &Arc<Semaphore>, work: Work) -> Result<Done, ApiError> {
    let permit = Arc::clone(permits).acquire_owned().await.map_err(|_| ApiError::internal())?;
    let task = tokio::task::spawn_blocking(move || {
        let done = work();
        drop(permit);
        done
    });
    task.await.map_err(|error| {
        tracing::error!(%error, "work of a request panicked");
        ApiError::internal()
    })
}
