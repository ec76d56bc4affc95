//! Evidence that one key signed two histories, as JSON: a file that anyone can check.

use serde::Serialize;
use serde_json::Value;
use superroot_proof::note::{Evidence, HistoryEntry, NOTE_BYTES_MAX};
use superroot_proof::superroot::SuperRoot;
use superroot_types::Hash;

use crate::compare::{Limits, compare_values};
use crate::member::Member;
use crate::superroot::body::HistoryOpeningRow;
use crate::superroot::{PATH_MAX, parse_opening};
use crate::{Case, Hex, WireError, case};

/// Two notes of one size.
const TWO_NOTES: &str = "two_notes";
/// A later note whose log says another past.
const ANOTHER_HISTORY: &str = "another_history";

/// The file.
#[derive(Serialize)]
struct EvidenceFile<'a> {
    /// `two_notes` or `another_history`.
    evidence: &'static str,
    /// The log's key, `name+id+base64`.
    key: String,
    /// The notes, whole.
    notes: &'a [String; 2],
    /// Of `another_history`.
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<EntryRow>,
}

/// The SuperRoot whose sequence is the size of the first note, as the log of the second has it.
#[derive(Serialize)]
struct EntryRow {
    /// Its place in the log: its sequence.
    index: u64,
    /// 82 bytes.
    preimage: Hex,
    /// Path under the second note.
    inclusion_path: Vec<Hash>,
    /// The history that it commits to, opened from slot 54.
    history: HistoryOpeningRow,
}

/// Whether a body looks like evidence.
#[must_use]
pub fn is_evidence(body: &Value) -> bool {
    body.get("evidence").is_some() && body.get("notes").is_some()
}

/// The JSON of evidence.
#[must_use]
pub fn render_evidence(evidence: &Evidence) -> Value {
    let Evidence { key, notes, entry } = evidence;
    let name = if entry.is_some() { ANOTHER_HISTORY } else { TWO_NOTES };
    let entry = entry.as_deref().map(|entry| EntryRow {
        index: entry.super_root.sequence,
        preimage: Hex(entry.super_root.encode()),
        inclusion_path: entry.path.clone(),
        history: (&entry.opening).into(),
    });
    case::write(&EvidenceFile { evidence: name, key: key.to_string(), notes, entry }, Case::Snake)
}

/// Reads evidence, and the paths of the members that are no part of it. What it shows,
/// [`Evidence::verify`] says.
///
/// # Errors
/// [`WireError`] naming the member.
pub fn parse_evidence(body: &Value) -> Result<(Evidence, Vec<String>), WireError> {
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
    let evidence = Evidence {
        key: key.text()?.parse().map_err(|_| key.wrong("a key: name+id+base64"))?,
        notes: read.try_into().map_err(|_| notes.wrong("a list of 2 notes"))?,
        entry,
    };
    let limits = Limits { reserved: &["entry"], closed: &["entry"], ..Limits::default() };
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
