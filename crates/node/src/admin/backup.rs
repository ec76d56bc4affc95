//! Backup command for a running service.

use std::ops::ControlFlow;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use super::journal::StartedAction;
use super::{ActionJournal, ActionOutcome, ProgressEvent};
use crate::backup::{Original, copy};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackupRequest {
    /// Absolute path for the copy.
    pub(crate) to: PathBuf,
    pub(crate) with_key: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
}

/// Copies, reports progress and journals the result. Ends when the listener is gone.
pub(super) fn run(
    original: &Original,
    (journal, begun): (&ActionJournal, &StartedAction),
    asked: &BackupRequest,
    events: &mpsc::Sender<ProgressEvent>,
) {
    let mut tell = |event: ProgressEvent| {
        let is_last = matches!(event, ProgressEvent::Copied { .. });
        if is_last {
            let _ = events.blocking_send(event);
        } else {
            let _ = events.try_send(event); // what a slow reader misses is told again
        }
        if events.is_closed() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let copied = copy(original, &asked.to, asked.with_key, &mut tell);
    let (outcome, last) = match copied {
        Ok(()) => (ActionOutcome::Done, ProgressEvent::End),
        Err(error) => {
            let outcome =
                if events.is_closed() { ActionOutcome::Stopped } else { ActionOutcome::Failed };
            (outcome, ProgressEvent::Failed { why: format!("{error:#}") })
        }
    };
    let why = if let ProgressEvent::Failed { why } = &last { Some(why.as_str()) } else { None };
    journal.end(begun, outcome, why);
    let _ = events.blocking_send(last);
}
