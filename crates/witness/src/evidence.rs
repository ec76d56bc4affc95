//! Evidence of a fork: two signed notes of one size.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use superroot_proof::note::{ForkEvidence, Note, VerifierKey};
use superroot_types::Hash;
use superroot_wire::evidence::render_evidence;

/// Most files per log; the first ones prove the fork.
const FILES_MAX: usize = 16;

/// Writes both notes into the folder, one file per size, if the same key signed both. Returns the path of a new file.
pub(crate) fn keep(
    folder: &Path,
    log: &Hash,
    size: u64,
    key: &VerifierKey,
    notes: [&Note; 2],
) -> std::io::Result<Option<PathBuf>> {
    fs::create_dir_all(folder)?;
    let log = const_hex::encode(log.0);
    let names =
        fs::read_dir(folder)?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let own = names.filter(|name| name.starts_with(&log) && name.ends_with(".json")).count();
    let file = folder.join(format!("{log}-{size}.json"));
    if own >= FILES_MAX || file.exists() {
        return Ok(None);
    }
    let notes = notes.map(ToString::to_string);
    let body = render_evidence(&ForkEvidence { key: key.clone(), notes, entry: None });
    let unfinished = file.with_extension("new");
    let mut out = File::create(&unfinished)?;
    writeln!(out, "{body:#}")?;
    out.sync_all()?;
    fs::rename(&unfinished, &file)?;
    File::open(folder)?.sync_all()?;
    Ok(Some(file))
}
