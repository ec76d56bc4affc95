//! Where the trust store lies, and opening it.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use superroot_client::{TrustError, TrustStore};

/// Why there is no store to work with.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// It cannot be read, written or changed so.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// The environment names no folder for it.
    #[error("neither XDG_CONFIG_HOME nor HOME names a folder: give --trust-store FILE")]
    NoFolder,
    /// Its folder cannot be made.
    #[error("cannot make the folder {folder}: {cause}")]
    Folder {
        /// The folder.
        folder: String,
        /// What the system says.
        cause: std::io::Error,
    },
}

/// The store that is there: the file given, or the default one. `None` where the default one does
/// not exist; a file that was named has to.
///
/// # Errors
/// [`StoreError`] when it cannot be read.
pub(crate) fn open_existing(
    given: Option<&Path>,
) -> Result<Option<(PathBuf, TrustStore)>, StoreError> {
    if let Some(path) = given {
        return Ok(Some((path.to_owned(), TrustStore::load(path)?)));
    }
    let Some(path) = default_path() else { return Ok(None) };
    match TrustStore::load(&path) {
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(error.into()),
        Ok(store) => Ok(Some((path, store))),
    }
}

/// The same for a command that writes: a store that is not there yet is empty.
///
/// # Errors
/// As [`open_existing`], and [`StoreError::NoFolder`].
pub(super) fn open_or_new(given: Option<&Path>) -> Result<(PathBuf, TrustStore), StoreError> {
    let path = given.map(Path::to_owned).or_else(default_path).ok_or(StoreError::NoFolder)?;
    match TrustStore::load(&path) {
        Err(error) if is_missing(&error) => Ok((path, TrustStore::default())),
        Err(error) => Err(error.into()),
        Ok(store) => Ok((path, store)),
    }
}

/// Writes the store, and makes its folder where it is not there.
///
/// # Errors
/// [`StoreError`] naming the file or the folder.
pub(super) fn save(store: &TrustStore, path: &Path) -> Result<(), StoreError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        let named = |cause| StoreError::Folder { folder: folder.display().to_string(), cause };
        std::fs::create_dir_all(folder).map_err(named)?;
    }
    Ok(store.save(path)?)
}

fn is_missing(error: &TrustError) -> bool {
    matches!(error, TrustError::File { cause, .. } if cause.kind() == ErrorKind::NotFound)
}

fn default_path() -> Option<PathBuf> {
    path_under(std::env::var_os("XDG_CONFIG_HOME"), std::env::var_os("HOME"))
}

/// As the XDG base directory specification says: a path that is not absolute is ignored.
fn path_under(config_home: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let absolute = |path: OsString| Some(PathBuf::from(path)).filter(|path| path.is_absolute());
    let folder = config_home.and_then(absolute);
    let folder = folder.or_else(|| Some(home.and_then(absolute)?.join(".config")))?;
    Some(folder.join("superroot").join("trust.toml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_store_lies_where_configuration_lies() {
        let path = |config: Option<&str>, home: Option<&str>| {
            path_under(config.map(OsString::from), home.map(OsString::from))
        };
        let (config, home) = ("/c/superroot/trust.toml", "/h/.config/superroot/trust.toml");
        assert_eq!(path(Some("/c"), Some("/h")), Some(config.into()));
        assert_eq!(path(None, Some("/h")), Some(home.into()));
        assert_eq!(path(Some(""), Some("/h")), Some(home.into()));
        assert_eq!(path(Some("relative"), Some("/h")), Some(home.into()));
        assert_eq!(path(None, None), None);
        assert_eq!(path(None, Some("")), None);
    }

    #[test]
    fn a_named_store_must_be_there_to_be_read_but_not_to_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("trust.toml");
        assert!(open_existing(Some(&path)).is_err());
        let (opened, store) = open_or_new(Some(&path)).unwrap();
        assert_eq!((&opened, store.origins().count()), (&path, 0));
        save(&store, &path).unwrap();
        assert!(open_existing(Some(&path)).unwrap().is_some());
        std::fs::write(&path, "[[log]]\norigin = 7").unwrap();
        assert!(open_existing(Some(&path)).is_err() && open_or_new(Some(&path)).is_err());
    }
}
