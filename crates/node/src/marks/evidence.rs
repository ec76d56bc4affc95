//! What shows that a log came out twice: kept beside its data, for a person and for `superroot verify`.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::Value;
use superroot_proof::note::{Evidence, Note, VerifierKey};
use superroot_wire::evidence::render_evidence;

/// Folder of it, in the data folder.
const FOLDER: &str = "evidence";

/// Two notes of one size under one key.
pub(crate) fn two_notes(key: &VerifierKey, notes: [&Note; 2]) -> Value {
    let (key, notes) = (key.clone(), notes.map(ToString::to_string));
    render_evidence(&Evidence { key, notes, entry: None })
}

/// Writes it whole under that name, where nothing of that name stands; gives the file.
pub(crate) fn keep(data: &Path, name: &str, evidence: &Value) -> anyhow::Result<PathBuf> {
    let folder = data.join(FOLDER);
    let file = folder.join(format!("{name}.json"));
    let write = || -> std::io::Result<()> {
        if file.exists() {
            return Ok(());
        }
        fs::create_dir_all(&folder)?;
        let beside = folder.join(format!("{name}.json.new"));
        let mut new = File::create(&beside)?;
        new.write_all(format!("{evidence:#}\n").as_bytes())?;
        new.sync_all()?;
        fs::rename(&beside, &file)?;
        File::open(&folder)?.sync_all()
    };
    write().with_context(|| format!("cannot write {}", file.display()))?;
    Ok(file)
}
