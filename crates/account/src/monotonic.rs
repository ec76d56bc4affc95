//! Monotonic time: durations independent of the wall clock.

use core::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Milliseconds since some moment; never falls.
pub trait Stopwatch: Send + Sync {
    fn elapsed_ms(&self) -> u64;
}

/// The machine's monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemStopwatch(Instant);

impl Default for SystemStopwatch {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Stopwatch for SystemStopwatch {
    fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// Stopwatch moved by a test.
#[derive(Debug, Default)]
pub struct ManualStopwatch(AtomicU64);

impl ManualStopwatch {
    pub fn advance_ms(&self, milliseconds: u64) {
        self.0.fetch_add(milliseconds, Ordering::SeqCst);
    }
}

impl Stopwatch for ManualStopwatch {
    fn elapsed_ms(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopwatch_never_runs_back() {
        let system = SystemStopwatch::default();
        let first = system.elapsed_ms();
        assert!(system.elapsed_ms() >= first);
        let manual = ManualStopwatch::default();
        manual.advance_ms(250);
        assert_eq!(manual.elapsed_ms(), 250);
    }
}
