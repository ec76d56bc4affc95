//! What an audit writes: where it stands, and evidence.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::Context;
use superroot_client::audit::{Audit, AuditError};
use superroot_proof::note::Evidence;
use superroot_wire::evidence::render_evidence;

/// Largest state that is read; a state is some tens of kilobytes.
const STATE_BYTES_MAX: u64 = 4 << 20;

/// The state, where there is one.
pub(super) fn load(path: Option<&Path>) -> anyhow::Result<Option<String>> {
    let Some(path) = path.filter(|path| path.exists()) else { return Ok(None) };
    let read = || -> io::Result<String> {
        let mut text = String::new();
        File::open(path)?.take(STATE_BYTES_MAX).read_to_string(&mut text)?;
        Ok(text)
    };
    read().map(Some).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes the state whole, or leaves the old one.
pub(super) fn save(path: Option<&Path>, audit: &Audit) -> Result<(), AuditError> {
    let (Some(path), Some(text)) = (path, audit.to_state()) else { return Ok(()) };
    let failed = |error| AuditError::State { why: format!("cannot write it: {error}") };
    write(path, text.as_bytes()).map_err(failed)
}

/// Writes evidence whole.
pub(super) fn write_evidence(path: &Path, evidence: &Evidence) -> anyhow::Result<()> {
    let text = format!("{:#}\n", render_evidence(evidence));
    write(path, text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.new", std::process::id()));
    let new = || -> io::Result<()> {
        let mut file = File::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    new().inspect_err(|_| {
        // it may never have been made; the error that counts is the first
        let _ = fs::remove_file(&beside);
    })
}
