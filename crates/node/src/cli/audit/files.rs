//! Audit files: state and evidence.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::Context;
use superroot_client::audit::{Audit, AuditError};
use superroot_client::write_file;
use superroot_proof::note::ForkEvidence;
use superroot_wire::evidence::render_evidence;

use crate::cli::output;

/// Largest state file; usual are tens of kilobytes.
const STATE_BYTES_MAX: u64 = 4 << 20;

pub(super) fn load(path: Option<&Path>) -> anyhow::Result<Option<String>> {
    let Some(path) = path.filter(|path| path.exists()) else { return Ok(None) };
    let read = || -> io::Result<String> {
        let mut text = String::new();
        File::open(path)?.take(STATE_BYTES_MAX).read_to_string(&mut text)?;
        Ok(text)
    };
    read().map(Some).with_context(|| format!("cannot read {}", path.display()))
}

/// Replaces the state atomically.
pub(super) fn save(path: Option<&Path>, audit: &Audit) -> Result<(), AuditError> {
    let (Some(path), Some(text)) = (path, audit.to_state()) else { return Ok(()) };
    let failed = |error| AuditError::State { why: format!("cannot write it: {error}") };
    write_file(path, text.as_bytes()).map_err(failed)
}

pub(super) fn write_evidence(path: &Path, evidence: &ForkEvidence) -> anyhow::Result<()> {
    let text = format!("{:#}\n", render_evidence(evidence));
    output::write(path, text.as_bytes())
}
