use std::sync::{Arc, Mutex, PoisonError};

use superroot_types::Clock;

const NANOSECONDS_PER_MS: u64 = 1_000_000;

/// Monotonic wall clock: after the clock is set back, time continues from the last reading.
pub(super) struct Ticks {
    clock: Arc<dyn Clock>,
    last: Mutex<TickReading>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct TickReading {
    /// Wall clock, in milliseconds since 1970.
    pub(super) wall_ms: u64,
    /// Nanoseconds since the creation of the ticks.
    pub(super) ticks_ns: u64,
}

impl Ticks {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        let last = Mutex::new(TickReading { wall_ms: clock.now_ms(), ticks_ns: 0 });
        Self { clock, last }
    }

    pub(super) fn now(&self) -> TickReading {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let wall_ms = self.clock.now_ms(); // read under the lock: readings are in order
        let passed_ns = wall_ms.saturating_sub(last.wall_ms).saturating_mul(NANOSECONDS_PER_MS);
        *last = TickReading { wall_ms, ticks_ns: last.ticks_ns.saturating_add(passed_ns) };
        *last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use superroot_types::{ManualClock, UnixSeconds};

    #[test]
    fn a_clock_set_back_never_takes_time_away_and_goes_on_from_there() {
        let clock = Arc::new(ManualClock::at(UnixSeconds(1_000)));
        let ticks = Ticks::new(clock.clone());
        clock.advance_ms(1_500);
        assert_eq!(ticks.now().ticks_ns, 1_500_000_000);
        clock.set(UnixSeconds(10));
        assert_eq!((ticks.now().ticks_ns, ticks.now().wall_ms), (1_500_000_000, 10_000));
        clock.advance_ms(1);
        assert_eq!(ticks.now().ticks_ns, 1_501_000_000);
    }

    #[test]
    fn a_clock_at_the_end_of_time_stands_still() {
        let clock = Arc::new(ManualClock::at(UnixSeconds(0)));
        let ticks = Ticks::new(clock.clone());
        clock.set(UnixSeconds(u64::MAX));
        assert_eq!((ticks.now().ticks_ns, ticks.now().ticks_ns), (u64::MAX, u64::MAX));
    }
}
