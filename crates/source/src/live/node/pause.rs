//! Times for which a node is left alone.

use std::time::Duration;

use tokio::time::Instant;

/// A time for which a node is left alone; it doubles each time until things go well again.
#[derive(Debug)]
pub(super) struct Pause {
    first: Duration,
    most: Duration,
    pub(super) until: Option<Instant>,
    times: u32,
    length: Duration,
}

impl Pause {
    /// So long at first, and at most.
    pub(super) const fn new(first: Duration, most: Duration) -> Self {
        Self { first, most, until: None, times: 0, length: Duration::ZERO }
    }

    pub(super) fn is_on(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| now < until)
    }

    pub(super) fn begin(&mut self, now: Instant) {
        let doubled = self.first.saturating_mul(1_u32.checked_shl(self.times).unwrap_or(u32::MAX));
        self.length = doubled.min(self.most);
        self.until = Some(now + self.length);
        self.times = self.times.saturating_add(1);
    }

    /// It begins as at first, where things went well for as long as the last one took.
    pub(super) fn forgive(&mut self, now: Instant) {
        if self.until.is_some_and(|until| until + self.length <= now) {
            self.end();
        }
    }

    pub(super) const fn end(&mut self) {
        (self.until, self.times) = (None, 0);
    }

    /// It lasts no longer than that, from when it began.
    pub(super) fn shorten(&mut self, most: Duration) {
        if self.length > most {
            self.until = self.until.and_then(|until| until.checked_sub(self.length - most));
            self.length = most;
        }
    }

    /// It lasts so long as was asked for, and no shorter than before.
    pub(super) fn begin_for(&mut self, now: Instant, asked: Duration) {
        let until = now + asked.min(self.most);
        self.until = Some(self.until.map_or(until, |before| before.max(until)));
    }
}
