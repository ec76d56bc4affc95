//! Evidence that one key signed two histories, as JSON: a file that anyone can check.

use serde::Serialize;
use serde_json::Value;
use superroot_proof::note::{ForkEvidence, HistoryEntry, NOTE_BYTES_MAX};
use superroot_proof::superroot::SuperRoot;
use superroot_types::Hash;

use crate::compare::{BodyLimits, compare_values};
use crate::member::Member;
use crate::superroot::body::HistoryOpeningRow;
use crate::superroot::{PATH_MAX, parse_opening};
use crate::{Case, Hex, WireError, case};

/// Two notes with equal size.
const TWO_NOTES: &str = "two_notes";
/// A later note for a log with a different past.
const ANOTHER_HISTORY: &str = "another_history";

/// Evidence file.
#[derive(Serialize)]
struct EvidenceFile<'a> {
    /// `two_notes` or `another_history`.
    evidence: &'static str,
    /// Log key, `name+id+base64`.
    key: String,
    /// Both notes in full.
    notes: &'a [String; 2],
    /// Entry, for `another_history`.
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<EntryRow>,
}

/// SuperRoot with the first note's size as sequence, taken from the log behind the second note.
#[derive(Serialize)]
struct EntryRow {
    /// Log index, equal to the sequence.
    index: u64,
    /// Preimage, 82 bytes.
    preimage: Hex,
    /// Inclusion path under the second note.
    inclusion_path: Vec<Hash>,
    /// Committed history, opened from slot 54.
    history: HistoryOpeningRow,
}

/// Whether a body looks like evidence.
#[must_use]
pub fn is_evidence(body: &Value) -> bool {
    body.get("evidence").is_some() && body.get("notes").is_some()
}

/// Renders evidence as JSON.
#[must_use]
pub fn render_evidence(evidence: &ForkEvidence) -> Value {
    let ForkEvidence { key, notes, entry } = evidence;
    let name = if entry.is_some() { ANOTHER_HISTORY } else { TWO_NOTES };
    let entry = entry.as_deref().map(|entry| EntryRow {
        index: entry.super_root.sequence.0,
        preimage: Hex(entry.super_root.encode()),
        inclusion_path: entry.path.clone(),
        history: (&entry.opening).into(),
    });
    case::write(&EvidenceFile { evidence: name, key: key.to_string(), notes, entry }, Case::Snake)
}

/// Parses evidence; also returns the paths of unknown members. [`ForkEvidence::verify`] checks the evidence itself.
///
/// # Errors
/// [`WireError`] with the member.
pub fn parse_evidence(body: &Value) -> Result<(ForkEvidence, Vec<String>), WireError> {
    let root = Member::root(body, Case::Snake);
    let name = root.get("evidence")?;
    let entry = match name.text()? {
        TWO_NOTES => None,
        ANOTHER_HISTORY => Some(Box::new(parse_entry(&root.get("entry")?)?)),
        _ => return Err(name.wrong("two_notes or another_history")),
    };
    let key = root.get("key")?;
    let notes = root.get("notes")?;
    let read = notes.items(2)?.iter().map(parse_note).collect::<Result<Vec<_>, _>>()?;
    let evidence = ForkEvidence {
        key: key.text()?.parse().map_err(|_| key.wrong("a key: name+id+base64"))?,
        notes: read.try_into().map_err(|_| notes.wrong("a list of 2 notes"))?,
        entry,
    };
    let limits = BodyLimits { reserved: &["entry"], closed: &["entry"], ..BodyLimits::default() };
    let unproven = compare_values(body, &render_evidence(&evidence), limits)?;
    Ok((evidence, unproven))
}

fn parse_note(member: &Member<'_>) -> Result<String, WireError> {
    let note = Some(member.text()?).filter(|note| note.len() <= NOTE_BYTES_MAX);
    note.map(str::to_owned).ok_or_else(|| member.wrong("a note of at most 64 KiB"))
}

fn parse_entry(member: &Member<'_>) -> Result<HistoryEntry, WireError> {
    let preimage = member.get("preimage")?;
    let super_root = SuperRoot::decode(&preimage.bytes()?);
    Ok(HistoryEntry {
        super_root: super_root.map_err(|_| preimage.wrong("the preimage of a SuperRoot"))?,
        path: member.get("inclusionPath")?.hashes(PATH_MAX)?,
        opening: parse_opening(&member.get("history")?)?,
    })
}
