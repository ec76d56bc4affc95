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

    /// Now, in milliseconds since 1970-01-01 UTC. A clock that knows only seconds stands still
    /// between them.
    fn now_ms(&self) -> u64 {
        self.now().0.saturating_mul(MILLISECONDS)
    }
}

/// Milliseconds of a second.
const MILLISECONDS: u64 = 1_000;

/// The machine's clock.
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

#[cfg(feature = "std")]
impl SystemClock {
    /// Time since 1970; a machine set before that is taken to stand at it.
    fn since_1970() -> core::time::Duration {
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default()
    }
}

#[cfg(feature = "std")]
impl Clock for SystemClock {
    fn now(&self) -> UnixSeconds {
        UnixSeconds(Self::since_1970().as_secs())
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(Self::since_1970().as_millis()).unwrap_or(u64::MAX)
    }
}

/// A clock that stands where it was set, in milliseconds: for tests.
#[derive(Debug, Default)]
pub struct ManualClock(AtomicU64);

impl ManualClock {
    /// A clock that says `now`.
    #[must_use]
    pub const fn at(now: UnixSeconds) -> Self {
        Self(AtomicU64::new(now.0.saturating_mul(MILLISECONDS)))
    }

    /// Moves the clock to `now`, forward or back.
    pub fn set(&self, now: UnixSeconds) {
        self.0.store(now.0.saturating_mul(MILLISECONDS), Ordering::SeqCst);
    }

    /// Moves the clock forward.
    pub fn advance(&self, seconds: u64) {
        self.advance_ms(seconds.saturating_mul(MILLISECONDS));
    }

    /// Moves the clock forward by milliseconds.
    pub fn advance_ms(&self, milliseconds: u64) {
        self.0.fetch_add(milliseconds, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> UnixSeconds {
        UnixSeconds(self.now_ms() / MILLISECONDS)
    }

    fn now_ms(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Knows only seconds.
    struct Seconds;

    impl Clock for Seconds {
        fn now(&self) -> UnixSeconds {
            UnixSeconds(7)
        }
    }

    #[test]
    fn milliseconds_and_seconds_are_one_time() {
        let clock = ManualClock::at(UnixSeconds(100));
        clock.advance_ms(1_999);
        assert_eq!((clock.now(), clock.now_ms()), (UnixSeconds(101), 101_999));
        clock.set(UnixSeconds(9));
        clock.advance(1);
        assert_eq!((clock.now(), clock.now_ms()), (UnixSeconds(10), 10_000));
        assert_eq!(Seconds.now_ms(), 7_000);
        assert_eq!(ManualClock::at(UnixSeconds(u64::MAX)).now_ms(), u64::MAX);
    }
}
