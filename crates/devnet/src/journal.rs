//! Journal of blocks: times and raw transactions. Integers are big-endian.
//!
//! ```text
//! file    "SRDEVNET" ‖ 01 ‖ chain_id:u64 ‖ block*
//! block   timestamp:u64 ‖ count:u32 ‖ (length:u32 ‖ raw)*
//! ```
//! A cut last block, after a crash, is removed.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::DevnetError;

const MAGIC: &[u8; 9] = b"SRDEVNET\x01";
const HEAD_BYTES: usize = 17;

/// Block in the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JournalBlock {
    pub(crate) timestamp: u64,
    pub(crate) transactions: Vec<Vec<u8>>,
}

#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens or creates the journal; with the blocks so far.
    ///
    /// # Errors
    /// [`DevnetError::Journal`]; [`DevnetError::Damaged`] for another chain's file.
    pub(crate) fn open(
        path: &Path,
        chain_id: u64,
    ) -> Result<(Self, Vec<JournalBlock>), DevnetError> {
        let fault = |source| DevnetError::Journal { path: path.display().to_string(), source };
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(fault)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(fault)?;
        let head = [MAGIC.as_slice(), &chain_id.to_be_bytes()].concat();
        let mut journal = Self { path: path.to_owned(), file };
        if bytes.len() < HEAD_BYTES && head.starts_with(&bytes) {
            journal.write_at(0, &head)?;
            return Ok((journal, Vec::new()));
        }
        if !bytes.starts_with(&head) {
            let path = path.display().to_string();
            return Err(DevnetError::Damaged { path, why: "is of another chain, or no journal" });
        }
        let mut blocks = Vec::new();
        let mut rest = bytes.get(HEAD_BYTES..).unwrap_or_default();
        while let Some((block, after)) = read_block(rest) {
            blocks.push(block);
            rest = after;
        }
        let end = bytes.len().saturating_sub(rest.len());
        journal.write_at(u64::try_from(end).unwrap_or(u64::MAX), &[])?;
        Ok((journal, blocks))
    }

    /// Appends a block. A block with transactions is on disk afterwards.
    ///
    /// # Errors
    /// [`DevnetError::Journal`].
    pub(crate) fn append(&mut self, block: &JournalBlock) -> Result<(), DevnetError> {
        let length = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX).to_be_bytes();
        let mut bytes = block.timestamp.to_be_bytes().to_vec();
        bytes.extend(length(block.transactions.len()));
        for raw in &block.transactions {
            bytes.extend(length(raw.len()));
            bytes.extend(raw);
        }
        self.file.write_all(&bytes).map_err(|error| self.fault(error))?;
        if !block.transactions.is_empty() {
            self.file.sync_data().map_err(|error| self.fault(error))?;
        }
        Ok(())
    }

    /// Cuts the file at a position and writes there.
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> Result<(), DevnetError> {
        let done = self
            .file
            .set_len(at)
            .and_then(|()| self.file.seek(SeekFrom::Start(at)))
            .and_then(|_| self.file.write_all(bytes));
        done.map_err(|error| self.fault(error))
    }

    fn fault(&self, source: std::io::Error) -> DevnetError {
        DevnetError::Journal { path: self.path.display().to_string(), source }
    }
}

/// First block of the bytes, and the rest; `None` for a cut block.
fn read_block(bytes: &[u8]) -> Option<(JournalBlock, &[u8])> {
    let (timestamp, rest) = bytes.split_first_chunk::<8>()?;
    let (count, mut rest) = rest.split_first_chunk::<4>()?;
    let mut transactions = Vec::new();
    for _ in 0..u32::from_be_bytes(*count) {
        let (length, after) = rest.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
        let (raw, after) = after.split_at_checked(length)?;
        transactions.push(raw.to_vec());
        rest = after;
    }
    Some((JournalBlock { timestamp: u64::from_be_bytes(*timestamp), transactions }, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(timestamp: u64) -> JournalBlock {
        let transactions = (0..timestamp % 3).map(|at| vec![at as u8; at as usize * 40]).collect();
        JournalBlock { timestamp, transactions }
    }

    #[test]
    fn what_is_whole_is_read_back_and_a_cut_end_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let (mut journal, blocks) = Journal::open(&path, 7).unwrap();
        assert_eq!(blocks, []);
        let all: Vec<JournalBlock> = (1..9).map(block).collect();
        all.iter().for_each(|block| journal.append(block).unwrap());
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let (mut journal, blocks) = Journal::open(&path, 7).unwrap();
            assert!(all.starts_with(&blocks), "{cut}");
            journal.append(&block(50)).unwrap();
            drop(journal);
            let (_, again) = Journal::open(&path, 7).unwrap();
            assert_eq!(again, [blocks, vec![block(50)]].concat(), "{cut}");
        }
        assert!(matches!(Journal::open(&path, 8), Err(DevnetError::Damaged { .. })));
    }
}
