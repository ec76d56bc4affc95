//! The log of streams: written as things happen, and handed out to whoever listens.

use std::time::Duration;

use superroot_store::StoreError;
use superroot_stream::{Hub, StreamError, Writer};
use superroot_types::{ErrorKind, UnixSeconds};

use crate::stage::{Failure, StageName, Work};

/// Time between looks for something new: what an event is late by, at most, beside its reading.
const POLL_INTERVAL: Duration = Duration::from_millis(25);

/// Writes and hands out.
pub(crate) struct Streams {
    writer: Writer,
    hub: Hub,
}

impl Streams {
    pub(crate) const fn new(writer: Writer, hub: Hub) -> Self {
        Self { writer, hub }
    }
}

impl Work for Streams {
    fn name(&self) -> StageName {
        StageName::Streams
    }

    fn step(&mut self, now: UnixSeconds) -> Result<Duration, Failure> {
        let written = self.writer.step(now).map_err(failure)?;
        let taken = self.hub.take().map_err(failure)?;
        metrics::gauge!("superroot_stream_listeners").set(self.hub.listener_count() as f64);
        metrics::counter!("superroot_stream_rows_total").increment(written as u64);
        Ok(if written + taken > 0 { Duration::ZERO } else { POLL_INTERVAL })
    }
}

/// What cannot be read is a matter of one chain, which a repair mends; the streams wait for it.
fn failure(error: StreamError) -> Failure {
    let is_over = matches!(error, StreamError::Store(StoreError::Dead));
    Failure::of(error, ErrorKind::Unavailable, is_over)
}
