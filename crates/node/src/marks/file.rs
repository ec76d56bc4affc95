//! Mark in a file: the note as in `/v5/checkpoint`.

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use superroot_proof::note::{NOTE_BYTES_MAX, Note, VerifierKey};

use super::{MarkNote, Sighting, note_of};

pub(super) fn read(path: &Path, keys: &[VerifierKey]) -> Sighting {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Sighting::Nothing,
        Err(error) => return Sighting::Other(error.to_string()),
    };
    let mut text = Vec::new();
    let limit = NOTE_BYTES_MAX as u64 + 1; // a longer one is refused as no note
    if let Err(error) = file.take(limit).read_to_end(&mut text) {
        return Sighting::Other(error.to_string());
    }
    let text = String::from_utf8_lossy(&text);
    note_of(&text, keys).map_or_else(Sighting::Other, |note| Sighting::Note(Box::new(note)))
}

/// Writes the note, unless a higher one exists. The folder must exist: a folder created at an unmounted disk would be
/// no second place.
pub(super) fn write(path: &Path, note: &Note, keys: &[VerifierKey]) -> anyhow::Result<()> {
    let ours =
        note_of(&note.to_string(), keys).map_err(|why| anyhow::anyhow!("our note: {why}"))?;
    match read(path, keys) {
        Sighting::Note(theirs) => {
            let MarkNote { size, root, .. } = *theirs;
            if size == ours.size && root != ours.root {
                bail!("it holds another root of size {size}: the log has forked");
            }
            if size > ours.size {
                bail!("it holds size {size}, which is above this folder's {}", ours.size);
            }
            if size == ours.size {
                return Ok(());
            }
        }
        Sighting::Nothing => {}
        Sighting::Other(why) => bail!("it {why}; move it away, nothing is written over it"),
        Sighting::NotYet => bail!("it was not read"),
    }
    let path = &superroot_client::follow_links(path)?;
    let folder = path.parent().context("it has no folder")?;
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    let mut file = File::create(&beside)?;
    file.write_all(note.to_string().as_bytes())?;
    file.sync_all()?;
    fs::rename(&beside, path)?;
    File::open(folder)?.sync_all()?;
    Ok(())
}
