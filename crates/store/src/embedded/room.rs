//! Free disk space for a store.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::StoreError;

/// Folder's disk and its free-space minimum.
#[derive(Debug)]
pub(super) struct DiskRoom {
    folder: PathBuf,
    least: u64,
    pretended: Mutex<Option<u64>>,
}

impl DiskRoom {
    pub(super) fn of(folder: &Path, least: u64) -> Self {
        Self { folder: folder.to_path_buf(), least, pretended: Mutex::new(None) }
    }

    pub(super) const fn least(&self) -> u64 {
        self.least
    }

    pub(super) fn pretend(&self, bytes: Option<u64>) {
        *self.pretended.lock().unwrap_or_else(PoisonError::into_inner) = bytes;
    }

    /// Fails with less free space than the minimum. An unknown free size passes.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        if self.least == 0 {
            return Ok(());
        }
        let pretended = *self.pretended.lock().unwrap_or_else(PoisonError::into_inner);
        match pretended.or_else(|| free_bytes(&self.folder)) {
            Some(free) if free < self.least => {
                Err(StoreError::Full { path: self.folder.clone(), free, least: self.least })
            }
            _ => Ok(()),
        }
    }
}

/// Returns the disk space free for this user at a folder, in bytes; `None` if the system does not report a value.
#[must_use]
pub fn free_bytes(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}
