//! Recordings of a single chain: blocks, files, visible range.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use serde::Deserialize;
use superroot_types::{BlockNumber, Hash};

use crate::error::SourceError;
use crate::{ClaimedBlock, NUMBERS_MAX};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct IndexRow {
    pub(super) chain_id: u64,
    #[serde(default)]
    pub(super) network: String,
    pub(super) block: u64,
    #[serde(default)]
    hash: Option<Hash>,
    /// Path below the folder; full path after the check.
    pub(super) file: PathBuf,
    #[serde(skip, default = "no_index")]
    pub(super) index: Arc<Path>,
}

fn no_index() -> Arc<Path> {
    Path::new("").into()
}

#[derive(Debug)]
pub(super) struct Recording {
    pub(super) blocks: BTreeMap<u64, RecordedBlock>,
    pub(super) by_hash: HashMap<Hash, u64>,
    /// Blocks with a hash, ascending. Blocks above the last are listed and never served.
    hashed: Vec<ClaimedBlock>,
    /// Pace of appearance; `None` shows all blocks.
    pub(super) pace: Option<ReplayPace>,
    /// Block numbers by transaction, built on the first query.
    pub(super) by_transaction: OnceLock<HashMap<Hash, u64>>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ReplayPace {
    pub(super) began: Instant,
    pub(super) block_time: Duration,
    /// Blocks visible at the start.
    pub(super) at_start: usize,
}

impl ReplayPace {
    /// Number of blocks visible now.
    fn count(&self) -> usize {
        let passed = self.began.elapsed().as_nanos() / self.block_time.as_nanos().max(1);
        self.at_start.saturating_add(usize::try_from(passed).unwrap_or(usize::MAX))
    }
}

#[derive(Debug)]
pub(super) struct RecordedBlock {
    pub(super) file: PathBuf,
    index: Arc<Path>,
    pub(super) hash: Option<Hash>,
}

impl RecordedBlock {
    /// Classifies a read error: a missing file is a recording fault, unless the whole folder is missing and may come
    /// back.
    pub(super) fn missing(&self, error: SourceError) -> SourceError {
        use std::io::ErrorKind::{NotADirectory, NotFound};
        match error {
            SourceError::Io { source, .. }
                if matches!(source.kind(), NotFound | NotADirectory) && self.index.is_file() =>
            {
                SourceError::recording(&self.file, "is missing, though the index lists it")
            }
            error => error,
        }
    }
}

impl Recording {
    pub(super) fn of(rows: Vec<IndexRow>) -> Self {
        let mut blocks = BTreeMap::new();
        for IndexRow { block, hash, file, index, .. } in rows {
            blocks.entry(block).or_insert(RecordedBlock { file, index, hash });
        }
        let id = |(number, block): (&u64, &RecordedBlock)| {
            Some(ClaimedBlock { number: BlockNumber(*number), hash: block.hash? })
        };
        let hashed: Vec<ClaimedBlock> = blocks.iter().filter_map(id).collect();
        let by_hash = hashed.iter().map(|id| (id.hash, id.number.0)).collect();
        Self { blocks, by_hash, hashed, pace: None, by_transaction: OnceLock::new() }
    }

    /// Newest visible block; `None` if no block has a hash.
    pub(super) fn tip(&self) -> Option<ClaimedBlock> {
        let count = self.pace.map_or(usize::MAX, |pace| pace.count());
        self.hashed.get(count.clamp(1, self.hashed.len().max(1)) - 1).copied()
    }

    /// Whether the number is at most the newest visible block.
    pub(super) fn shows(&self, number: BlockNumber) -> bool {
        self.tip().is_some_and(|tip| number <= tip.number)
    }

    /// Recorded numbers in a range, ascending.
    pub(super) fn listed(&self, from: u64, last: u64) -> impl Iterator<Item = u64> {
        let numbers = self.blocks.range(from..).map(|(number, _)| *number);
        numbers.take_while(move |number| *number <= last)
    }

    /// Whether the number is above the highest block with a hash: the true chain tip is unknown there.
    fn is_unhashed(&self, number: u64) -> bool {
        self.hashed.last().is_none_or(|last| last.number.0 < number)
    }

    pub(super) fn unhashed(&self) -> impl Iterator<Item = u64> {
        self.blocks.keys().rev().copied().take_while(|number| self.is_unhashed(*number))
    }

    /// Reason for ignoring blocks without hash.
    pub(super) const fn why_unhashed(&self) -> &'static str {
        match self.hashed.is_empty() {
            true => "no block of the chain has a hash",
            false => "it is above the highest block that has a hash",
        }
    }

    pub(super) fn first(&self) -> BlockNumber {
        BlockNumber(self.blocks.keys().next().copied().unwrap_or_default())
    }

    /// Highest visible block; zero hash if no block has a hash.
    pub(super) fn newest(&self) -> ClaimedBlock {
        let last = self.blocks.keys().next_back().copied().unwrap_or_default();
        self.tip().unwrap_or(ClaimedBlock { number: BlockNumber(last), hash: Hash::ZERO })
    }

    /// Visible numbers, including blocks above the last hash.
    pub(super) fn all(&self, from: BlockNumber, limit: usize) -> Vec<BlockNumber> {
        let last = match self.tip() {
            Some(tip) if self.hashed.last() != Some(&tip) => tip.number.0,
            _ => u64::MAX,
        };
        let numbers = self.listed(from.0, last);
        numbers.take(limit.min(NUMBERS_MAX)).map(BlockNumber).collect()
    }

    pub(super) fn refuse_unhashed(&self, number: BlockNumber) -> Result<(), SourceError> {
        match self.blocks.get(&number.0).filter(|_| self.is_unhashed(number.0)) {
            Some(RecordedBlock { file, .. }) => {
                let why = format!("cannot be checked: {}", self.why_unhashed());
                Err(SourceError::recording(file, why))
            }
            None => Ok(()),
        }
    }
}
