//! Trust store location and opening.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context;
use superroot_client::{TrustError, TrustStore};

/// Opens the given or the default trust store; `None` if the default one does not exist. A named file must exist.
pub(crate) fn open_existing(given: Option<&Path>) -> anyhow::Result<Option<(PathBuf, TrustStore)>> {
    let Some(path) = given.map(Path::to_owned).or_else(default_path) else { return Ok(None) };
    match TrustStore::load(&path) {
        Err(error) if given.is_none() && is_missing(&error) => Ok(None),
        store => Ok(Some((path, store?))),
    }
}

/// Trust store path for a writing command; an error if no folder is named in the environment.
pub(super) fn path(given: Option<&Path>) -> anyhow::Result<PathBuf> {
    let path = given.map(Path::to_owned).or_else(default_path);
    path.context("neither XDG_CONFIG_HOME nor HOME names a folder: give --trust-store FILE")
}

fn is_missing(error: &TrustError) -> bool {
    matches!(error, TrustError::File { cause, .. } if cause.kind() == ErrorKind::NotFound)
}

fn default_path() -> Option<PathBuf> {
    path_under(std::env::var_os("XDG_CONFIG_HOME"), std::env::var_os("HOME"))
}

/// Follows the XDG base directory specification: a relative path is ignored.
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
        assert_eq!(path(Some("relative"), Some("/h")), Some(home.into()));
        assert_eq!(path(None, Some("")), None);
    }
}
