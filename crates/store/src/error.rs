//! Store errors.

use std::path::{Path, PathBuf};

use superroot_types::{BlockNumber, ChainKey, ErrorKind};

use crate::Table;

/// Error when reading, writing or opening a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Expected row has another value; nothing was written.
    #[error("a row of table {table} is not what the batch expects, nothing was written")]
    Conflict {
        /// Row's table.
        table: Table,
    },
    /// Key past its bound.
    #[error("key of table {table} has {got} bytes, expected at most {expected}")]
    KeyLength {
        /// Key's table.
        table: Table,
        /// Bytes found.
        got: usize,
        /// Bytes allowed.
        expected: usize,
    },
    /// Value past its bound.
    #[error("value of table {table} has {got} bytes, expected at most {expected}")]
    ValueLength {
        /// Value's table.
        table: Table,
        /// Bytes found.
        got: usize,
        /// Bytes allowed.
        expected: usize,
    },
    /// Batch past its bound.
    #[error("batch has {got} bytes, expected at most {expected}")]
    BatchLength {
        /// Bytes found.
        got: usize,
        /// Bytes allowed.
        expected: usize,
    },
    /// Block conflicts with the stored rows.
    #[error("block {number} of {chain} cannot be stored: {why}")]
    Block {
        /// Block's chain.
        chain: ChainKey,
        /// Block number.
        number: BlockNumber,
        /// Reason.
        why: &'static str,
    },
    /// Copy stopped before completion.
    #[error("the copy was given up half way")]
    Stopped,
    /// File differs from its written content.
    #[error("file {} is not what was written: {why}", path.display())]
    File {
        /// File path.
        path: PathBuf,
        /// Reason.
        why: &'static str,
    },
    /// Stored row differs from its written content.
    #[error("row {} of table {table} is corrupt: {why}", hex(key))]
    Corrupt {
        /// Row's table.
        table: Table,
        /// Row's key.
        key: Vec<u8>,
        /// Reason.
        why: &'static str,
    },
    /// Database lost acknowledged commits.
    #[error(
        "database holds {found} commits, but {committed} were acknowledged: restore the whole \
         data folder from a backup (chains can also be collected anew, accounts not)"
    )]
    Rolledback {
        /// Commits acknowledged, according to the integrity file.
        committed: u64,
        /// Commits found in the database.
        found: u64,
    },
    /// Integrity file is too old for the database.
    #[error(
        "database holds {found} commits, but the integrity file knows of {committed} only: they \
         do not belong together, restore the whole data folder from one backup"
    )]
    Ahead {
        /// Commits acknowledged, according to the integrity file.
        committed: u64,
        /// Commits found in the database.
        found: u64,
    },
    /// Database and integrity file have different histories with equal length.
    #[error(
        "database and integrity file differ at commit {count}: they do not belong together, \
         restore the whole data folder from one backup"
    )]
    Diverged {
        /// Commits according to the integrity file.
        count: u64,
    },
    /// Integrity file missing or unreadable, with commits in the database.
    #[error(
        "integrity file {path} {why}, but the database holds {found} commits: restore the whole \
         data folder from a backup (chains can also be collected anew, accounts not)"
    )]
    Integrity {
        /// Expected file path.
        path: PathBuf,
        /// Reason.
        why: &'static str,
        /// Commits found in the database.
        found: u64,
    },
    /// One table lost commits that other tables still show.
    #[error(
        "table {table} misses its write {missing} of {written}: restore the whole data folder \
         from a backup (chains can also be collected anew, accounts not)"
    )]
    Lost {
        /// Table with the loss.
        table: Table,
        /// First missing write, counted from 1.
        missing: u64,
        /// Writes that the table had received.
        written: u64,
    },
    /// Folder written by another program version.
    #[error(
        "data folder has layout {got}, this program reads layout {expected}: run the version \
         that wrote it, or use an empty folder: chains are collected anew, accounts are not"
    )]
    Layout {
        /// Layout found.
        got: u32,
        /// Layout expected.
        expected: u32,
    },
    /// Folder without a store.
    #[error("no SuperRoot data in {path}")]
    NoData {
        /// Folder path.
        path: PathBuf,
    },
    /// Folder locked by another process.
    #[error("data folder {path} is in use by another process")]
    Locked {
        /// Folder path.
        path: PathBuf,
    },
    /// Disk almost full: nothing is written; the next write may succeed.
    #[error(
        "the disk of {} is almost full: {} MiB are free and {} MiB stay free, so nothing is written",
        path.display(), free >> 20, least >> 20
    )]
    Full {
        /// Store folder.
        path: PathBuf,
        /// Bytes free.
        free: u64,
        /// Bytes that stay free.
        least: u64,
    },
    /// An earlier write failed: the handle refuses all work.
    #[error("an earlier write failed, the store has to be opened again")]
    Dead,
    /// File could not be read or written.
    #[error("cannot {operation} {path}: {source}")]
    Io {
        /// Attempted operation.
        operation: &'static str,
        /// File or folder.
        path: PathBuf,
        /// System error.
        source: std::io::Error,
    },
    /// Database engine failure.
    #[error("database engine cannot {operation}: {source}")]
    Engine {
        /// Attempted operation.
        operation: &'static str,
        /// Engine error.
        source: fjall::Error,
    },
    /// Database engine gave up on its files: damage without an engine error.
    #[error("the database in {} cannot be opened: its files are damaged", folder.display())]
    Damaged {
        /// Damaged folder.
        folder: PathBuf,
    },
}

impl StoreError {
    /// Error class: the caller's next action.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::KeyLength { .. }
            | Self::ValueLength { .. }
            | Self::BatchLength { .. }
            | Self::Block { .. }
            | Self::NoData { .. } => ErrorKind::Invalid,
            Self::Conflict { .. }
            | Self::Locked { .. }
            | Self::Dead
            | Self::Stopped
            | Self::Full { .. }
            | Self::Io { .. } => ErrorKind::Unavailable,
            Self::Corrupt { .. }
            | Self::File { .. }
            | Self::Rolledback { .. }
            | Self::Ahead { .. }
            | Self::Diverged { .. }
            | Self::Integrity { .. }
            | Self::Lost { .. }
            | Self::Damaged { .. }
            | Self::Layout { .. } => ErrorKind::Corrupt,
            Self::Engine { source, .. } => engine_kind(source),
        }
    }

    /// Same error, with paths in folder `from` shown as paths in folder `to`.
    #[must_use]
    pub fn within(mut self, from: &Path, to: &Path) -> Self {
        if let Self::File { path, .. }
        | Self::Integrity { path, .. }
        | Self::Io { path, .. }
        | Self::Locked { path }
        | Self::NoData { path }
        | Self::Damaged { folder: path } = &mut self
        {
            let rest = path.strip_prefix(from).map(Path::to_path_buf);
            if let Ok(rest) = rest {
                *path = to.components().chain(rest.components()).collect();
            }
        }
        self
    }

    /// Error for a row that its table cannot contain.
    #[must_use]
    pub fn corrupt(table: Table, key: &[u8], why: &'static str) -> Self {
        Self::Corrupt { table, key: key.to_vec(), why }
    }
}

/// An engine that cannot reach its files may recover later; any other error is damage.
fn engine_kind(source: &fjall::Error) -> ErrorKind {
    match source {
        fjall::Error::Io(_)
        | fjall::Error::Locked
        | fjall::Error::Poisoned
        | fjall::Error::Storage(fjall::LsmError::Io(_)) => ErrorKind::Unavailable,
        fjall::Error::KeyspaceDeleted => ErrorKind::Bug,
        _ => ErrorKind::Corrupt,
    }
}

fn hex(key: &[u8]) -> String {
    key.iter().fold(String::from("0x"), |text, byte| text + &format!("{byte:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corrupt_row_is_named() {
        let error = StoreError::corrupt(Table::Block, &[0x0a, 0xff], "checksum differs");
        assert_eq!(error.to_string(), "row 0x0aff of table block is corrupt: checksum differs");
        assert_eq!(error.kind(), ErrorKind::Corrupt);
    }

    #[test]
    fn a_file_is_named_as_it_lies_in_a_folder() {
        let fault = |path: &str| StoreError::File { path: path.into(), why: "it is missing" };
        let named = |path: &str, from: &str, to: &str| {
            fault(path).within(Path::new(from), Path::new(to)).to_string()
        };
        let text = "file db/7 is not what was written: it is missing";
        assert_eq!(named("/data/db/7", "/data", ""), text);
        assert_eq!(named("db/7", "/data", "/elsewhere"), text);
        let none = StoreError::NoData { path: "/tmp/x".into() };
        let none = none.within(Path::new("/tmp/x"), Path::new("/data"));
        assert_eq!(none.to_string(), "no SuperRoot data in /data");
        assert_eq!(fault("x").kind(), ErrorKind::Corrupt);
    }

    #[test]
    fn a_lost_write_says_what_to_do() {
        let error = StoreError::Rolledback { committed: 9, found: 4 };
        let text = error.to_string();
        assert!(text.contains("holds 4 commits, but 9 were acknowledged"), "{text}");
        assert!(text.contains("backup") && text.contains("collected anew"), "{text}");
    }

    #[test]
    fn kinds_tell_what_to_do_next() {
        let conflict = StoreError::Conflict { table: Table::Meta };
        let long = StoreError::KeyLength { table: Table::Meta, got: 257, expected: 256 };
        let source = fjall::Error::Io(std::io::Error::other("gone"));
        let unreachable = StoreError::Engine { operation: "read", source };
        let source = fjall::Error::InvalidTrailer;
        let damaged = StoreError::Engine { operation: "open", source };
        assert_eq!(conflict.kind(), ErrorKind::Unavailable);
        assert_eq!(StoreError::Dead.kind(), ErrorKind::Unavailable);
        assert_eq!(long.kind(), ErrorKind::Invalid);
        assert_eq!(unreachable.kind(), ErrorKind::Unavailable);
        assert_eq!(damaged.kind(), ErrorKind::Corrupt);
    }
}
