//! Trust store file: one writer at a time, atomic writes, truncation detected.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use superroot_proof::hash::sha256_joined;

use super::{TrustError, TrustStore};
use crate::write_file;

/// Largest file read, in bytes.
pub const FILE_BYTES_MAX: u64 = 8 << 20;
/// First line prefix; the SHA-256 over all later lines follows.
const FIRST_LINE: &str = "# superroot trust store; sha256 of the lines below: ";

impl TrustStore {
    /// Reads a store.
    ///
    /// # Errors
    /// [`TrustError::File`] for a missing or too large file; [`TrustError::Malformed`] if the file was altered, or its
    /// logs and pins do not fit.
    pub fn load(path: &Path) -> Result<Self, TrustError> {
        let mut text = String::new();
        let limit = FILE_BYTES_MAX.saturating_add(1);
        let mut limited = File::open(path).map_err(at(path))?.take(limit);
        limited.read_to_string(&mut text).map_err(at(path))?;
        if u64::try_from(text.len()).unwrap_or(u64::MAX) > FILE_BYTES_MAX {
            let cause = std::io::Error::other(format!("larger than {FILE_BYTES_MAX} bytes"));
            return Err(at(path)(cause));
        }
        let malformed = |why: &str| TrustError::Malformed { why: why.to_owned() };
        let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let sum = first.strip_prefix(FIRST_LINE);
        let sum = sum.ok_or_else(|| malformed("it does not begin with its checksum"))?;
        if sum != checksum(rest) {
            let why = "it was cut, or changed by something else: bring it back, or remove it and pin anew";
            return Err(malformed(why));
        }
        toml::from_str(rest).map_err(|error| malformed(error.message()))
    }

    /// Changes the store in this file, or a new one, under an exclusive lock, and saves only on success.
    ///
    /// # Errors
    /// Errors from `act`; as [`TrustStore::load`]; [`TrustError::File`] if the file is not writable. The file is then
    /// unchanged.
    pub fn change<T, E: From<TrustError>>(
        path: &Path,
        act: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(at(folder))?;
        }
        let lock = beside(path, ".lock");
        let lock = File::create(&lock).and_then(|file| file.lock().map(|()| file));
        let _held = lock.map_err(at(path))?; // until the end of this call
        let mut store = match Self::load(path) {
            Err(TrustError::File { cause, .. }) if cause.kind() == ErrorKind::NotFound => {
                Self::default()
            }
            store => store?,
        };
        let before = store.clone();
        let done = act(&mut store)?;
        if store != before {
            store.save(path)?;
        }
        Ok(done)
    }

    /// Writes the whole store, or leaves the old file unchanged.
    fn save(&self, path: &Path) -> Result<(), TrustError> {
        let text = toml::to_string(self)
            .map_err(|error| TrustError::Malformed { why: error.to_string() })?;
        let text = format!("{FIRST_LINE}{}\n{text}", checksum(&text));
        write_file(path, text.as_bytes()).map_err(at(path))
    }
}

fn at(path: &Path) -> impl Fn(std::io::Error) -> TrustError {
    move |cause| TrustError::File { path: path.display().to_string(), cause }
}

fn checksum(text: &str) -> String {
    sha256_joined(&[text.as_bytes()]).to_string()
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut beside = path.as_os_str().to_owned();
    beside.push(ending);
    beside.into()
}
