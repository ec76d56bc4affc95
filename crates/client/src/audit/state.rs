//! Audit state as text: small, and enough to continue.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use superroot_proof::consistency::Replay;
use superroot_proof::note::VerifierKey;
use superroot_proof::range::Peaks;
use superroot_types::{Hash, LeafCount, LogSize};
use superroot_wire::superroot::{BlobAnswer, parse_blob, render_blob};
use superroot_wire::{Case, parse_json};

use super::notes::Notes;
use super::{Audit, AuditError};

/// File format version.
const FORM: u8 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AuditState {
    audit: u8,
    origin: String,
    key: Option<String>,
    /// First replayed SuperRoot.
    from: u64,
    signed: u64,
    twigs: u64,
    note: Option<String>,
    /// Notes for the last replayed SuperRoots.
    #[serde(default)]
    notes: Vec<String>,
    /// Notes from shorter logs, not compared yet.
    #[serde(default)]
    waiting: Vec<String>,
    /// Entries before the last SuperRoot's own.
    history: RangeState,
    /// By family.
    mini_mmrs: Vec<RangeState>,
    /// Last SuperRoot's blob, without twigs.
    last: Value,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RangeState {
    leaf_count: u64,
    peaks: Vec<Hash>,
}

impl From<&Peaks> for RangeState {
    fn from(peaks: &Peaks) -> Self {
        Self { leaf_count: peaks.count().0, peaks: peaks.hashes().collect() }
    }
}

fn wrong(why: impl ToString) -> AuditError {
    AuditError::State { why: why.to_string() }
}

fn read(range: &RangeState) -> Result<Peaks, AuditError> {
    let peaks = Peaks::of_hashes(LeafCount(range.leaf_count), &range.peaks);
    peaks.ok_or_else(|| wrong("peaks that no range of that many leaves has"))
}

impl Audit {
    /// Returns the state; `None` before the first SuperRoot.
    #[must_use]
    pub fn to_state(&self) -> Option<String> {
        let blob = self.replay.last()?.clone();
        let last = BlobAnswer { blob, appended_count: 0, appended: None };
        let state = AuditState {
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
            mini_mmrs: self.replay.mini_mmrs().iter().map(RangeState::from).collect(),
            last: render_blob(&last, Case::Snake),
        };
        serde_json::to_string(&state).ok()
    }

    /// Resumes an audit with the same log and key, begun with SuperRoot `from`.
    ///
    /// # Errors
    /// [`AuditError::State`] if the text is invalid, inconsistent, or from another audit.
    pub fn resume(
        text: &str,
        (origin, key): (&str, Option<VerifierKey>),
        from: u64,
    ) -> Result<Self, AuditError> {
        let value = parse_json(text.as_bytes()).map_err(wrong)?;
        let state: AuditState = serde_json::from_value(value).map_err(wrong)?;
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
        if replay.size() < LogSize(from) {
            return Err(wrong("it stands before the SuperRoot that it began with"));
        }
        let AuditState { origin, signed, twigs, note: last_note, notes, waiting, .. } = state;
        let read = |key: &VerifierKey| Notes::read(&notes, &waiting, key);
        let notes = key.as_ref().map(read).unwrap_or_default();
        Ok(Self { origin, key, replay, from, signed, twigs, last_note, notes })
    }
}
