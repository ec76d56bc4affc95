//! Guard before the next SuperRoot: permission to publish, and its status.
//!
//! A folder publishes only if its marks confirm it as the newest copy, its log key is available, and no published
//! SuperRoot still has to be repeated.

use std::path::PathBuf;
use std::sync::Arc;

use superroot_accumulate::{AccumulateError, Accumulator};
use superroot_api::{Publishing, StatusBoard};
use superroot_store::StoreError;
use superroot_types::{Hash, LogSize};

use crate::marks::{CosignRefusal, GuardVerdict, GuardedLog, MarkNote, Marks, evidence};
use crate::stage::StageFailure;

/// 1 while publishing is on hold.
const HELD: &str = "superroot_node_publishing_held";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PublishObstacle {
    Free,
    /// Unknown until peers answer.
    Asking,
    Barred,
}

pub(crate) struct PublishGuard {
    marks: Marks,
    data: PathBuf,
    status: Arc<StatusBoard>,
    /// Why the log key is unavailable.
    keyless: Option<String>,
    /// Disk full when the newest SuperRoot was due.
    is_full: bool,
}

impl GuardedLog for Accumulator {
    fn size(&self) -> u64 {
        self.newest().map_or(0, |newest| newest.super_root.sequence.0 + 1)
    }

    fn root_at(&self, size: u64) -> anyhow::Result<Option<Hash>> {
        Ok(self.history_root(LogSize(size))?)
    }
}

impl PublishGuard {
    pub(crate) fn new(
        marks: Marks,
        data: PathBuf,
        status: Arc<StatusBoard>,
        keyless: Option<String>,
    ) -> Self {
        metrics::gauge!(HELD).set(0.0);
        Self { marks, data, status, keyless, is_full: false }
    }

    /// Checks for obstacles and reports them. File marks left behind by a crash are first updated to the committed
    /// size, because every SuperRoot must be marked before publication.
    pub(crate) fn look(&mut self, log: &Accumulator) -> Result<PublishObstacle, StageFailure> {
        if let Some(detail) = self.keyless.clone() {
            let why = "the log's key is not here".to_owned();
            self.tell(Publishing::Held { why, detail });
            return Ok(PublishObstacle::Barred);
        }
        let verdict = self.marks.judge(log).map_err(StageFailure::Lasting)?;
        let publishing = match verdict {
            GuardVerdict::Level => match self.mark(log) {
                Ok(()) => Publishing::On,
                Err(error) => unwritten(&error),
            },
            GuardVerdict::Unknown { is_asked: false, .. } => return Ok(PublishObstacle::Asking),
            GuardVerdict::Unknown { why, .. } => unknown(&why, log),
            GuardVerdict::Behind { place, size } => self.behind(&place, size, log),
            GuardVerdict::Refused { witness, refusal } => self.refused(&witness, refusal, log),
            GuardVerdict::Forked { place, theirs } => {
                self.forked(&place, &theirs, log).map_err(StageFailure::Lasting)?
            }
        };
        let way = if publishing == Publishing::On {
            PublishObstacle::Free
        } else {
            PublishObstacle::Barred
        };
        // whether there is room again shows when it is written
        if !(self.is_full && way == PublishObstacle::Free) {
            self.tell(publishing);
        }
        Ok(way)
    }

    /// Writes the newest committed note into the file marks. After an error the SuperRoot must not be shown.
    pub(crate) fn mark(&self, log: &Accumulator) -> anyhow::Result<()> {
        match log.note(LogSize(log.size()))? {
            Some(note) => self.marks.write(&note),
            None => Ok(()), // nothing is published yet; a log without a signer has no marks
        }
    }

    /// Like [`Self::mark`], but reports a failure.
    pub(crate) fn mark_new(&self, log: &Accumulator) -> bool {
        let marked = self.mark(log);
        if let Err(error) = &marked {
            self.tell(unwritten(error));
        }
        marked.is_ok()
    }

    pub(crate) fn wrote(&mut self) {
        if std::mem::take(&mut self.is_full) {
            self.tell(Publishing::On);
        }
    }

    pub(crate) fn is_barred(&self) -> bool {
        use superroot_api::StatusReader;
        matches!(self.status.publishing(), Publishing::Held { .. } | Publishing::Forked { .. })
    }

    pub(crate) fn repeating(&self, sequence: u64, goal: u64, why: &str) {
        let why = format!("SuperRoot {sequence} of {goal} comes out again: {why}");
        self.tell(Publishing::Repeating { why });
    }

    /// Stores and reports evidence if a SuperRoot was not reproduced. Any other failure is a stage failure.
    pub(crate) fn failed(&mut self, error: AccumulateError) -> Result<(), StageFailure> {
        let AccumulateError::Differs { sequence, hash, ref what } = error else {
            if let AccumulateError::Store(full @ StoreError::Full { .. }) = &error {
                if !std::mem::replace(&mut self.is_full, true) {
                    let detail = "It goes on when there is room".to_owned();
                    self.tell(Publishing::Held { why: full.to_string(), detail });
                }
                return Ok(());
            }
            return Err(StageFailure::Lasting(error.into()));
        };
        let shown = serde_json::json!({
            "evidence": "not_repeated", "sequence": sequence, "super_root_hash": hash, "what": what,
        });
        let kept = evidence::keep(&self.data, &format!("not-repeated-{sequence}"), &shown);
        let file = kept.map_err(StageFailure::Lasting)?;
        let detail = format!("Kept in {}", file.display());
        self.tell(Publishing::Held { why: error.to_string(), detail });
        Ok(())
    }

    fn behind(&self, place: &str, size: u64, log: &Accumulator) -> Publishing {
        let why = format!(
            "this folder is an older copy of its log: it has {} SuperRoots, a mark shows {size}",
            log.size()
        );
        let detail = format!(
            "The mark is {place}. Stop the service and run `superroot restore --data {} --from URL|DIR` \
             with a service or folder that has them, or begin a new log under another origin",
            self.data.display()
        );
        Publishing::Held { why, detail }
    }

    fn refused(&self, witness: &str, refusal: CosignRefusal, log: &Accumulator) -> Publishing {
        let why = match refusal {
            CosignRefusal::Ahead { held } => format!(
                "this folder is an older copy of its log: it has {} SuperRoots, the witness {witness} \
                 holds {held}",
                log.size()
            ),
            CosignRefusal::Fork { size } => format!(
                "this folder is an older copy of its log, or another service has its key: the witness \
                 {witness} holds another root of size {size}"
            ),
        };
        let detail = format!(
            "Stop the service and run `superroot restore --data {} --from URL|DIR` with a service or folder \
             that has what the witness holds, or begin a new log under another origin. If the witness is \
             wrong, take `witnesses` out of log.mark",
            self.data.display()
        );
        Publishing::Held { why, detail }
    }

    fn forked(
        &self,
        place: &str,
        theirs: &MarkNote,
        log: &Accumulator,
    ) -> anyhow::Result<Publishing> {
        let MarkNote { note, size, .. } = theirs;
        let why = format!(
            "the log has forked: a mark shows another root of size {size} than this folder, signed by the \
             same key"
        );
        let mut detail = format!(
            "The mark is {place}. Nothing is published under this origin any more: begin a new log"
        );
        if let Some(ours) = log.note(LogSize(*size))?
            && let Some(key) = log.board().keys().iter().find(|key| note.verify(key).is_ok())
        {
            let notes = evidence::two_notes(key, [&ours, note]);
            let file = evidence::keep(&self.data, &format!("fork-{size}"), &notes)?;
            detail.push_str(&format!(". Both notes: {}", file.display()));
        }
        Ok(Publishing::Forked { why, detail })
    }

    fn tell(&self, publishing: Publishing) {
        use superroot_api::StatusReader;
        if self.status.publishing() == publishing {
            return;
        }
        let held = matches!(publishing, Publishing::Held { .. } | Publishing::Forked { .. });
        metrics::gauge!(HELD).set(f64::from(u8::from(held)));
        let full = publishing.in_full().unwrap_or_default();
        match &publishing {
            Publishing::On => tracing::info!("publishing goes on"),
            Publishing::Repeating { .. } => tracing::info!("repeating: {full}"),
            Publishing::Held { .. } => tracing::error!("nothing is published: {full}"),
            Publishing::Forked { .. } => tracing::error!("{full}"),
        }
        self.status.set_publishing(publishing);
    }
}

/// No mark confirms the folder as the newest copy.
fn unknown(places: &str, log: &Accumulator) -> Publishing {
    let why = "no mark says whether this folder is the newest of its log".to_owned();
    let mut detail = format!("{places}. It goes on by itself once one does");
    if log.size() > 0 {
        detail.push_str(
            ". If you are sure that nothing newer was ever published, write the mark: \
             curl -s URL/v5/checkpoint > FILE",
        );
    }
    Publishing::Held { why, detail }
}

/// A mark did not accept the newest note.
fn unwritten(error: &anyhow::Error) -> Publishing {
    let why = "a mark does not take the log's newest note".to_owned();
    Publishing::Held { why, detail: format!("{error:#}. It goes on by itself once it does") }
}
