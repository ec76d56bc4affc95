//! Checksum comparison for the engine's files, without the engine, which does not open some damaged files.
//!
//! ```text
//! db/keyspaces/N/current   id:u64 ‖ xxh3:u128 ‖ 0     the list that is in force, and its checksum
//! db/keyspaces/N/v{id}     an archive of sections, two of them:
//!     tables       levels:u8 (runs:u8 (count:u32 (id:u64 ‖ 0 ‖ xxh3:u128 ‖ sequence:u64)*)*)*
//!     blob_files   count:u32 (id:u64 ‖ 0 ‖ xxh3:u128)*
//! db/keyspaces/N/tables/{id}, db/keyspaces/N/blobs/{id}
//! ```
//! Numbers are little-endian; a checksum is XXH3-128 over a whole file.

use std::fs::{self, File};
use std::io::{Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::{Xxh3Default, xxh3_128};

use super::EmbeddedStore;
use super::aside::hold;
use super::integrity::{differs, io, unread};
use super::journals::check_order;
use crate::StoreError;

/// Bytes hashed per read.
const HASHED_BYTES: usize = 1 << 20;

impl EmbeddedStore {
    /// Compares the store's files in `folder` with their checksums and returns the faults, even for a store that does
    /// not open. Writes nothing. Calls `progress` with the files compared to date.
    ///
    /// Journals have no file checksum: only their order is checked; missing journal data shows when the store is
    /// opened.
    ///
    /// # Errors
    /// [`StoreError::Locked`] if another process has the store open; `Io` if a file is not readable for this user.
    pub fn check_files(
        folder: &Path,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Vec<StoreError>, StoreError> {
        let _held = hold(folder)?;
        let mut faults: Vec<_> = check_order(&folder.join("db")).err().into_iter().collect();
        let mut compared = 0;
        for tree in trees(&folder.join("db").join("keyspaces"))? {
            let files = files_of(&tree).unwrap_or_else(|fault| {
                faults.push(fault);
                Vec::new()
            });
            for (path, expected) in files {
                faults.extend(compare(&path, expected).err());
                compared += 1;
                progress(compared);
            }
        }
        match faults.iter().position(is_refusal) {
            Some(refusal) => Err(faults.swap_remove(refusal)),
            None => Ok(faults),
        }
    }
}

/// Whether the system denies this user access, which says nothing about the file.
fn is_refusal(fault: &StoreError) -> bool {
    matches!(fault, StoreError::Io { source, .. } if source.kind() == ErrorKind::PermissionDenied)
}

/// Folders with the engine's trees: one per table, and the engine's own.
fn trees(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|source| io("list", folder, source))?,
    };
    let mut trees = Vec::new();
    for entry in entries {
        let path = entry.map_err(|source| io("list", folder, source))?.path();
        // a tree without a list was being made when the process died: the engine takes it away
        if path.join("current").exists() {
            trees.push(path);
        }
    }
    trees.sort();
    Ok(trees)
}

/// Files in a tree, with checksums.
fn files_of(tree: &Path) -> Result<Vec<(PathBuf, u128)>, StoreError> {
    let not_a_list = |path: &Path| differs(path, "it is no list of files");
    let path = tree.join("current");
    let current = fs::read(&path).map_err(|source| unread(&path, source))?;
    let mut current = Numbers(&current);
    let (id, expected) = current.u64().zip(current.u128()).ok_or_else(|| not_a_list(&path))?;
    let path = tree.join(format!("v{id}"));
    let list = fs::read(&path).map_err(|source| unread(&path, source))?;
    if xxh3_128(&list) != expected {
        return Err(differs(&path, "its checksum differs"));
    }
    listed(tree, &list).ok_or_else(|| not_a_list(&path))
}

/// Files named by a list; `None` for another format.
fn listed(tree: &Path, list: &[u8]) -> Option<Vec<(PathBuf, u128)>> {
    let archive = sfa::Reader::from_reader(&mut Cursor::new(list)).ok()?;
    let mut tables = Numbers(section(&archive, list, b"tables")?);
    let mut files = Vec::new();
    for _ in 0..tables.u8()? {
        for _ in 0..tables.u8()? {
            for _ in 0..tables.u32()? {
                files.push(tables.file(&tree.join("tables"))?);
                tables.u64()?; // its place in the order of writes
            }
        }
    }
    let mut blobs = Numbers(section(&archive, list, b"blob_files")?);
    for _ in 0..blobs.u32()? {
        files.push(blobs.file(&tree.join("blobs"))?);
    }
    Some(files)
}

fn section<'a>(archive: &sfa::Reader, bytes: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let entry = archive.toc().section(name)?;
    let from = usize::try_from(entry.pos()).ok()?;
    let length = usize::try_from(entry.len()).ok()?;
    bytes.get(from..from.checked_add(length)?)
}

/// Number reader, from the front.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn take<const BYTES: usize>(&mut self) -> Option<[u8; BYTES]> {
        let (head, rest) = self.0.split_first_chunk::<BYTES>()?;
        self.0 = rest;
        Some(*head)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take().map(u8::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn u128(&mut self) -> Option<u128> {
        self.take().map(u128::from_le_bytes)
    }

    /// Reads a file id and checksum; the only checksum kind is 0.
    fn file(&mut self, folder: &Path) -> Option<(PathBuf, u128)> {
        let id = self.u64()?;
        self.u8().filter(|kind| *kind == 0)?;
        Some((folder.join(id.to_string()), self.u128()?))
    }
}

fn compare(path: &Path, expected: u128) -> Result<(), StoreError> {
    match hash_file(path) {
        Ok(got) if got == expected => Ok(()),
        Ok(_) => Err(differs(path, "its checksum differs")),
        Err(source) => Err(unread(path, source)),
    }
}

/// XXH3-128 over a whole file.
fn hash_file(path: &Path) -> std::io::Result<u128> {
    let mut file = File::open(path)?;
    let mut hasher = Xxh3Default::new();
    let mut part = vec![0; HASHED_BYTES];
    loop {
        match file.read(&mut part)? {
            0 => return Ok(hasher.digest128()),
            read => hasher.update(&part[..read]),
        }
    }
}
