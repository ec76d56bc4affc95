//! Decides whether work is short enough to run inline on the answering thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::Semaphore;

/// Longest average time for inline work: a delay that other requests on the thread do not notice. Waking another thread
/// costs more than most proofs.
const BRIEF: Duration = Duration::from_millis(1);
/// Upper bound per piece of work in the average.
const LONGEST: Duration = Duration::from_millis(64);
/// The average's approximate window, in pieces of work.
const OVER: u64 = 16;

/// Recent average time for one kind of work: its data may be in memory or on disk.
pub(crate) struct WorkPace(AtomicU64);

impl Default for WorkPace {
    /// Starts as long: work must first prove short.
    fn default() -> Self {
        Self(AtomicU64::new(nanoseconds(BRIEF * 2)))
    }
}

impl WorkPace {
    pub(crate) fn is_brief(&self) -> bool {
        self.0.load(Ordering::Relaxed) <= nanoseconds(BRIEF)
    }

    /// Runs and times the work. Failures are not counted: they may stop before the real work.
    pub(crate) fn time<T, E>(&self, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let began = Instant::now();
        let done = work()?;
        self.took(began.elapsed());
        Ok(done)
    }

    /// Adds a time; concurrent updates may lose one.
    fn took(&self, time: Duration) {
        let before = self.0.load(Ordering::Relaxed);
        let time = nanoseconds(time.min(LONGEST));
        self.0.store(before - before / OVER + time / OVER, Ordering::Relaxed);
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Duration by kind of inline work, and its permits.
pub(crate) struct Paces {
    pub(crate) blocks: Arc<WorkPace>,
    pub(crate) entries: Arc<WorkPace>,
    /// Proofs with finality evidence: long if steps are made or checked.
    pub(crate) evidence: Arc<WorkPace>,
    pub(super) pages: Arc<WorkPace>,
    pub(crate) prices: Arc<WorkPace>,
    /// Permits for inline work: with more than two runtime threads, one stays free to answer others.
    pub(crate) room: Semaphore,
}

impl Default for Paces {
    fn default() -> Self {
        let threads = answering_threads();
        let room = Semaphore::new(if threads > 2 { threads - 1 } else { threads });
        let (blocks, entries, evidence, pages, prices) = Default::default();
        Self { blocks, entries, evidence, pages, prices, room }
    }
}

/// Runtime threads, one per processor.
pub(super) fn answering_threads() -> usize {
    Handle::try_current().map_or(1, |runtime| runtime.metrics().num_workers())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_brief_once_it_has_shown_so_and_until_it_is_long() {
        let pace = WorkPace::default();
        assert!(!pace.is_brief());
        let until = |is_brief, time| {
            let count = (1..1_000).find(|_| {
                pace.took(time);
                pace.is_brief() == is_brief
            });
            count.unwrap()
        };
        let [short, long, stalled] = [50, 10_000, 3_600_000_000].map(Duration::from_micros);
        assert!(until(true, short) < 16);
        let settle = |time| (0..1_000).for_each(|_| pace.took(time));
        settle(short);
        assert_eq!(until(false, long), 2);
        settle(short);
        // work that stood still is forgotten as soon as any that was long
        assert_eq!(until(false, stalled), 1);
        assert!(until(true, short) < 48);
        settle(BRIEF - Duration::from_micros(1));
        assert!(pace.is_brief());
    }
}
