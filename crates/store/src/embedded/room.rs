//! How much is free on the disk of a store.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::StoreError;

/// The disk of a folder, and how much of it stays free.
#[derive(Debug)]
pub(super) struct Room {
    folder: PathBuf,
    least: u64,
    pretended: Mutex<Option<u64>>,
}

impl Room {
    pub(super) fn of(folder: &Path, least: u64) -> Self {
        Self { folder: folder.to_path_buf(), least, pretended: Mutex::new(None) }
    }

    pub(super) const fn least(&self) -> u64 {
        self.least
    }

    pub(super) fn pretend(&self, bytes: Option<u64>) {
        *self.pretended.lock().unwrap_or_else(PoisonError::into_inner) = bytes;
    }

    /// Refuses where less is free than has to stay. A disk that does not tell has room.
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

/// What is free for this user on the disk of a folder, in bytes; `None` where the system does not tell.
#[must_use]
pub fn free_bytes(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}
