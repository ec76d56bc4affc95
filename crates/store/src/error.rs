//! What can go wrong when rows are read, written or opened.

use std::path::{Path, PathBuf};

use superroot_types::{BlockNumber, ChainKey, ErrorKind};

use crate::Table;

/// Why a store did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A row that the batch expects holds something else; nothing was written.
    #[error("a row of table {table} is not what the batch expects, nothing was written")]
    Conflict {
        /// Table of the row.
        table: Table,
    },
    /// A key is past its bound.
    #[error("key of table {table} has {got} bytes, expected at most {expected}")]
    KeyLength {
        /// Table of the key.
        table: Table,
        /// Bytes found.
        got: usize,
        /// Bytes allowed.
        expected: usize,
    },
    /// A value is past its bound.
    #[error("value of table {table} has {got} bytes, expected at most {expected}")]
    ValueLength {
        /// Table of the value.
        table: Table,
        /// Bytes found.
        got: usize,
        /// Bytes allowed.
        expected: usize,
    },
    /// A batch is past its bound.
    #[error("batch has {got} bytes, expected at most {expected}")]
    BatchLength {
        /// Bytes found.
        got: usize,
        /// Bytes allowed.
        expected: usize,
    },
    /// A block cannot be written on top of what is there.
    #[error("block {number} of {chain} cannot be stored: {why}")]
    Block {
        /// Chain of the block.
        chain: ChainKey,
        /// Number of the block.
        number: BlockNumber,
        /// What stands against it.
        why: &'static str,
    },
    /// A copy was given up half way.
    #[error("the copy was given up half way")]
    Stopped,
    /// A file is not what was written.
    #[error("file {} is not what was written: {why}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A stored row is not what was written.
    #[error("row {} of table {table} is corrupt: {why}", hex(key))]
    Corrupt {
        /// Table of the row.
        table: Table,
        /// Key of the row.
        key: Vec<u8>,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The database lost commits that had been acknowledged.
    #[error(
        "database holds {found} commits, but {committed} were acknowledged: restore the whole \
         data folder from a backup (chains can also be collected anew, accounts not)"
    )]
    Rolledback {
        /// Commits acknowledged, by the integrity file.
        committed: u64,
        /// Commits found in the database.
        found: u64,
    },
    /// The integrity file is older than the database can explain.
    #[error(
        "database holds {found} commits, but the integrity file knows of {committed} only: they \
         do not belong together, restore the whole data folder from one backup"
    )]
    Ahead {
        /// Commits acknowledged, by the integrity file.
        committed: u64,
        /// Commits found in the database.
        found: u64,
    },
    /// Database and integrity file hold different histories of the same length.
    #[error(
        "database and integrity file differ at commit {count}: they do not belong together, \
         restore the whole data folder from one backup"
    )]
    Diverged {
        /// Commits by the integrity file.
        count: u64,
    },
    /// The integrity file is missing or unreadable beside a database that holds commits.
    #[error(
        "integrity file {path} {why}, but the database holds {found} commits: restore the whole \
         data folder from a backup (chains can also be collected anew, accounts not)"
    )]
    Integrity {
        /// Where the file is expected.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
        /// Commits found in the database.
        found: u64,
    },
    /// One table lost commits that others still show.
    #[error(
        "table {table} misses its write {missing} of {written}: restore the whole data folder \
         from a backup (chains can also be collected anew, accounts not)"
    )]
    Lost {
        /// The table.
        table: Table,
        /// First write missed, counted from 1.
        missing: u64,
        /// Writes that the table had received.
        written: u64,
    },
    /// The folder was written by another version of this program.
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
    /// The folder holds no store.
    #[error("no SuperRoot data in {path}")]
    NoData {
        /// The folder.
        path: PathBuf,
    },
    /// Another process holds the folder.
    #[error("data folder {path} is in use by another process")]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// So little is free on the disk that nothing is written; the next write may be.
    #[error(
        "the disk of {} is almost full: {} MiB are free and {} MiB stay free, so nothing is written",
        path.display(), free >> 20, least >> 20
    )]
    Full {
        /// The store's folder.
        path: PathBuf,
        /// Bytes free.
        free: u64,
        /// Bytes that stay free.
        least: u64,
    },
    /// A write failed before: the handle does nothing more.
    #[error("an earlier write failed, the store has to be opened again")]
    Dead,
    /// A file could not be read or written.
    #[error("cannot {operation} {path}: {source}")]
    Io {
        /// What was tried.
        operation: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// The database engine failed.
    #[error("database engine cannot {operation}: {source}")]
    Engine {
        /// What was tried.
        operation: &'static str,
        /// The engine's answer.
        source: fjall::Error,
    },
    /// The database engine gave up on its files: damage that it has no error for.
    #[error("the database in {} cannot be opened: its files are damaged", folder.display())]
    Damaged {
        /// Where it lies.
        folder: PathBuf,
    },
}

impl StoreError {
    /// What the caller does about it.
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

    /// The same, where what lies in the folder `from` is named as in the folder `to`.
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

    /// A row that is not what its table holds.
    #[must_use]
    pub fn corrupt(table: Table, key: &[u8], why: &'static str) -> Self {
        Self::Corrupt { table, key: key.to_vec(), why }
    }
}

/// An engine that cannot reach its files may do so later; anything else is damage.
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
