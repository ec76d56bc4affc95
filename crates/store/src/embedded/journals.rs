//! Batch order in the engine's journals. A batch has a number that ranks its rows above older ones; the engine's batch
//! checksum does not cover the number.
//!
//! ```text
//! db/N.jnl   batches, one after another, under growing numbers; zeros, or what was not finished, at the end
//!     batch   1:u8 ‖ count:u32 ‖ number:u64 ‖ change* ‖ 3:u8 ‖ xxh3:u64 ‖ "FJL" 3
//!     change  2:u8 ‖ kind:u8 ‖ 0:u8 ‖ table:u64 ‖ key:u16 ‖ value:u32 ‖ stored:u32 ‖ key ‖ stored value
//!             4:u8 ‖ table:u64
//! ```
//! Numbers are little-endian. Reading ends at the first unknown format: missing data shows when the store is opened,
//! and the engine's result is compared with the integrity file.

use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::integrity::{self, differs, unread};
use crate::StoreError;

const WHY: &str = "a batch in it stands in the wrong order";

/// Checks that batch numbers strictly increase in the database's journals.
pub(super) fn check_order(database: &Path) -> Result<(), StoreError> {
    let mut last = None;
    for path in journals(database)? {
        let file = File::open(&path).map_err(|source| unread(&path, source))?;
        let mut entries = BufReader::with_capacity(1 << 20, file);
        while let Some(number) =
            next_number(&mut entries).map_err(|source| unread(&path, source))?
        {
            if last.is_some_and(|last| number <= last) {
                return Err(differs(&path, WHY));
            }
            last = Some(number);
        }
    }
    Ok(())
}

/// Journals, oldest first.
fn journals(database: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let entries = match fs::read_dir(database) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|source| integrity::io("list", database, source))?,
    };
    let mut journals = Vec::new();
    for entry in entries {
        let path = entry.map_err(|source| integrity::io("list", database, source))?.path();
        let is_journal = path.extension().is_some_and(|extension| extension == "jnl");
        let number = path.file_stem().and_then(|stem| stem.to_str()?.parse::<u64>().ok());
        journals.extend(number.filter(|_| is_journal).map(|number| (number, path)));
    }
    journals.sort();
    Ok(journals.into_iter().map(|(_, path)| path).collect())
}

/// Next whole batch's number; `None` at the end.
fn next_number(entries: &mut impl Read) -> io::Result<Option<u64>> {
    match read_batch(entries) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
        read => read,
    }
}

fn read_batch(entries: &mut impl Read) -> io::Result<Option<u64>> {
    if take::<1>(entries)? != [1] {
        return Ok(None);
    }
    let count = u32::from_le_bytes(take(entries)?);
    let number = u64::from_le_bytes(take(entries)?);
    for _ in 0..count {
        match take::<1>(entries)? {
            [2] => {
                let [_kind, _coding] = take(entries)?;
                let _table: [u8; 8] = take(entries)?;
                let key = u16::from_le_bytes(take(entries)?);
                let _value: [u8; 4] = take(entries)?;
                let stored = u32::from_le_bytes(take(entries)?);
                skip(entries, u64::from(key) + u64::from(stored))?;
            }
            [4] => skip(entries, 8)?,
            _ => return Ok(None),
        }
    }
    let [3] = take(entries)? else { return Ok(None) };
    let _checksum: [u8; 8] = take(entries)?;
    let is_whole = take(entries)? == *b"FJL\x03";
    Ok(is_whole.then_some(number))
}

fn take<const BYTES: usize>(entries: &mut impl Read) -> io::Result<[u8; BYTES]> {
    let mut bytes = [0; BYTES];
    entries.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn skip(entries: &mut impl Read, bytes: u64) -> io::Result<()> {
    let skipped = io::copy(&mut entries.take(bytes), &mut io::sink())?;
    if skipped == bytes { Ok(()) } else { Err(ErrorKind::UnexpectedEof.into()) }
}
