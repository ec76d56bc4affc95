//! Index of recordings folders: chains, blocks and files.

use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::sync::Arc;
use std::time::{Duration, Instant};

use superroot_chain::{ChainRegistry, ChainSpec};
use superroot_types::{BlockNumber, ChainId, ChainKey, Hash, SAFE_INTEGER_MAX};

use super::capture::{Capture, parse_file, read_bounded};
use super::recording::{IndexRow, Recording, ReplayPace};
use crate::error::SourceError;
use crate::{ClaimedBlock, NUMBERS_MAX};

pub(super) const INDEX_FILE: &str = "index.json";

pub(super) const INDEX_BYTES_MAX: u64 = 64 << 20;

/// Listed recordings folders; blocks stay on disk.
#[derive(Debug)]
pub struct Recordings {
    registry: ChainRegistry,
    chains: BTreeMap<ChainKey, Recording>,
    left_out: Vec<UnusedRecording>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedChain {
    pub chain: ChainKey,
    /// Recorded blocks up to the tip.
    pub block_count: usize,
    pub first: BlockNumber,
    /// Highest recorded block with a hash.
    pub tip: ClaimedBlock,
}

/// A chain's unused recordings: all, or blocks above the highest hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusedRecording {
    pub chain_id: ChainId,
    /// Chain name in the recordings.
    pub network: String,
    pub block_count: usize,
    pub why: &'static str,
}

impl Recordings {
    /// Lists folders by `index.json` as a single set: for duplicate rows of a block, the first counts. Unusable chains
    /// are listed, not an error. Chains come from `registry`. Reads files: call off the asynchronous threads.
    ///
    /// # Errors
    /// [`SourceError::Io`] if an index cannot be read; [`SourceError::Recording`] if an index is invalid, above the
    /// limits, or points outside the folder. A row with a missing file is an error for this block only.
    pub fn open(
        folders: &[impl AsRef<Path>],
        registry: &ChainRegistry,
    ) -> Result<Self, SourceError> {
        let mut by_id: BTreeMap<u64, Vec<IndexRow>> = BTreeMap::new();
        for folder in folders {
            for row in read_index(folder.as_ref())? {
                by_id.entry(row.chain_id).or_default().push(row);
            }
        }
        let mut chains = BTreeMap::new();
        let mut left_out = Vec::new();
        for (id, rows) in by_id {
            let chain_id = ChainId(id);
            let network = rows.first().map(|row| row.network.clone()).unwrap_or_default();
            let (block_count, why) = match registry.by_id(chain_id) {
                None => (rows.len(), "it is not in the registry"),
                Some(row) => {
                    let recording = Recording::of(rows);
                    let unhashed = (recording.unhashed().count(), recording.why_unhashed());
                    chains.insert(row.key(), recording);
                    unhashed
                }
            };
            if block_count > 0 {
                left_out.push(UnusedRecording { chain_id, network, block_count, why });
            }
        }
        Ok(Self { registry: registry.clone(), chains, left_out })
    }

    /// Shows blocks over time, like live nodes: per chain, `at_start` blocks are visible now, and another after each
    /// block time of the chain definition.
    #[must_use]
    pub fn paced(mut self, at_start: usize) -> Self {
        let began = Instant::now();
        for (chain, recording) in &mut self.chains {
            let row = self.registry.by_key(*chain).map(|(_, row)| row);
            let block_time = Duration::from_millis(row.map_or(0, |row| row.block_time_ms));
            recording.pace = Some(ReplayPace { began, block_time, at_start });
        }
        self
    }

    /// Definitions of the recorded chains.
    #[must_use]
    pub fn registry(&self) -> &ChainRegistry {
        &self.registry
    }

    /// Recorded chains with a tip, by family and id.
    pub fn chains(&self) -> impl Iterator<Item = RecordedChain> {
        self.chains.iter().filter_map(|(chain, recording)| {
            Some(RecordedChain {
                chain: *chain,
                block_count: recording.blocks.len() - recording.unhashed().count(),
                first: recording.first(),
                tip: recording.tip()?,
            })
        })
    }

    /// All recorded chains in the registry, also without any block hash.
    pub fn keys(&self) -> impl Iterator<Item = ChainKey> {
        self.chains.keys().copied()
    }

    /// Unused recordings, by chain id.
    #[must_use]
    pub fn left_out(&self) -> &[UnusedRecording] {
        &self.left_out
    }

    pub(crate) fn row(&self, chain: ChainKey) -> Result<&ChainSpec, SourceError> {
        let row = self.registry.by_key(chain).map(|(_, row)| row);
        row.ok_or(SourceError::NotRecorded(chain))
    }

    pub(super) fn recording(&self, chain: ChainKey) -> Result<&Recording, SourceError> {
        self.chains.get(&chain).ok_or(SourceError::NotRecorded(chain))
    }

    /// Highest recorded block with a hash.
    pub(crate) fn tip(&self, chain: ChainKey) -> Result<ClaimedBlock, SourceError> {
        self.recording(chain)?.tip().ok_or(SourceError::NotRecorded(chain))
    }

    pub(crate) fn first(&self, chain: ChainKey) -> Result<BlockNumber, SourceError> {
        self.recording(chain).map(Recording::first)
    }

    /// Recorded numbers from `from` up to the tip, ascending.
    pub(crate) fn numbers(
        &self,
        chain: ChainKey,
        from: BlockNumber,
        limit: usize,
    ) -> Result<Vec<BlockNumber>, SourceError> {
        let recording = self.recording(chain)?;
        let last = recording.tip().map(|tip| tip.number.0);
        let numbers = last.into_iter().flat_map(|last| recording.listed(from.0, last));
        Ok(numbers.take(limit.min(NUMBERS_MAX)).map(BlockNumber).collect())
    }

    /// Number of the recorded block with this hash.
    pub(crate) fn number_of(
        &self,
        chain: ChainKey,
        hash: &Hash,
    ) -> Result<Option<BlockNumber>, SourceError> {
        let recording = self.recording(chain)?;
        let number = recording.by_hash.get(hash).copied().map(BlockNumber);
        Ok(number.filter(|number| recording.shows(*number)))
    }

    /// Number of the recorded block with this transaction. The first query reads every block; `hashes` lists the
    /// transactions of a block, and unreadable blocks have none.
    pub(crate) fn number_of_transaction(
        &self,
        chain: ChainKey,
        transaction: &Hash,
        hashes: impl Fn(&Capture) -> Vec<Hash>,
    ) -> Result<Option<BlockNumber>, SourceError> {
        let recording = self.recording(chain)?;
        let by_transaction = recording.by_transaction.get_or_init(|| {
            let of_block = |number: u64| {
                let capture = self.read_capture(chain, BlockNumber(number)).ok().flatten();
                let hashes = capture.map(|capture| hashes(&capture)).unwrap_or_default();
                hashes.into_iter().map(move |hash| (hash, number))
            };
            recording.blocks.keys().copied().flat_map(of_block).collect()
        });
        let number = by_transaction.get(transaction).copied().map(BlockNumber);
        Ok(number.filter(|number| recording.shows(*number)))
    }

    /// Reads a block file and checks the content against the index.
    pub(crate) fn load_capture(
        &self,
        chain: ChainKey,
        number: BlockNumber,
    ) -> Result<Option<Capture>, SourceError> {
        let is_shown = self.recording(chain)?.shows(number);
        if is_shown { self.read_capture(chain, number) } else { Ok(None) }
    }

    /// Like `load_capture`, also for blocks not yet visible.
    fn read_capture(
        &self,
        chain: ChainKey,
        number: BlockNumber,
    ) -> Result<Option<Capture>, SourceError> {
        let Some(recorded) = self.recording(chain)?.blocks.get(&number.0) else { return Ok(None) };
        let capture = Capture::read(&recorded.file).map_err(|error| recorded.missing(error))?;
        let agree = |field: &str, got: String, expected: String| {
            if got == expected {
                return Ok(());
            }
            let why = format!("has {field} {got}, its index says {expected}");
            Err(SourceError::recording(&recorded.file, why))
        };
        let (got_number, got_hash) = capture.block_id()?;
        agree("chainId", capture.chain_id.to_string(), chain.id.to_string())?;
        agree("number", got_number.to_string(), number.to_string())?;
        agree("hash", describe(got_hash.as_ref()), describe(recorded.hash.as_ref()))?;
        Ok(Some(capture))
    }
}

fn describe(hash: Option<&Hash>) -> String {
    hash.map_or_else(|| "missing".into(), Hash::to_string)
}

/// Rows of a folder's index. Rejects paths outside the folder and numbers beyond the log's range.
fn read_index(folder: &Path) -> Result<Vec<IndexRow>, SourceError> {
    let index = folder.join(INDEX_FILE);
    let listing: Arc<Path> = index.as_path().into();
    let bytes = read_bounded(&index, INDEX_BYTES_MAX)?;
    let mut rows: Vec<IndexRow> = parse_file(&index, &bytes)?;
    for row in &mut rows {
        let is_inside = row.file.components().all(|part| matches!(part, Component::Normal(_)));
        let why = if !is_inside || row.file.as_os_str().is_empty() {
            "leads out of the folder"
        } else if row.block > SAFE_INTEGER_MAX || row.chain_id > SAFE_INTEGER_MAX {
            "has a chain id or block number that is not below 2^53"
        } else {
            (row.file, row.index) = (folder.join(&row.file), Arc::clone(&listing));
            continue;
        };
        let why = format!("has a row of {:?} that {why}", row.file);
        return Err(SourceError::recording(&index, why));
    }
    Ok(rows)
}
