//! Whether work is so short that the thread which answers does it itself.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What the work of a kind may take on the average, to be done where the request is answered: a wait that another
/// request there does not notice. To wake a thread for it costs more than most proofs do.
const BRIEF: Duration = Duration::from_millis(1);
/// The most that one piece of work counts as.
const LONGEST: Duration = Duration::from_millis(64);
/// Pieces of work over which the average goes, about.
const OVER: u64 = 16;

/// How long the work of one kind took of late: what it reads may be in memory, or have to be waited for.
pub(crate) struct Pace(AtomicU64);

impl Default for Pace {
    /// Of work that has to show first that it is short.
    fn default() -> Self {
        Self(AtomicU64::new(nanoseconds(BRIEF * 2)))
    }
}

impl Pace {
    /// Whether it has been short of late.
    pub(crate) fn is_brief(&self) -> bool {
        self.0.load(Ordering::Relaxed) <= nanoseconds(BRIEF)
    }

    /// Does it, and sees how long it takes. What fails says nothing: it may have stopped before the work begins.
    pub(crate) fn time<T, E>(&self, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let began = Instant::now();
        let done = work()?;
        self.took(began.elapsed());
        Ok(done)
    }

    /// Of two at the same moment one may be lost.
    fn took(&self, time: Duration) {
        let before = self.0.load(Ordering::Relaxed);
        let time = nanoseconds(time.min(LONGEST));
        self.0.store(before - before / OVER + time / OVER, Ordering::Relaxed);
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_brief_once_it_has_shown_so_and_until_it_is_long() {
        let pace = Pace::default();
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
