//! Limit on concurrent long computations: at most the number of cores plus 1, because some wait for the disk. More
//! threads would finish nothing sooner and use more memory.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;
use std::thread::available_parallelism;

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Process-wide limit: all chains share the cores.
static AT_ONCE: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(available_parallelism().map_or(2, |cores| cores.get() + 1)));

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotDone {
    Panicked,
    /// The runtime is shutting down.
    ShuttingDown,
}

/// Runs work off the asynchronous threads, in request order. A single-threaded runtime runs the work in place, so the
/// same seed always gives the same order.
///
/// # Errors
/// [`NotDone`] on a panic, or if the work never began.
pub async fn compute<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, NotDone> {
    let done = run(Box::new(move || Box::new(work()))).await?;
    Ok(*done.downcast().expect("of the type that the work gave"))
}

/// Type-erased work and result: a single task serves all types, because a task per type took a fifth of the compiled
/// crate.
type Done = Box<dyn Any + Send>;
type Work = Box<dyn FnOnce() -> Done + Send>;

async fn run(work: Work) -> Result<Done, NotDone> {
    if Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread {
        return catch_unwind(AssertUnwindSafe(work)).map_err(|_| NotDone::Panicked);
    }
    // a task of its own, gone with the caller: one that waits for something else in between would keep
    // the core that it was given, and those behind it waiting
    let mut task = JoinSet::new();
    task.spawn(async move {
        let core = AT_ONCE.acquire().await.expect("the semaphore is never closed");
        let held = move || {
            let done = work();
            drop(core);
            done
        };
        tokio::task::spawn_blocking(held).await
    });
    match task.join_next().await {
        Some(Ok(Ok(done))) => Ok(done),
        Some(Ok(Err(error)) | Err(error)) if error.is_panic() => Err(NotDone::Panicked),
        Some(Ok(Err(_)) | Err(_)) | None => Err(NotDone::ShuttingDown),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::FutureExt;

    use super::*;

    /// Whoever begins work and then waits for other work holds nobody up.
    #[tokio::test(flavor = "multi_thread")]
    async fn work_that_nobody_asks_after_keeps_no_core() {
        let begun = (0..64).filter_map(|n| {
            let mut work = Box::pin(compute(move || n));
            // the first may be done at once
            let done = work.as_mut().now_or_never();
            done.inspect(|done| assert_eq!(*done, Ok(n))).is_none().then_some((n, work))
        });
        let begun: Vec<_> = begun.collect();
        let other = tokio::time::timeout(std::time::Duration::from_secs(20), compute(|| 7));
        assert_eq!(other.await, Ok(Ok(7)));
        for (n, work) in begun {
            assert_eq!(work.await, Ok(n));
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn no_more_runs_at_once_than_there_are_cores_and_all_is_done() {
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let tasks: Vec<_> = (0..200_u64)
            .map(|n| {
                let (running, most) = (running.clone(), most.clone());
                tokio::spawn(compute(move || {
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    let sum = (0..n * 100).fold(0, u64::wrapping_add);
                    running.fetch_sub(1, Ordering::SeqCst);
                    std::hint::black_box(sum);
                    n
                }))
            })
            .collect();
        for (n, task) in (0..).zip(tasks) {
            assert_eq!(task.await.unwrap(), Ok(n));
        }
        // what panicked gives its core back
        for _ in 0..100 {
            let done: Result<(), _> = compute(|| panic!("seen in the test's output")).await;
            assert_eq!(done, Err(NotDone::Panicked));
        }
        let bound = available_parallelism().map_or(2, |cores| cores.get() + 1);
        assert!((1..=bound).contains(&most.load(Ordering::SeqCst)));
    }
}
