//! Pauses between requests to a node.

use std::time::Duration;

use tokio::time::Instant;

/// A node's pause; doubles each time until the node recovers.
#[derive(Debug)]
pub(super) struct Pause {
    first: Duration,
    most: Duration,
    pub(super) until: Option<Instant>,
    times: u32,
    length: Duration,
}

impl Pause {
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

    /// Resets the duration after trouble-free time as long as the last pause.
    pub(super) fn forgive(&mut self, now: Instant) {
        if self.until.is_some_and(|until| until + self.length <= now) {
            self.end();
        }
    }

    pub(super) const fn end(&mut self) {
        (self.until, self.times) = (None, 0);
    }

    /// Limits the current pause to `most`, counted from the start.
    pub(super) fn shorten(&mut self, most: Duration) {
        if self.length > most {
            self.until = self.until.and_then(|until| until.checked_sub(self.length - most));
            self.length = most;
        }
    }

    /// Begins a pause with the demanded duration, not shorter than the last.
    pub(super) fn begin_for(&mut self, now: Instant, asked: Duration) {
        let until = now + asked.min(self.most);
        self.until = Some(self.until.map_or(until, |before| before.max(until)));
    }
}
