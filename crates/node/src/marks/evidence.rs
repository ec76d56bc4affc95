//! Evidence of a duplicated log, kept next to the data for people and `superroot verify`.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::Value;
use superroot_proof::note::{ForkEvidence, Note, VerifierKey};
use superroot_wire::evidence::render_evidence;

const FOLDER: &str = "evidence";

/// Two notes with one size and key.
pub(crate) fn two_notes(key: &VerifierKey, notes: [&Note; 2]) -> Value {
    let key = key.clone();
    let notes = notes.map(ToString::to_string);
    render_evidence(&ForkEvidence { key, notes, entry: None })
}

/// Writes a complete evidence file under a free name, and returns the path.
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
