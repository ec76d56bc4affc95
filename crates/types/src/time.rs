//! Time as the rooms see it: injected, so that tests choose it.

use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};

/// Seconds since 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnixSeconds(pub u64);

impl fmt::Display for UnixSeconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Tells the time. Stages and handlers never read the machine's clock themselves.
pub trait Clock: Send + Sync {
    /// Now, in whole seconds.
    fn now(&self) -> UnixSeconds;
}

/// The machine's clock.
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

#[cfg(feature = "std")]
impl Clock for SystemClock {
    fn now(&self) -> UnixSeconds {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        UnixSeconds(since.map_or(0, |since| since.as_secs()))
    }
}

/// A clock that stands where it was set: for tests.
#[derive(Debug, Default)]
pub struct ManualClock(AtomicU64);

impl ManualClock {
    /// A clock that says `now`.
    #[must_use]
    pub const fn at(now: UnixSeconds) -> Self {
        Self(AtomicU64::new(now.0))
    }

    /// Moves the clock to `now`, forward or back.
    pub fn set(&self, now: UnixSeconds) {
        self.0.store(now.0, Ordering::SeqCst);
    }

    /// Moves the clock forward.
    pub fn advance(&self, seconds: u64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> UnixSeconds {
        UnixSeconds(self.0.load(Ordering::SeqCst))
    }
}
