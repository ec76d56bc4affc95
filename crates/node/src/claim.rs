//! Exclusive start on a data folder. A refused start restores the folder if no log had begun there.
//!
//! ```text
//! claim ─► start ─► Ok    the folder is closed to other users
//!                   Err   was there no log? ─► wait until the stores are closed ─► take away what was written
//! ```
//! A stopped or killed start leaves the same files as a crash.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use superroot_store::StoreError;

use crate::accounts::{self, demo_keys};
use crate::folder::{close_to_others, patiently};
use crate::{evm_key, log_key, origin};

/// Files and folders written by a start, besides the log key. Any of them shows that a log has begun.
const OF_A_LOG: [&str; 9] = [
    "db",
    "lock",
    "integrity",
    "admin.log",
    "admin.sock",
    accounts::FOLDER,
    demo_keys::FILE,
    origin::FILE,
    origin::DEMO,
];

/// Runs a service start on a data folder. `key` is the log key file: if a key was created elsewhere, the folder stays,
/// as the key belongs to the new log.
///
/// # Errors
/// The error from the start; [`StoreError::Locked`] if another start does not end.
pub(crate) async fn starting<T>(
    data: &Path,
    key: &Path,
    start: impl Future<Output = anyhow::Result<T>>,
) -> anyhow::Result<T> {
    let folder = data.to_path_buf();
    let key = key.to_path_buf();
    let claim = move || patiently(|| FolderClaim::on(&folder, &key));
    let claim = tokio::task::spawn_blocking(claim).await.context("claiming the folder panicked")?;
    let claim = claim.with_context(|| format!("cannot start on {}", data.display()))?;
    let started = start.await;
    if started.is_ok() {
        close_to_others(data);
    } else {
        // why the start was refused counts for more than a panic in there
        let _ = tokio::task::spawn_blocking(move || claim.undo()).await;
    }
    started
}

struct FolderClaim {
    data: PathBuf,
    /// Missing folders: the data folder, then parents.
    missing: Vec<PathBuf>,
    /// Contents before the start, if no log had begun.
    before: Option<BTreeSet<OsString>>,
    /// Log key file to be created elsewhere.
    new_key: Option<PathBuf>,
    /// Folder handle, locked against other starts.
    _folder: File,
}

impl FolderClaim {
    fn on(data: &Path, key: &Path) -> Result<Self, StoreError> {
        let io = |operation, source| StoreError::Io { operation, path: data.to_path_buf(), source };
        let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let missing = data.ancestors().take_while(is_missing).map(Path::to_path_buf).collect();
        fs::create_dir_all(data).map_err(|source| io("create", source))?;
        let folder = File::open(data).map_err(|source| io("open", source))?;
        let held = folder.metadata().map_err(|source| io("look at", source))?;
        let folder = lock(folder, data)?;
        // a start that was refused may have taken the folder away before it let go of it
        let is_there = |there: fs::Metadata| (there.dev(), there.ino()) == (held.dev(), held.ino());
        if !fs::metadata(data).is_ok_and(is_there) {
            return Err(StoreError::Locked { path: data.to_path_buf() });
        }
        let entries = fs::read_dir(data).map_err(|source| io("list", source))?;
        let before: Result<BTreeSet<_>, _> =
            entries.map(|entry| entry.map(|entry| entry.file_name())).collect();
        let before = before.map_err(|source| io("list", source))?;
        let has_log = OF_A_LOG.iter().any(|name| before.contains(OsStr::new(name)));
        let before = (!has_log).then_some(before);
        let is_made = !key.starts_with(data) && !key.exists();
        let new_key = is_made.then(|| key.to_path_buf());
        Ok(Self { data: data.to_path_buf(), missing, before, new_key, _folder: folder })
    }

    /// Removes new files from a folder without a log, and reports a failure.
    fn undo(self) {
        let Some(before) = &self.before else { return };
        if self.new_key.as_deref().is_some_and(Path::exists) {
            return;
        }
        let is_new = !before.contains(OsStr::new(log_key::FILE));
        let has_key = is_new && self.data.join(log_key::FILE).exists();
        if let Err(error) = self.take_away_all_but(before) {
            let data = self.data.display();
            tracing::warn!("what the refused start wrote stays in {data}: {error:#}");
            return;
        }
        if has_key {
            say!("the log's key that was made is gone again: the refused start leaves nothing");
        }
        for folder in &self.missing {
            if fs::remove_dir(folder).is_err() {
                break; // by now somebody else has something in it
            }
        }
    }

    fn take_away_all_but(&self, before: &BTreeSet<OsString>) -> anyhow::Result<()> {
        // threads of the start may have the stores open for a moment
        let _chains = patiently(|| lock_store(&self.data))?;
        let _accounts = patiently(|| lock_store(&self.data.join(accounts::FOLDER)))?;
        for entry in fs::read_dir(&self.data)? {
            let entry = entry?;
            // beside things of others, what is not known may be of others as well
            let name = entry.file_name();
            let is_ours =
                OF_A_LOG.iter().chain([&log_key::FILE, &evm_key::FILE]).any(|ours| name == **ours);
            if before.contains(&name) || (!before.is_empty() && !is_ours) {
                continue;
            }
            if entry.file_type()?.is_dir() {
                fs::remove_dir_all(entry.path())?;
            } else {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

fn lock(file: File, folder: &Path) -> Result<File, StoreError> {
    let path = folder.to_path_buf();
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::Locked { path }),
        Err(TryLockError::Error(source)) => Err(StoreError::Io { operation: "lock", path, source }),
    }
}

fn lock_store(folder: &Path) -> Result<Option<File>, StoreError> {
    match File::open(folder.join("lock")) {
        Ok(file) => lock(file, folder).map(Some),
        Err(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    /// A start that writes, and is refused.
    async fn refused(data: &Path, key: &Path) {
        let start = async {
            fs::create_dir_all(data.join("db/tables"))?;
            fs::write(data.join("db/tables/0"), "rows")?;
            fs::write(data.join("origin"), "live/a")?;
            fs::write(data.join("lock"), "")?;
            bail!("an address in use")
        };
        let error = starting::<()>(data, key, start).await.unwrap_err();
        assert_eq!(error.to_string(), "an address in use");
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = entries.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[tokio::test]
    async fn a_refused_start_leaves_what_it_found() {
        let work = tempfile::tempdir().unwrap();
        let data = work.path().join("lies/deep/data");
        let key = data.join("log.key");
        refused(&data, &key).await;
        assert_eq!(names(work.path()), [""; 0], "the folders it made are gone");
        fs::create_dir_all(&data).unwrap();
        refused(&data, &key).await;
        assert_eq!(names(&data), [""; 0], "an empty folder stays empty");
        fs::write(data.join("note"), "mine").unwrap();
        let start = async {
            fs::write(data.join("admin.log"), "")?;
            fs::write(data.join("of somebody else"), "")?;
            bail!("an address in use")
        };
        starting::<()>(&data, &key, start).await.unwrap_err();
        assert_eq!(names(&data), ["note", "of somebody else"]);
        fs::remove_file(data.join("of somebody else")).unwrap();
        refused(&data, &key).await;
        assert_eq!(fs::read_to_string(data.join("note")).unwrap(), "mine");
        assert_eq!(names(&data), ["note"], "what it wrote beside is gone");
    }

    #[tokio::test]
    async fn what_has_begun_stays() {
        let work = tempfile::tempdir().unwrap();
        let data = work.path().join("data");
        let start = async { anyhow::Ok(fs::write(data.join("origin"), "live/a")?) };
        starting(&data, &data.join("log.key"), start).await.unwrap();
        refused(&data, &data.join("log.key")).await;
        assert!(names(&data).contains(&"origin".to_owned()));
    }

    /// Else the next start would begin another log, whose key it is not.
    #[tokio::test]
    async fn a_folder_whose_key_was_made_elsewhere_stays() {
        let work = tempfile::tempdir().unwrap();
        let (data, key) = (work.path().join("data"), work.path().join("keys.key"));
        let start = async {
            fs::write(data.join("origin"), "live/a")?;
            fs::write(&key, "secret")?;
            bail!("an address in use")
        };
        starting::<()>(&data, &key, start).await.unwrap_err();
        assert_eq!(names(&data), ["origin"]);
    }

    /// Two starts never overlap, and nothing is taken from under a store that somebody holds.
    #[test]
    fn one_start_goes_on_at_a_time_and_a_held_store_is_seen() {
        let work = tempfile::tempdir().unwrap();
        let data = work.path().join("data");
        let begin = || FolderClaim::on(&data, &data.join("log.key"));
        let first = begin().unwrap();
        assert!(matches!(begin(), Err(StoreError::Locked { .. })));
        drop(first);
        assert!(begin().is_ok());
        assert!(matches!(lock_store(&data), Ok(None)), "there is no store yet");
        let held = File::create(data.join("lock")).unwrap();
        held.lock().unwrap();
        assert!(matches!(lock_store(&data), Err(StoreError::Locked { .. })));
        drop(held);
        assert!(matches!(lock_store(&data), Ok(Some(_))));
    }
}
