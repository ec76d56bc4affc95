//! Where an audit stands, as text: all that it needs to go on, and small.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use superroot_proof::consistency::Replay;
use superroot_proof::note::VerifierKey;
use superroot_proof::range::Peaks;
use superroot_types::Hash;
use superroot_wire::superroot::{BlobAnswer, parse_blob, render_blob};
use superroot_wire::{Case, parse_json};

use super::notes::Notes;
use super::{Audit, AuditError};

/// The form of the file.
const FORM: u8 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    audit: u8,
    origin: String,
    key: Option<String>,
    /// The first SuperRoot that was replayed.
    from: u64,
    signed: u64,
    twigs: u64,
    note: Option<String>,
    /// Of the last SuperRoots that were replayed.
    #[serde(default)]
    notes: Vec<String>,
    /// Of shorter logs, not compared yet.
    #[serde(default)]
    waiting: Vec<String>,
    /// Entries before the last SuperRoot's own.
    history: Range,
    /// By family.
    mini_mmrs: Vec<Range>,
    /// The last SuperRoot's blob, without its twigs.
    last: Value,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Range {
    leaf_count: u64,
    peaks: Vec<Hash>,
}

impl From<&Peaks> for Range {
    fn from(peaks: &Peaks) -> Self {
        Self { leaf_count: peaks.count(), peaks: peaks.hashes().collect() }
    }
}

fn wrong(why: impl ToString) -> AuditError {
    AuditError::State { why: why.to_string() }
}

fn read(range: &Range) -> Result<Peaks, AuditError> {
    let peaks = Peaks::of_hashes(range.leaf_count, &range.peaks);
    peaks.ok_or_else(|| wrong("peaks that no range of that many leaves has"))
}

impl Audit {
    /// Where it stands; `None` before the first SuperRoot.
    #[must_use]
    pub fn to_state(&self) -> Option<String> {
        let blob = self.replay.last()?.clone();
        let last = BlobAnswer { blob, appended_count: 0, appended: None };
        let state = State {
            audit: FORM,
            origin: self.origin.clone(),
            key: self.key.as_ref().map(ToString::to_string),
            from: self.from,
            signed: self.signed,
            twigs: self.twigs,
            note: self.last_note.clone(),
            notes: self.notes.all_replayed(),
            waiting: self.notes.all_waiting().into_iter().map(|(_, note)| note).collect(),
            history: self.replay.history().into(),
            mini_mmrs: self.replay.mini_mmrs().iter().map(Range::from).collect(),
            last: render_blob(&last, Case::Snake),
        };
        serde_json::to_string(&state).ok()
    }

    /// Goes on where an audit of that log and key stood, which began with SuperRoot `from`.
    ///
    /// # Errors
    /// [`AuditError::State`] where the text is none, of another audit, or does not hold together.
    pub fn resume(
        text: &str,
        (origin, key): (&str, Option<VerifierKey>),
        from: u64,
    ) -> Result<Self, AuditError> {
        let value = parse_json(text.as_bytes()).map_err(wrong)?;
        let state: State = serde_json::from_value(value).map_err(wrong)?;
        let same_key = state.key == key.as_ref().map(ToString::to_string);
        if state.audit != FORM || state.origin != origin || !same_key {
            return Err(wrong("it is of another log, key or version: name another file"));
        }
        if state.from != from {
            let began = state.from;
            let why = format!("its audit began with SuperRoot {began}: say --from {began}");
            return Err(wrong(why + ", or name another file"));
        }
        let (last, _) = parse_blob(&state.last).map_err(wrong)?;
        let mini_mmrs = state.mini_mmrs.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let mini_mmrs = mini_mmrs.try_into().map_err(|_| wrong("it has not 9 Mini-MMRs"))?;
        let replay = Replay::resume(last.blob, mini_mmrs, read(&state.history)?).map_err(wrong)?;
        if replay.size() < from {
            return Err(wrong("it stands before the SuperRoot that it began with"));
        }
        let State { origin, signed, twigs, note: last_note, notes, waiting, .. } = state;
        let read = |key: &VerifierKey| Notes::read(&notes, &waiting, key);
        let notes = key.as_ref().map(read).unwrap_or_default();
        Ok(Self { origin, key, replay, from, signed, twigs, last_note, notes })
    }
}
