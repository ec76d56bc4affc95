//! Stream log: written as events happen, and delivered to listeners.

use std::time::Duration;

use superroot_store::StoreError;
use superroot_stream::{Hub, StreamError, StreamLogWriter};
use superroot_types::{ErrorKind, UnixSeconds};

use crate::stage::{BlockingStage, StageFailure, StageName};

/// Poll interval: the longest delay of an event, besides reading time.
const POLL_INTERVAL: Duration = Duration::from_millis(25);

pub(crate) struct Streams {
    writer: StreamLogWriter,
    hub: Hub,
}

impl Streams {
    pub(crate) const fn new(writer: StreamLogWriter, hub: Hub) -> Self {
        Self { writer, hub }
    }
}

impl BlockingStage for Streams {
    fn name(&self) -> StageName {
        StageName::Streams
    }

    fn step(&mut self, now: UnixSeconds) -> Result<Duration, StageFailure> {
        let written = self.writer.step(now).map_err(failure)?;
        let taken = self.hub.take().map_err(failure)?;
        metrics::gauge!("superroot_stream_listeners").set(self.hub.listener_count() as f64);
        metrics::counter!("superroot_stream_rows_total").increment(written as u64);
        Ok(if written + taken > 0 { Duration::ZERO } else { POLL_INTERVAL })
    }
}

/// An unreadable block affects one chain until a repair; the streams wait.
fn failure(error: StreamError) -> StageFailure {
    let is_over = matches!(error, StreamError::Store(StoreError::Dead));
    StageFailure::of(error, ErrorKind::Unavailable, is_over)
}
