//! Read-only view: opens a store without changing its folder, which may be on a read-only disk.
//!
//! ```text
//! folder/db/keyspaces/N/{tables,blobs}/*   written once: a link to each
//! everything else (journals, versions)     a copy, which the engine may change as it opens
//! ```

use std::fs::{self, File, TryLockError};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use tempfile::TempDir;

use super::EmbeddedStore;
use super::config::EmbeddedConfig;
use super::integrity::io;
use crate::StoreError;

/// Folders with immutable files.
const FIXED: [&str; 2] = ["tables", "blobs"];

impl EmbeddedStore {
    /// Opens the store in `folder` without writing there, through a temporary folder removed with the handle. Commits
    /// are lost.
    ///
    /// # Errors
    /// As [`EmbeddedStore::open_existing`].
    pub fn open_aside(folder: &Path, config: &EmbeddedConfig) -> Result<Self, StoreError> {
        let held = hold(folder)?;
        let aside = TempDir::new().map_err(|source| io("make", &std::env::temp_dir(), source))?;
        for name in ["db", "integrity"] {
            let from = folder.join(name);
            if from.exists() {
                mirror(&from, &aside.path().join(name))?;
            }
        }
        let config = EmbeddedConfig { free_bytes_min: 0, ..config.clone() };
        // nothing is put in order: a damaged file would be gone before it is looked at
        let opened = Self::open_existing_with(aside.path(), &config, Some(0));
        let mut store = opened.map_err(|error| error.within(aside.path(), folder))?;
        store.aside = Some((held, aside));
        Ok(store)
    }
}

/// Locks the folder if a lock file exists: no process opens a store without one.
pub(super) fn hold(folder: &Path) -> Result<Option<File>, StoreError> {
    let path = folder.join("lock");
    let Ok(file) = File::open(&path) else { return Ok(None) };
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(StoreError::Locked { path: folder.to_path_buf() }),
        Err(TryLockError::Error(source)) => Err(io("lock", &path, source)),
    }
}

/// Links or copies a file or folder to another path.
fn mirror(from: &Path, to: &Path) -> Result<(), StoreError> {
    if !from.is_dir() {
        fs::copy(from, to).map_err(|source| io("copy", from, source))?;
        // the copy of a file that nobody may write to is written to
        let own = fs::Permissions::from_mode(0o600);
        return fs::set_permissions(to, own).map_err(|source| io("use", to, source));
    }
    fs::create_dir(to).map_err(|source| io("make", to, source))?;
    let is_fixed = from.file_name().is_some_and(|name| FIXED.iter().any(|fixed| name == *fixed));
    let entries = fs::read_dir(from).map_err(|source| io("list", from, source))?;
    for entry in entries {
        let entry = entry.map_err(|source| io("list", from, source))?;
        let from = entry.path();
        let to = to.join(entry.file_name());
        if is_fixed {
            let from = fs::canonicalize(&from).map_err(|source| io("find", &from, source))?;
            symlink(&from, &to).map_err(|source| io("link", &to, source))?;
        } else {
            mirror(&from, &to)?;
        }
    }
    Ok(())
}
