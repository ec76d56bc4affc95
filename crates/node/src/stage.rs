//! Stages, and the runner for them.
//!
//! ```text
//! spawn ──► step(now) ──► Ok(pause)   the next step after the pause, or when the stage is woken
//!              ▲          Err         a pause that doubles with each failure; a fatal one stops the service
//!              └── wait ◄─┘
//! ```
//! A stage is a struct with a `step`, without loop, timer, task or clock. A new stage needs a name in [`StageName`] and
//! a line in the service assembly.
//!
//! ```ignore
//! impl BlockingStage for Sweep {
//!     fn name(&self) -> StageName { StageName::Sweep }
//!     fn step(&mut self, now: UnixSeconds) -> Result<Duration, StageFailure> {
//!         self.sweep(now).map_err(|error| StageFailure::of(error, error.kind(), false))?;
//!         Ok(Duration::from_secs(60))
//!     }
//! }
//! runner.work(Sweep { store });
//! ```

mod derived;
mod name;

use std::time::Duration;

use anyhow::Context;
use clap::ValueEnum;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use rand::RngExt;
use superroot_types::{Clock, ErrorKind, SystemClock, UnixSeconds};
use tokio::task::{JoinError, JoinSet};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub(crate) use name::StageName;

/// First pause after a failure, in milliseconds. Each further pause doubles.
const RETRY_MS: u64 = 250;
/// Longest pause after a blocking stage failure.
const WORK_RETRY_MAX: Duration = Duration::from_secs(1);
const STEPS: &str = "superroot_node_stage_steps_total";
const FAILURES: &str = "superroot_node_stage_failures_total";
const SECONDS: &str = "superroot_node_stage_seconds";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Next {
    /// Time until the next step; `None`: only when woken.
    pub(crate) pause: Option<Duration>,
    /// Whether the step counts as a failure.
    pub(crate) has_failed: bool,
}

impl Next {
    pub(crate) const fn after(pause: Duration) -> Self {
        Self { pause: Some(pause), has_failed: false }
    }
}

pub(crate) trait RunnerStage: Send + 'static {
    /// Whether a step may be cancelled at shutdown.
    const MAY_BE_CUT: bool = true;

    fn name(&self) -> StageName;

    /// Runs a bounded piece of work. After an error the service cannot go on.
    fn step(&mut self, now: UnixSeconds) -> impl Future<Output = anyhow::Result<Next>> + Send;

    /// Completes when the next step is due early.
    fn woken(&mut self) -> impl Future<Output = ()> + Send {
        std::future::pending()
    }

    /// Ends what the steps have started, at shutdown.
    fn stop(&mut self) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }
}

/// Stage with blocking steps, such as store access. Runs on a separate thread and is never cancelled.
pub(crate) trait BlockingStage: Send + 'static {
    fn name(&self) -> StageName;

    /// Runs a bounded piece of work, and returns the time until the next.
    fn step(&mut self, now: UnixSeconds) -> Result<Duration, StageFailure>;

    /// Completes when the next step is due early.
    fn woken(&mut self) -> BoxFuture<'_, ()> {
        std::future::pending().boxed()
    }

    /// Ends what the steps have started, at shutdown.
    fn stop(&mut self) -> BoxFuture<'_, ()> {
        std::future::ready(()).boxed()
    }
}

#[derive(Debug)]
pub(crate) enum StageFailure {
    Passing(anyhow::Error),
    /// A retry within this process is useless.
    Lasting(anyhow::Error),
}

impl StageFailure {
    /// Classifies an error by kind. `is_over`: the store accepts no writes until reopened.
    pub(crate) fn of(error: impl Into<anyhow::Error>, kind: ErrorKind, is_over: bool) -> Self {
        match kind {
            ErrorKind::Corrupt | ErrorKind::Bug => Self::Lasting(error.into()),
            ErrorKind::Invalid | ErrorKind::Unavailable if is_over => Self::Lasting(error.into()),
            ErrorKind::Invalid | ErrorKind::Unavailable => Self::Passing(error.into()),
        }
    }

    pub(crate) fn into_error(self) -> anyhow::Error {
        match self {
            Self::Passing(error) | Self::Lasting(error) => error,
        }
    }

    #[cfg(test)]
    pub(crate) fn of_store(error: superroot_store::StoreError) -> Self {
        let kind = error.kind();
        let is_over = matches!(error, superroot_store::StoreError::Dead);
        Self::of(error, kind, is_over)
    }
}

/// Blocking stage as an asynchronous one. Passing failures are reported once, and retried.
struct Blocking {
    /// `None` during a step.
    work: Option<Box<dyn BlockingStage>>,
    name: StageName,
    failures: u32,
}

impl RunnerStage for Blocking {
    const MAY_BE_CUT: bool = false;

    fn name(&self) -> StageName {
        self.name
    }

    async fn step(&mut self, now: UnixSeconds) -> anyhow::Result<Next> {
        let mut work = self.work.take().expect("it is back after each step");
        let done = tokio::task::spawn_blocking(move || (work.step(now), work)).await;
        let (done, work) = done.with_context(|| format!("{} panicked", self.name))?;
        self.work = Some(work);
        match done {
            Ok(pause) => {
                if std::mem::take(&mut self.failures) > 0 {
                    tracing::info!("{} works again", self.name);
                }
                Ok(Next::after(pause))
            }
            Err(StageFailure::Lasting(error)) => {
                Err(error.context(format!("{} failed", self.name)))
            }
            Err(StageFailure::Passing(error)) => {
                self.failures = self.failures.saturating_add(1);
                if self.failures == 1 {
                    tracing::warn!("{} failed and is tried again: {error:#}", self.name);
                }
                let pause = Some(backoff(self.failures, WORK_RETRY_MAX));
                Ok(Next { pause, has_failed: true })
            }
        }
    }

    async fn woken(&mut self) {
        match &mut self.work {
            // a failure is retried after its pause, not at the next wake
            Some(work) if self.failures == 0 => work.woken().await,
            _ => std::future::pending().await,
        }
    }

    async fn stop(&mut self) {
        if let Some(work) = &mut self.work {
            work.stop().await;
        }
    }
}

/// Exponential backoff with jitter, so that stages do not retry at the same time.
pub(crate) fn backoff(failures: u32, longest: Duration) -> Duration {
    let exponent = failures.saturating_sub(1).min(20);
    let longest = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
    let pause = RETRY_MS.saturating_mul(1 << exponent).min(longest);
    Duration::from_millis(rand::rng().random_range(pause / 2..=pause))
}

pub(crate) fn register() {
    for name in StageName::value_variants() {
        metrics::counter!(STEPS, "stage" => name.to_string()).increment(0);
        metrics::counter!(FAILURES, "stage" => name.to_string()).increment(0);
    }
}

pub(crate) struct Runner {
    tasks: JoinSet<anyhow::Result<()>>,
    shutdown: CancellationToken,
}

impl Runner {
    /// Creates an empty runner. Everything ends when `shutdown` is cancelled.
    pub(crate) fn new(shutdown: CancellationToken) -> Self {
        Self { tasks: JoinSet::new(), shutdown }
    }

    pub(crate) fn stage(&mut self, stage: impl RunnerStage) {
        self.tasks.spawn(run(stage, self.shutdown.clone()).boxed());
    }

    pub(crate) fn work(&mut self, work: impl BlockingStage) {
        let name = work.name();
        self.stage(Blocking { work: Some(Box::new(work)), name, failures: 0 });
    }

    /// Runs a server that ends by itself at shutdown.
    pub(crate) fn serve(
        &mut self,
        server: impl Future<Output = anyhow::Result<()>> + Send + 'static,
    ) {
        self.tasks.spawn(server.boxed());
    }

    /// Waits until any stage or server ends, which is an error.
    pub(crate) async fn ended(&mut self) -> anyhow::Error {
        match self.tasks.join_next().await {
            None => anyhow::anyhow!("every stage has ended"),
            Some(ended) => match flat(ended) {
                Ok(()) => anyhow::anyhow!("a stage ended before it was told to"),
                Err(error) => error,
            },
        }
    }

    /// Stops everything, and waits at most `timeout`.
    pub(crate) async fn stop(mut self, timeout: Duration) {
        self.shutdown.cancel();
        let rest = async {
            while let Some(ended) = self.tasks.join_next().await {
                if let Err(error) = flat(ended) {
                    tracing::warn!("while stopping: {error:#}");
                }
            }
        };
        if tokio::time::timeout(timeout, rest).await.is_err() {
            tracing::warn!("open requests did not end in time and were cut off");
        }
    }
}

fn flat(ended: Result<anyhow::Result<()>, JoinError>) -> anyhow::Result<()> {
    ended.context("a stage panicked")?
}

pub(crate) async fn run<S: RunnerStage>(
    mut stage: S,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let label = stage.name().to_string();
    loop {
        let begun = Instant::now();
        let next = if S::MAY_BE_CUT {
            tokio::select! {
                next = stage.step(SystemClock.now()) => next,
                () = shutdown.cancelled() => break,
            }
        } else {
            stage.step(SystemClock.now()).await
        };
        metrics::counter!(STEPS, "stage" => label.clone()).increment(1);
        metrics::histogram!(SECONDS, "stage" => label.clone())
            .record(begun.elapsed().as_secs_f64());
        if next.as_ref().map_or(true, |next| next.has_failed) {
            metrics::counter!(FAILURES, "stage" => label.clone()).increment(1);
        }
        let pause = next?.pause;
        let due = async {
            match pause {
                Some(pause) => tokio::time::sleep(pause).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = due => {}
            () = stage.woken() => {}
            () = shutdown.cancelled() => break,
        }
    }
    stage.stop().await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use anyhow::anyhow;

    use super::*;

    /// Work that does what it is told, by the number of its step.
    struct Scripted<F> {
        script: F,
        steps: Arc<AtomicU32>,
    }

    impl<F: FnMut(u32) -> Result<Duration, StageFailure> + Send + 'static> BlockingStage
        for Scripted<F>
    {
        fn name(&self) -> StageName {
            StageName::AccountFlush
        }

        fn step(&mut self, _: UnixSeconds) -> Result<Duration, StageFailure> {
            (self.script)(self.steps.fetch_add(1, Ordering::SeqCst))
        }
    }

    async fn ran(
        script: impl FnMut(u32) -> Result<Duration, StageFailure> + Send + 'static,
        shutdown: CancellationToken,
    ) -> (anyhow::Result<()>, u32) {
        let steps = Arc::new(AtomicU32::new(0));
        let work = Scripted { script, steps: steps.clone() };
        let stage = Blocking { name: work.name(), work: Some(Box::new(work)), failures: 0 };
        (run(stage, shutdown).await, steps.load(Ordering::SeqCst))
    }

    /// What may pass is tried again, and the work goes on where it was.
    #[tokio::test(start_paused = true)]
    async fn a_failure_that_may_pass_ends_no_stage() {
        let shutdown = CancellationToken::new();
        let stop = shutdown.clone();
        let script = move |step| match step {
            0 | 2 => Err(StageFailure::Passing(anyhow!("contended"))),
            5 => {
                stop.cancel();
                Ok(Duration::from_secs(1))
            }
            _ => Ok(Duration::from_secs(1)),
        };
        let (ended, steps) = ran(script, shutdown).await;
        ended.unwrap();
        assert_eq!(steps, 6);
    }

    #[tokio::test(start_paused = true)]
    async fn a_failure_that_lasts_ends_the_service() {
        let script = |_| Err(StageFailure::Lasting(anyhow!("the store is dead")));
        let (ended, steps) = ran(script, CancellationToken::new()).await;
        let error = format!("{:#}", ended.unwrap_err());
        assert_eq!((error.as_str(), steps), ("account_flush failed: the store is dead", 1));
        let mut runner = Runner::new(CancellationToken::new());
        runner.work(Scripted { script: |_| panic!("a bug"), steps: Arc::default() });
        assert!(runner.ended().await.to_string().contains("panicked"));
    }

    /// Work is never cut off, so work that does not end is left to itself.
    #[tokio::test]
    async fn work_that_does_not_end_keeps_a_stop_no_longer_than_its_time() {
        let (release, held) = std::sync::mpsc::channel::<()>();
        let (begun, mut works) = tokio::sync::mpsc::unbounded_channel();
        let script = move |_: u32| -> Result<Duration, StageFailure> {
            let _ = begun.send(());
            let _ = held.recv();
            Ok(Duration::ZERO)
        };
        let mut runner = Runner::new(CancellationToken::new());
        runner.work(Scripted { script, steps: Arc::default() });
        let most = Duration::from_secs(60);
        let begins = tokio::time::timeout(most, works.recv()).await;
        assert!(begins.is_ok_and(|begun| begun.is_some()), "it never began");
        let stopping = runner.stop(Duration::from_millis(10));
        tokio::time::timeout(most, stopping).await.expect("the work was waited for");
        drop(release);
    }

    #[test]
    fn errors_last_by_their_kind() {
        for (kind, is_over, lasts) in [
            (ErrorKind::Unavailable, false, false),
            (ErrorKind::Invalid, false, false),
            (ErrorKind::Unavailable, true, true),
            (ErrorKind::Corrupt, false, true),
            (ErrorKind::Bug, false, true),
        ] {
            let failure = StageFailure::of(anyhow!("x"), kind, is_over);
            assert_eq!(matches!(failure, StageFailure::Lasting(_)), lasts, "{kind:?}");
        }
        assert!(matches!(
            StageFailure::of_store(superroot_store::StoreError::Dead),
            StageFailure::Lasting(_)
        ));
    }

    /// A stage that halts is stepped again when it is woken, and ends with the service.
    #[tokio::test(start_paused = true)]
    async fn a_stage_that_halts_waits_until_it_is_woken() {
        struct Sleeper(u32, CancellationToken);
        impl RunnerStage for Sleeper {
            fn name(&self) -> StageName {
                StageName::Chain
            }
            async fn step(&mut self, _: UnixSeconds) -> anyhow::Result<Next> {
                self.0 += 1;
                Ok(Next { pause: None, has_failed: true })
            }
            async fn woken(&mut self) {
                tokio::time::sleep(Duration::from_secs(3_600)).await;
                if self.0 == 3 {
                    self.1.cancel();
                    std::future::pending().await
                }
            }
        }
        let (shutdown, begun) = (CancellationToken::new(), Instant::now());
        run(Sleeper(0, shutdown.clone()), shutdown).await.unwrap();
        assert_eq!(begun.elapsed().as_secs(), 3 * 3_600);
    }

    #[test]
    fn pauses_double_and_end_at_the_longest() {
        let longest = Duration::from_secs(30);
        for failures in 1..60 {
            let full = (RETRY_MS << (failures - 1).min(20)).min(30_000);
            let pause = backoff(failures, longest).as_millis() as u64;
            assert!((full / 2..=full).contains(&pause), "{failures}: {pause} of {full}");
        }
        assert!(backoff(u32::MAX, Duration::ZERO).is_zero());
    }
}
