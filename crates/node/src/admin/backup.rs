//! The order to copy the folder of a running service.

use std::ops::ControlFlow;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use super::journal::Begun;
use super::{Event, Journal, Outcome};
use crate::backup::{Original, copy};

/// The body of a request for a copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackupRequest {
    /// Folder of the copy, an absolute path.
    pub(crate) to: PathBuf,
    /// Whether the log's key goes with it.
    pub(crate) with_key: bool,
    /// Why it is done, for the journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
}

/// Copies it, tells how it goes, and notes how it ended; ends when nobody listens any more.
pub(super) fn run(
    original: &Original,
    (journal, begun): (&Journal, &Begun),
    asked: &BackupRequest,
    events: &mpsc::Sender<Event>,
) {
    let mut tell = |event: Event| {
        let is_last = matches!(event, Event::Copied { .. });
        if is_last {
            let _ = events.blocking_send(event);
        } else {
            let _ = events.try_send(event); // what a slow reader misses is told again
        }
        if events.is_closed() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let copied = copy(original, &asked.to, asked.with_key, &mut tell);
    let (outcome, last) = match copied {
        Ok(()) => (Outcome::Done, Event::End),
        Err(error) => {
            let outcome = if events.is_closed() { Outcome::Stopped } else { Outcome::Failed };
            (outcome, Event::Failed { why: format!("{error:#}") })
        }
    };
    let why = if let Event::Failed { why } = &last { Some(why.as_str()) } else { None };
    journal.end(begun, outcome, why);
    let _ = events.blocking_send(last);
}
