use alloc::format;
use alloc::string::String;
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

const DAY: u64 = 86_400;

impl UnixSeconds {
    /// ISO 8601 text in UTC, `2026-02-01T00:00:00Z`; after the year 9999, the last second of 9999.
    #[must_use]
    pub fn iso_8601(self) -> String {
        let seconds = self.0.min(253_402_300_799);
        let (year, month, day) = civil(seconds / DAY);
        let hour = seconds / 3_600 % 24;
        let minute = seconds / 60 % 60;
        let second = seconds % 60;
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }

    /// Day in UTC, `2026-02-01`.
    #[must_use]
    pub fn day(self) -> String {
        let (year, month, day) = civil(self.0.min(253_402_300_799) / DAY);
        format!("{year:04}-{month:02}-{day:02}")
    }
}

/// Year, month and day from days since 1970-01-01. Years start in March, so a leap day ends a year. Source: Howard
/// Hinnant, "chrono-compatible low-level date algorithms".
const fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468; // from 0000-03-01
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

/// Duration of `seconds` in the two largest units: `59 s`, `1 min 1 s`, `3 h 0 min`, `1 d 1 h`.
#[must_use]
pub fn duration_text(seconds: u64) -> String {
    let days = seconds / DAY;
    let hours = seconds / 3_600 % 24;
    let minutes = seconds / 60 % 60;
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min {} s", seconds % 60),
        (0, ..) => format!("{hours} h {minutes} min"),
        _ => format!("{days} d {hours} h"),
    }
}

/// Source of time, injected so that tests choose it. Stages and handlers never read the system clock.
pub trait Clock: Send + Sync {
    /// Current time in whole seconds.
    fn now(&self) -> UnixSeconds;

    /// Milliseconds since 1970-01-01 UTC. A clock with only whole seconds does not move between seconds.
    fn now_ms(&self) -> u64 {
        self.now().0.saturating_mul(MILLISECONDS)
    }
}

const MILLISECONDS: u64 = 1_000;

/// System clock.
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

#[cfg(feature = "std")]
impl SystemClock {
    /// Time since 1970; zero for a system clock set before 1970.
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

/// Clock for tests, in milliseconds: moves only when set.
#[derive(Debug, Default)]
pub struct ManualClock(AtomicU64);

impl ManualClock {
    /// Creates a clock set to `now`.
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
    fn times_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_438_269_973, "2015-07-30T15:26:13Z"),
            (1_798_761_599, "2026-12-31T23:59:59Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
            (u64::MAX, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(UnixSeconds(seconds).iso_8601(), text);
            assert_eq!(UnixSeconds(seconds).day(), text[..10]);
        }
    }

    #[test]
    fn durations_are_read_at_one_glance() {
        for (seconds, text) in [
            (0, "0 s"),
            (59, "59 s"),
            (61, "1 min 1 s"),
            (3_600, "1 h 0 min"),
            (90_000, "1 d 1 h"),
            (u64::MAX, "213503982334601 d 7 h"),
        ] {
            assert_eq!(duration_text(seconds), text);
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
