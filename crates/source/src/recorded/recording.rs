//! What is recorded of one chain: which blocks, where, and how far they are shown.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use serde::Deserialize;
use superroot_types::{BlockNumber, Hash};

use crate::error::SourceError;
use crate::{BlockId, NUMBERS_MAX};

/// One row of an index.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Row {
    pub(super) chain_id: u64,
    #[serde(default)]
    pub(super) network: String,
    pub(super) block: u64,
    #[serde(default)]
    hash: Option<Hash>,
    /// Path below the folder; whole once it is checked.
    pub(super) file: PathBuf,
    /// The index that the row is of.
    #[serde(skip, default = "no_index")]
    pub(super) index: Arc<Path>,
}

fn no_index() -> Arc<Path> {
    Path::new("").into()
}

/// What is recorded of one chain.
#[derive(Debug)]
pub(super) struct Recording {
    pub(super) blocks: BTreeMap<u64, Recorded>,
    pub(super) by_hash: HashMap<Hash, u64>,
    /// Those that have a hash, rising. Those above the last are listed and never given out.
    hashed: Vec<BlockId>,
    /// How they are shown as time goes; without it all of them are.
    pub(super) pace: Option<Pace>,
    /// Numbers of the blocks that transactions are in, once somebody asked for one.
    pub(super) by_transaction: OnceLock<HashMap<Hash, u64>>,
}

/// Blocks appear one by one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    pub(super) began: Instant,
    /// Time between two blocks.
    pub(super) block_time: Duration,
    /// Blocks that were there when it began.
    pub(super) at_start: usize,
}

impl Pace {
    /// How many blocks are there by now.
    fn count(&self) -> usize {
        let passed = self.began.elapsed().as_nanos() / self.block_time.as_nanos().max(1);
        self.at_start.saturating_add(usize::try_from(passed).unwrap_or(usize::MAX))
    }
}

#[derive(Debug)]
pub(super) struct Recorded {
    pub(super) file: PathBuf,
    /// The index that lists it.
    index: Arc<Path>,
    pub(super) hash: Option<Hash>,
}

impl Recorded {
    /// Sorts an error of reading: a file that is gone is a fault of the recording, unless its whole folder
    /// is gone, which may come back.
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
    /// Sorts the rows of one chain.
    pub(super) fn of(rows: Vec<Row>) -> Self {
        let mut blocks = BTreeMap::new();
        for Row { block, hash, file, index, .. } in rows {
            blocks.entry(block).or_insert(Recorded { file, index, hash });
        }
        let id = |(number, block): (&u64, &Recorded)| {
            Some(BlockId { number: BlockNumber(*number), hash: block.hash? })
        };
        let hashed: Vec<BlockId> = blocks.iter().filter_map(id).collect();
        let by_hash = hashed.iter().map(|id| (id.hash, id.number.0)).collect();
        Self { blocks, by_hash, hashed, pace: None, by_transaction: OnceLock::new() }
    }

    /// The newest block that is shown; `None` where no block has a hash.
    pub(super) fn tip(&self) -> Option<BlockId> {
        let count = self.pace.map_or(usize::MAX, |pace| pace.count());
        self.hashed.get(count.clamp(1, self.hashed.len().max(1)) - 1).copied()
    }

    /// Whether it is not above the newest block that is shown.
    pub(super) fn shows(&self, number: BlockNumber) -> bool {
        self.tip().is_some_and(|tip| number <= tip.number)
    }

    /// Recorded numbers of a range, rising.
    pub(super) fn listed(&self, from: u64, last: u64) -> impl Iterator<Item = u64> {
        let numbers = self.blocks.range(from..).map(|(number, _)| *number);
        numbers.take_while(move |number| *number <= last)
    }

    /// Whether it is above the highest block that has a hash: nothing else says how far the chain goes.
    fn is_unhashed(&self, number: u64) -> bool {
        self.hashed.last().is_none_or(|last| last.number.0 < number)
    }

    pub(super) fn unhashed(&self) -> impl Iterator<Item = u64> {
        self.blocks.keys().rev().copied().take_while(|number| self.is_unhashed(*number))
    }

    /// Why these are not used.
    pub(super) const fn why_unhashed(&self) -> &'static str {
        match self.hashed.is_empty() {
            true => "no block of the chain has a hash",
            false => "it is above the highest block that has a hash",
        }
    }

    pub(super) fn first(&self) -> BlockNumber {
        BlockNumber(self.blocks.keys().next().copied().unwrap_or_default())
    }

    /// The highest block that is there by now: its hash is zero where no block has one.
    pub(super) fn newest(&self) -> BlockId {
        let last = self.blocks.keys().next_back().copied().unwrap_or_default();
        self.tip().unwrap_or(BlockId { number: BlockNumber(last), hash: Hash::ZERO })
    }

    /// Numbers that are there by now, those that no hash leads to among them.
    pub(super) fn all(&self, from: BlockNumber, limit: usize) -> Vec<BlockNumber> {
        let last = match self.tip() {
            Some(tip) if self.hashed.last() != Some(&tip) => tip.number.0,
            _ => u64::MAX,
        };
        let numbers = self.listed(from.0, last);
        numbers.take(limit.min(NUMBERS_MAX)).map(BlockNumber).collect()
    }

    /// Refuses a block that no hash leads to.
    pub(super) fn refuse_unhashed(&self, number: BlockNumber) -> Result<(), SourceError> {
        match self.blocks.get(&number.0).filter(|_| self.is_unhashed(number.0)) {
            Some(Recorded { file, .. }) => {
                let why = format!("cannot be checked: {}", self.why_unhashed());
                Err(SourceError::recording(file, why))
            }
            None => Ok(()),
        }
    }
}
