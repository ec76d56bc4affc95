//! What a recordings folder holds: one row a block, from its index or from the files themselves.

use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;
use superroot_types::{Hash, SAFE_INTEGER_MAX};

use super::capture::{Capture, read_bounded, shape};
use crate::error::SourceError;

/// Name of the index in its folder.
pub(crate) const INDEX_FILE: &str = "index.json";

/// Largest index that is read, in bytes.
pub(crate) const INDEX_BYTES_MAX: u64 = 64 << 20;

/// Most files that a folder without an index may hold.
const FILES_MAX: usize = 1_000_000;

/// Deepest nesting of a folder without an index.
const DEPTH_MAX: usize = 8;

/// One recorded block.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Row {
    pub(super) chain_id: u64,
    #[serde(default)]
    pub(super) network: String,
    pub(super) block: u64,
    #[serde(default)]
    pub(super) hash: Option<Hash>,
    /// Path below the folder.
    pub(super) file: String,
}

/// A file, or a row of the index, that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Path below the folder, or the place in the index.
    pub file: String,
    /// What is wrong with it.
    pub why: String,
}

/// Every row of a folder, and what in it is none.
pub(super) fn read(folder: &Path) -> Result<(Vec<Row>, Vec<Unreadable>), SourceError> {
    let index = folder.join(INDEX_FILE);
    let claimed = if index.exists() { from_index(&index)? } else { from_files(folder)? };
    let (mut rows, mut unreadable) = (Vec::new(), Vec::new());
    for row in claimed {
        match row.and_then(|row| check(folder, row)) {
            Ok(row) => rows.push(row),
            Err(fault) => unreadable.push(fault),
        }
    }
    Ok((rows, unreadable))
}

type Claimed = Vec<Result<Row, Unreadable>>;

fn from_index(index: &Path) -> Result<Claimed, SourceError> {
    let bytes = read_bounded(index, INDEX_BYTES_MAX)?;
    let list: Vec<&RawValue> =
        serde_json::from_slice(&bytes).map_err(|error| shape(index, &error))?;
    let row = |(position, text): (usize, &&RawValue)| {
        serde_json::from_str(text.get()).map_err(|error| Unreadable {
            file: format!("{INDEX_FILE}, row {position}"),
            why: error.to_string(),
        })
    };
    Ok(list.iter().enumerate().map(row).collect())
}

fn from_files(folder: &Path) -> Result<Claimed, SourceError> {
    let mut files = Vec::new();
    find_files(folder, folder, 0, &mut files)?;
    files.sort();
    let row = |file: &PathBuf| {
        let path = folder.join(file);
        let name = file.display().to_string();
        let read = Capture::read(&path).and_then(|capture| {
            let (block, hash) = capture.block_id()?;
            let Capture { chain_id, network, .. } = capture;
            Ok(Row { chain_id, network, block, hash, file: name.clone() })
        });
        read.map_err(|error| Unreadable { file: name.clone(), why: explain(&error) })
    };
    Ok(files.iter().map(row).collect())
}

/// Collects the recordings below `folder`, as paths below `top`. Links are not followed.
fn find_files(
    top: &Path,
    folder: &Path,
    depth: usize,
    files: &mut Vec<PathBuf>,
) -> Result<(), SourceError> {
    let failed = |source| SourceError::io(folder, source);
    let too_many = |what, expected| {
        let why = format!("has more {what} than the {expected} allowed");
        Err(SourceError::recording(folder, why))
    };
    if depth > DEPTH_MAX {
        return too_many("levels of folders", DEPTH_MAX);
    }
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_dir() {
            find_files(top, &path, depth + 1, files)?;
        } else if kind.is_file() && is_recording(&path) {
            if files.len() == FILES_MAX {
                return too_many("files", FILES_MAX);
            }
            files.extend(path.strip_prefix(top).map(Path::to_path_buf));
        }
    }
    Ok(())
}

fn is_recording(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.ends_with(".json") || name.ends_with(".json.gz")
}

/// Refuses a row that leads out of the folder, to no file, or past the numbers that a log holds.
fn check(folder: &Path, row: Row) -> Result<Row, Unreadable> {
    let refuse = |why: &str| Err(Unreadable { file: row.file.clone(), why: why.into() });
    let is_inside =
        Path::new(&row.file).components().all(|part| matches!(part, Component::Normal(_)));
    if !is_inside || row.file.is_empty() {
        return refuse("the path leads out of the folder");
    }
    if row.block > SAFE_INTEGER_MAX || row.chain_id > SAFE_INTEGER_MAX {
        return refuse("chain id or block number is not below 2^53");
    }
    if !folder.join(&row.file).is_file() {
        return refuse("there is no such file");
    }
    Ok(row)
}

/// An error with what caused it, on one line.
fn explain(error: &SourceError) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files_below(folder: &Path) -> Result<Vec<String>, SourceError> {
        let mut files = Vec::new();
        find_files(folder, folder, 0, &mut files)?;
        files.sort();
        Ok(files.iter().map(|file| file.display().to_string()).collect())
    }

    #[test]
    fn folders_are_searched_to_a_bounded_depth() {
        let top = tempfile::tempdir().unwrap();
        let mut folder = top.path().to_path_buf();
        for _ in 0..DEPTH_MAX {
            folder.push("a");
        }
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("1.json"), "{}").unwrap();
        assert_eq!(files_below(top.path()).unwrap().len(), 1);
        std::fs::create_dir(folder.join("a")).unwrap();
        let error = files_below(top.path()).unwrap_err();
        assert!(error.to_string().ends_with("has more levels of folders than the 8 allowed"));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let (top, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(elsewhere.path().join("1.json"), "{}").unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), top.path().join("a")).unwrap();
        std::os::unix::fs::symlink(top.path(), top.path().join("loop")).unwrap();
        let file = elsewhere.path().join("1.json");
        std::os::unix::fs::symlink(file, top.path().join("2.json")).unwrap();
        std::fs::write(top.path().join("3.json.gz"), "").unwrap();
        assert_eq!(files_below(top.path()).unwrap(), ["3.json.gz"]);
    }

    #[test]
    fn names_tell_recordings() {
        for (name, expected) in
            [("1.json", true), ("1.json.gz", true), ("1.gz", false), ("json", false), ("", false)]
        {
            assert_eq!(is_recording(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn an_error_is_explained_with_its_cause() {
        let source = std::io::Error::other("the disk is gone");
        let error = SourceError::Io { path: "a.json".into(), source };
        assert_eq!(explain(&error), "cannot read a.json: the disk is gone");
        assert_eq!(explain(&SourceError::Panicked), "work of a source panicked");
    }
}
