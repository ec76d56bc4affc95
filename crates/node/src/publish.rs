//! The loop that publishes: the first SuperRoot at once, then on a steady beat, none when nothing
//! changed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Context;
use superroot_accumulate::{Accumulator, Progress};
use superroot_types::{Clock, SystemClock};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Longest wait for chains that catch up, before the first SuperRoot.
const FIRST_ROOT_WAIT: Duration = Duration::from_secs(60);
/// Time between looks for the first final block.
pub(crate) const FIRST_ROOT_POLL: Duration = Duration::from_millis(50);

/// How many chains still take blocks that were final when the service began.
#[derive(Clone, Debug, Default)]
pub(crate) struct Behind(Arc<AtomicUsize>);

/// One chain of them; counted until it is dropped.
#[derive(Debug)]
pub(crate) struct BehindOne(Arc<AtomicUsize>);

impl Behind {
    /// Counts one more chain.
    pub(crate) fn one(&self) -> BehindOne {
        self.0.fetch_add(1, Ordering::SeqCst);
        BehindOne(self.0.clone())
    }

    fn is_none(&self) -> bool {
        self.0.load(Ordering::SeqCst) == 0
    }
}

impl Drop for BehindOne {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// What the loop goes by.
pub(crate) struct Publisher {
    pub(crate) beat: Duration,
    pub(crate) behind: Behind,
    /// Set when everything that was final at the start is anchored.
    pub(crate) ready: Arc<AtomicBool>,
    pub(crate) shutdown: CancellationToken,
}

impl Publisher {
    pub(crate) async fn run(self, mut accumulator: Accumulator) -> anyhow::Result<()> {
        let begun = Instant::now();
        loop {
            let caught_up = self.behind.is_none();
            let is_first = accumulator.board().latest().is_none();
            if caught_up || !is_first || begun.elapsed() > FIRST_ROOT_WAIT {
                accumulator = step(accumulator).await?;
            }
            let stands = accumulator.board().latest().is_some();
            if caught_up && stands {
                self.ready.store(true, Ordering::SeqCst);
            }
            let pause = if caught_up && stands { self.beat } else { FIRST_ROOT_POLL };
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = self.shutdown.cancelled() => return Ok(()),
            }
        }
    }
}

async fn step(mut accumulator: Accumulator) -> anyhow::Result<Accumulator> {
    let now = SystemClock.now();
    let step = tokio::task::spawn_blocking(move || {
        let progress = accumulator.step(now);
        (accumulator, progress)
    });
    let (accumulator, progress) = step.await.context("the accumulator panicked")?;
    if let Progress::Advanced { sequence, hash, sealed_twigs } =
        progress.context("the accumulator stopped")?
    {
        tracing::info!(
            superroot.sequence = sequence,
            "SuperRoot {sequence} is {hash}, {sealed_twigs} twigs sealed"
        );
    }
    Ok(accumulator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_counts_until_its_token_goes() {
        let behind = Behind::default();
        assert!(behind.is_none());
        let (one, other) = (behind.one(), behind.one());
        drop(one);
        assert!(!behind.is_none());
        drop(other);
        assert!(behind.is_none());
    }
}
