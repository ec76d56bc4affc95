//! The order to copy the folder of a running service.

use std::ops::ControlFlow;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use super::Event;
use crate::backup::{Original, copy};

/// The body of a request for a copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackupRequest {
    /// Folder of the copy, an absolute path.
    pub(crate) to: PathBuf,
    /// Whether the log's key goes with it.
    pub(crate) with_key: bool,
}

/// Copies it, and tells how it goes; ends when nobody listens any more.
pub(super) fn run(original: &Original, asked: &BackupRequest, events: &mpsc::Sender<Event>) {
    let mut tell = |event: Event| {
        let is_last = matches!(event, Event::Copied { .. });
        if is_last {
            let _ = events.blocking_send(event);
        } else {
            let _ = events.try_send(event); // what a slow reader misses is told again
        }
        if events.is_closed() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let last = match copy(original, &asked.to, asked.with_key, &mut tell) {
        Ok(()) => Event::End,
        Err(error) => Event::Failed { why: format!("{error:#}") },
    };
    let _ = events.blocking_send(last);
}
