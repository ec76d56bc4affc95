//! Times for which a node is left alone.

use std::time::Duration;

use tokio::time::Instant;

/// A time for which a node is left alone; it doubles each time until things go well again.
#[derive(Debug, Default)]
pub(super) struct Pause {
    pub(super) until: Option<Instant>,
    pub(super) times: u32,
    length: Duration,
}

impl Pause {
    pub(super) fn is_on(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| now < until)
    }

    pub(super) fn begin(&mut self, now: Instant, first_ms: u64, most_ms: u64) {
        let doubled = first_ms.saturating_mul(1_u64.checked_shl(self.times).unwrap_or(u64::MAX));
        self.length = Duration::from_millis(doubled.min(most_ms));
        self.until = Some(now + self.length);
        self.times = (self.times + 1).min(40);
    }

    /// Things go well: for each time as long as the last pause, the next one is half as long.
    pub(super) fn mend(&mut self, now: Instant) {
        while self.times > 0
            && let Some(mended) = self.until.and_then(|until| until.checked_add(self.length))
            && mended <= now
        {
            self.times -= 1;
            self.length /= 2;
            self.until = Some(mended);
        }
    }

    /// It lasts no longer than that, from when it began.
    pub(super) fn shorten(&mut self, most: Duration) {
        if self.length > most {
            self.until = self.until.and_then(|until| until.checked_sub(self.length - most));
            self.length = most;
        }
    }

    pub(super) fn begin_for(&mut self, now: Instant, pause_ms: u64) {
        let until = now + Duration::from_millis(pause_ms);
        self.until = Some(self.until.map_or(until, |before| before.max(until)));
    }
}
