//! Data folder: exclusive opening, permissions and disk usage.

use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use superroot_api::StatusBoard;
use superroot_store::{EmbeddedStore, StoreError, free_bytes};
use superroot_types::UnixSeconds;

use crate::stage::{BlockingStage, StageFailure, StageName};

const MEASURE_INTERVAL: Duration = Duration::from_secs(10);
/// Measuring interval while nothing can be written, so that new room is reported soon.
const FULL_INTERVAL: Duration = Duration::from_secs(1);
/// 1 while the service is read-only because the disk is almost full.
const READ_ONLY: &str = "superroot_node_read_only";
/// Free bytes below which an operator is warned: a busy day for all chains. Twice that, if the configuration keeps more
/// free.
const LOW_BYTES: u64 = 4 << 30;
/// Time limit within which a command on an unserved data folder is done or has failed.
const LOCK_WAIT: Duration = Duration::from_secs(3);
const LOCK_INTERVAL: Duration = Duration::from_millis(100);
const OTHERS: u32 = 0o077;

pub(crate) struct StoreSize {
    data: PathBuf,
    store: Arc<EmbeddedStore>,
    status: Arc<StatusBoard>,
    is_low: bool,
    is_full: bool,
}

impl BlockingStage for StoreSize {
    fn name(&self) -> StageName {
        StageName::StoreSize
    }

    fn step(&mut self, _: UnixSeconds) -> Result<Duration, StageFailure> {
        let bytes = bytes_below(&self.data);
        self.status.set_store_bytes(bytes);
        metrics::gauge!("superroot_node_store_bytes").set(bytes as f64);
        let free = free_bytes(&self.data);
        self.status.set_free_bytes(free);
        match free {
            Some(free) => self.warn_of(free),
            None => tracing::debug!("what is free on the disk cannot be seen"),
        }
        self.tell_full();
        Ok(if self.is_full { FULL_INTERVAL } else { MEASURE_INTERVAL })
    }
}

impl StoreSize {
    pub(crate) fn new(data: PathBuf, store: Arc<EmbeddedStore>, status: Arc<StatusBoard>) -> Self {
        metrics::gauge!(READ_ONLY).set(0.0);
        Self { data, store, status, is_low: false, is_full: false }
    }

    fn tell_full(&mut self) {
        let full = self.store.check_room().err().map(|full| full.to_string());
        match &full {
            Some(why) if !self.is_full => tracing::error!("read-only: {why}; proofs go on"),
            None if self.is_full => tracing::info!("the disk has room again: writes go on"),
            _ => {}
        }
        self.is_full = full.is_some();
        metrics::gauge!(READ_ONLY).set(f64::from(u8::from(self.is_full)));
        self.status.set_read_only(full);
    }

    /// Reports free space, and warns each time free space falls below the limit ([`LOW_BYTES`]).
    fn warn_of(&mut self, free: u64) {
        metrics::gauge!("superroot_node_disk_free_bytes").set(free as f64);
        let low = LOW_BYTES.max(self.store.free_bytes_min().saturating_mul(2));
        let is_low = free < low;
        if is_low && !self.is_low {
            let free = free >> 20;
            let least = low >> 20;
            let data = self.data.display();
            tracing::warn!(
                "the disk of {data} is almost full: {free} MiB are free, below {least} MiB"
            );
        }
        self.is_low = is_low;
    }
}

/// Disk usage below a folder, as far as visible; files may come and go. Preallocated space makes journals longer than
/// their usage.
fn bytes_below(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => bytes_below(&entry.path()),
        // the system counts in units of 512 bytes, whatever the blocks of the disk are
        Ok(metadata) => metadata.blocks().saturating_mul(512),
        Err(_) => 0,
    });
    bytes.sum()
}

/// Opens a store, with retries while a command has the store open.
pub(crate) fn patiently<T>(open: impl Fn() -> Result<T, StoreError>) -> Result<T, StoreError> {
    let begun = Instant::now();
    loop {
        match open() {
            Err(StoreError::Locked { .. }) if begun.elapsed() < LOCK_WAIT => {
                std::thread::sleep(LOCK_INTERVAL);
            }
            opened => return opened,
        }
    }
}

/// Removes permissions for other users from the data folder, and reports failures.
pub(crate) fn close_to_others(data: &Path) {
    let closed = std::fs::metadata(data).and_then(|about| {
        let mode = about.permissions().mode();
        let owner = about.uid();
        if mode & OTHERS == 0 {
            return Ok(());
        }
        if owner != rustix::process::geteuid().as_raw() {
            return Err(std::io::Error::other(format!("it belongs to user {owner}")));
        }
        std::fs::set_permissions(data, Permissions::from_mode(mode & !OTHERS))
    });
    if let Err(error) = closed {
        let data = data.display();
        tracing::warn!("{data} stays open to other users of this machine, make it 0700: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_ones_own_is_closed_to_others() {
        let folder = tempfile::tempdir().unwrap();
        let mode = || std::fs::metadata(folder.path()).unwrap().permissions().mode() & 0o777;
        for (before, after) in [(0o755, 0o700), (0o770, 0o700), (0o701, 0o700), (0o500, 0o500)] {
            std::fs::set_permissions(folder.path(), Permissions::from_mode(before)).unwrap();
            close_to_others(folder.path());
            assert_eq!(mode(), after, "{before:o}");
        }
    }

    /// As `du` counts: a journal with room set aside for later takes what was written to it.
    #[test]
    fn room_that_is_set_aside_is_no_data() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("db");
        std::fs::create_dir(&below).unwrap();
        let journal = std::fs::File::create(below.join("journal")).unwrap();
        journal.set_len(64 << 20).unwrap();
        assert!(bytes_below(folder.path()) < 1 << 20);
        std::fs::write(below.join("blocks"), vec![7; 3 << 20]).unwrap();
        let bytes = bytes_below(folder.path());
        assert!((3 << 20..4 << 20).contains(&bytes), "{bytes}");
    }
}
