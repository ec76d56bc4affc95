//! Integrity file: acknowledged commits, recorded apart from the database.
//!
//! The engine opens a database with a rotten journal without an error, silently dropping the rows after the damage. So
//! every commit also records its count and running digest here.
//!
//! ```text
//! offset 0     slot of even counts   magic:8 ‖ count:u64 ‖ digest:32 ‖ crc32c:u32 ‖ zeros to 512
//! offset 512   slot of odd counts    the same
//! ```
//!
//! A write touches one slot, so a torn write leaves the previous mark whole. The newest slot with a valid checksum is
//! the mark; the database may be one commit ahead, never behind.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use superroot_types::Hash;

use crate::StoreError;

const MAGIC: &[u8; 8] = b"SRMARK\0\x01";
const SLOT_BYTES: usize = 512;
const MARK_BYTES: usize = 52;
const FILE_BYTES: usize = 2 * SLOT_BYTES;

/// Acknowledged position: commit count and running digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CommitMark {
    pub(super) count: u64,
    pub(super) digest: Hash,
}

/// Integrity file content.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum IntegrityRecord {
    Missing,
    Unreadable,
    Mark(CommitMark),
}

/// Integrity file, open for the store's lifetime.
#[derive(Debug)]
pub(super) struct IntegrityFile {
    path: PathBuf,
    file: File,
}

impl CommitMark {
    fn encode(&self) -> [u8; MARK_BYTES] {
        let mut bytes = [0; MARK_BYTES];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..16].copy_from_slice(&self.count.to_be_bytes());
        bytes[16..48].copy_from_slice(&self.digest.0);
        let checksum = crc32c::crc32c(&bytes[..48]);
        bytes[48..].copy_from_slice(&checksum.to_be_bytes());
        bytes
    }

    /// Decodes a slot; `None` if not whole.
    fn decode(slot: &[u8]) -> Option<Self> {
        let (body, rest) = slot.split_at_checked(48)?;
        let checksum = u32::from_be_bytes(*rest.first_chunk()?);
        if !body.starts_with(MAGIC) || crc32c::crc32c(body) != checksum {
            return None;
        }
        let count = u64::from_be_bytes(*body.get(8..)?.first_chunk()?);
        let digest = Hash(*body.get(16..)?.first_chunk()?);
        Some(Self { count, digest })
    }

    /// Byte offset for this mark's slot.
    const fn offset(&self) -> u64 {
        (self.count % 2) * SLOT_BYTES as u64
    }
}

/// Reads the file; a wrong file length makes the whole file unreadable.
pub(super) fn load(path: &Path) -> Result<IntegrityRecord, StoreError> {
    let mut bytes = Vec::with_capacity(FILE_BYTES);
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(IntegrityRecord::Missing),
        Err(source) => return Err(io("open", path, source)),
    };
    file.take(FILE_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| io("read", path, source))?;
    if bytes.len() != FILE_BYTES {
        return Ok(IntegrityRecord::Unreadable);
    }
    let marks = bytes.chunks(SLOT_BYTES).filter_map(CommitMark::decode);
    Ok(marks
        .max_by_key(|mark| mark.count)
        .map_or(IntegrityRecord::Unreadable, IntegrityRecord::Mark))
}

impl IntegrityFile {
    /// Creates or replaces the file with one mark, durably.
    pub(super) fn create(path: &Path, mark: &CommitMark) -> Result<Self, StoreError> {
        let mut whole = [0; FILE_BYTES];
        let offset = if mark.count.is_multiple_of(2) { 0 } else { SLOT_BYTES };
        whole[offset..offset + MARK_BYTES].copy_from_slice(&mark.encode());
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .open(path)
            .map_err(|source| io("create", path, source))?;
        file.write_all(&whole)
            .and_then(|()| file.sync_all())
            .map_err(|source| io("write", path, source))?;
        sync_folder(path)?;
        Ok(Self { path: path.to_path_buf(), file })
    }

    /// Opens the existing file.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let file =
            OpenOptions::new().write(true).open(path).map_err(|source| io("open", path, source))?;
        Ok(Self { path: path.to_path_buf(), file })
    }

    /// Writes the mark into its slot; durable on return.
    pub(super) fn write(&mut self, mark: &CommitMark) -> Result<(), StoreError> {
        self.write_part(mark, MARK_BYTES)
    }

    /// Writes only the first `length` bytes, to simulate a torn write in tests.
    pub(super) fn write_part(
        &mut self,
        mark: &CommitMark,
        length: usize,
    ) -> Result<(), StoreError> {
        let bytes = mark.encode();
        self.file
            .seek(SeekFrom::Start(mark.offset()))
            .and_then(|_| self.file.write_all(&bytes[..length]))
            .and_then(|()| self.file.sync_data())
            .map_err(|source| io("write", &self.path, source))
    }
}

/// Makes a new file name durable: syncs the parent folder.
pub(super) fn sync_folder(path: &Path) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or(path);
    if cfg!(unix) {
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .map_err(|source| io("sync", folder, source))?;
    }
    Ok(())
}

pub(super) fn io(operation: &'static str, path: &Path, source: std::io::Error) -> StoreError {
    StoreError::Io { operation, path: path.to_path_buf(), source }
}

/// Error for a file that differs from its written content.
pub(super) fn differs(path: &Path, why: &'static str) -> StoreError {
    StoreError::File { path: path.to_path_buf(), why }
}

/// Error for an unreadable required file.
pub(super) fn unread(path: &Path, source: std::io::Error) -> StoreError {
    match source.kind() {
        ErrorKind::NotFound => differs(path, "it is missing"),
        _ => io("read", path, source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(count: u64) -> CommitMark {
        CommitMark { count, digest: Hash([count as u8; 32]) }
    }

    fn file_with(counts: std::ops::RangeInclusive<u64>) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("integrity");
        let mut file = IntegrityFile::create(&path, &mark(*counts.start())).unwrap();
        for count in counts.skip(1) {
            file.write(&mark(count)).unwrap();
        }
        (folder, path)
    }

    #[test]
    fn the_newest_mark_is_read_back() {
        for newest in 0..5 {
            let (_folder, path) = file_with(0..=newest);
            assert_eq!(load(&path).unwrap(), IntegrityRecord::Mark(mark(newest)));
        }
    }

    #[test]
    fn an_opened_file_goes_on_where_it_was() {
        let (_folder, path) = file_with(3..=4);
        IntegrityFile::open(&path).unwrap().write(&mark(5)).unwrap();
        assert_eq!(load(&path).unwrap(), IntegrityRecord::Mark(mark(5)));
    }

    #[test]
    fn no_file_is_told_from_an_unreadable_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("integrity");
        assert_eq!(load(&path).unwrap(), IntegrityRecord::Missing);
        std::fs::write(&path, [0; FILE_BYTES]).unwrap();
        assert_eq!(load(&path).unwrap(), IntegrityRecord::Unreadable);
    }

    #[test]
    fn another_length_is_unreadable() {
        let (_folder, path) = file_with(0..=1);
        let whole = std::fs::read(&path).unwrap();
        for length in [0, MARK_BYTES, SLOT_BYTES, FILE_BYTES - 1] {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(load(&path).unwrap(), IntegrityRecord::Unreadable, "{length} bytes");
        }
        std::fs::write(&path, [whole.as_slice(), &[0]].concat()).unwrap();
        assert_eq!(load(&path).unwrap(), IntegrityRecord::Unreadable);
    }

    /// Wherever the write of mark 5 is cut, mark 4 stands, or 5 is whole.
    #[test]
    fn a_torn_write_leaves_the_mark_before_it() {
        for length in 0..=MARK_BYTES {
            let (_folder, path) = file_with(3..=4);
            IntegrityFile::open(&path).unwrap().write_part(&mark(5), length).unwrap();
            let expected = if length == MARK_BYTES { mark(5) } else { mark(4) };
            assert_eq!(load(&path).unwrap(), IntegrityRecord::Mark(expected), "cut at {length}");
        }
    }

    #[test]
    fn no_flipped_bit_of_a_mark_is_believed() {
        let encoded = mark(7).encode();
        assert_eq!(CommitMark::decode(&encoded), Some(mark(7)));
        for bit in 0..MARK_BYTES * 8 {
            let mut flipped = encoded;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(CommitMark::decode(&flipped), None, "bit {bit}");
        }
    }

    #[test]
    fn no_cut_mark_is_believed() {
        let encoded = mark(7).encode();
        for length in 0..MARK_BYTES {
            assert_eq!(CommitMark::decode(&encoded[..length]), None, "{length} bytes");
        }
    }
}
