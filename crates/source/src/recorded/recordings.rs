//! Recordings folders, listed: which blocks of which chains they hold, and where.

use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::sync::Arc;
use std::time::{Duration, Instant};

use superroot_chain::{ChainRow, Registry};
use superroot_types::{BlockNumber, ChainId, ChainKey, Hash, SAFE_INTEGER_MAX};

use super::capture::{Capture, parse_file, read_bounded};
use super::recording::{Pace, Recording, Row};
use crate::error::SourceError;
use crate::{BlockId, NUMBERS_MAX};

/// Name of the index in its folder.
pub(super) const INDEX_FILE: &str = "index.json";

/// Largest index that is read, in bytes.
pub(super) const INDEX_BYTES_MAX: u64 = 64 << 20;

/// Recordings folders, listed; their blocks stay on disk.
#[derive(Debug)]
pub struct Recordings {
    registry: Registry,
    chains: BTreeMap<ChainKey, Recording>,
    left_out: Vec<LeftOut>,
}

/// A recorded chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedChain {
    /// The chain.
    pub chain: ChainKey,
    /// How many blocks of it are recorded, up to the tip.
    pub block_count: usize,
    /// Lowest recorded number.
    pub first: BlockNumber,
    /// Highest recorded block that has a hash.
    pub tip: BlockId,
}

/// Recordings of a chain that are not used: all, or those above the highest that has a hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its id.
    pub chain_id: ChainId,
    /// Its name, as the recordings say.
    pub network: String,
    /// How many blocks.
    pub block_count: usize,
    /// Why they are not used.
    pub why: &'static str,
}

impl Recordings {
    /// Lists folders by their `index.json`, as one: of two rows of a block the first counts. Chains
    /// that cannot be used are listed, not an error. Reads files: call it off the asynchronous
    /// threads. Chains are those of `registry`.
    ///
    /// # Errors
    /// [`SourceError::Io`] when an index cannot be read, [`SourceError::Recording`] when it is none,
    /// is past the bounds, or leads out of its folder. A row whose file is missing is an error of its
    /// block alone.
    pub fn open(folders: &[impl AsRef<Path>], registry: &Registry) -> Result<Self, SourceError> {
        let mut by_id: BTreeMap<u64, Vec<Row>> = BTreeMap::new();
        for folder in folders {
            for row in read_index(folder.as_ref())? {
                by_id.entry(row.chain_id).or_default().push(row);
            }
        }
        let (mut chains, mut left_out) = (BTreeMap::new(), Vec::new());
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
                left_out.push(LeftOut { chain_id, network, block_count, why });
            }
        }
        Ok(Self { registry: registry.clone(), chains, left_out })
    }

    /// The same recordings as nodes that are followed: of each chain that many blocks are there now, and one
    /// more after each block time of its row, until all are.
    #[must_use]
    pub fn paced(mut self, at_start: usize) -> Self {
        let began = Instant::now();
        for (chain, recording) in &mut self.chains {
            let row = self.registry.by_key(*chain).map(|(_, row)| row);
            let block_time = Duration::from_millis(row.map_or(0, |row| row.block_time_ms));
            recording.pace = Some(Pace { began, block_time, at_start });
        }
        self
    }

    /// The rows that its chains are of.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The recorded chains that have a tip, by family and id.
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

    /// All recorded chains of the registry, those of which no block has a hash among them.
    pub fn keys(&self) -> impl Iterator<Item = ChainKey> {
        self.chains.keys().copied()
    }

    /// What is recorded but not used, by chain id.
    #[must_use]
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// The row of a recorded chain.
    pub(crate) fn row(&self, chain: ChainKey) -> Result<&ChainRow, SourceError> {
        let row = self.registry.by_key(chain).map(|(_, row)| row);
        row.ok_or(SourceError::NotRecorded(chain))
    }

    pub(super) fn recording(&self, chain: ChainKey) -> Result<&Recording, SourceError> {
        self.chains.get(&chain).ok_or(SourceError::NotRecorded(chain))
    }

    /// Highest recorded block that has a hash.
    pub(crate) fn tip(&self, chain: ChainKey) -> Result<BlockId, SourceError> {
        self.recording(chain)?.tip().ok_or(SourceError::NotRecorded(chain))
    }

    /// Lowest recorded number.
    pub(crate) fn first(&self, chain: ChainKey) -> Result<BlockNumber, SourceError> {
        self.recording(chain).map(Recording::first)
    }

    /// Recorded numbers from `from` on up to the tip, rising.
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

    /// Number of the recorded block with that hash.
    pub(crate) fn number_of(
        &self,
        chain: ChainKey,
        hash: &Hash,
    ) -> Result<Option<BlockNumber>, SourceError> {
        let recording = self.recording(chain)?;
        let number = recording.by_hash.get(hash).copied().map(BlockNumber);
        Ok(number.filter(|number| recording.shows(*number)))
    }

    /// Number of the recorded block that a transaction is in. The first question reads every block, whose
    /// transactions `hashes` names; what cannot be read has none.
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

    /// Reads the file of a block and checks that it is the one the listing says.
    pub(crate) fn load_capture(
        &self,
        chain: ChainKey,
        number: BlockNumber,
    ) -> Result<Option<Capture>, SourceError> {
        let is_shown = self.recording(chain)?.shows(number);
        if is_shown { self.read_capture(chain, number) } else { Ok(None) }
    }

    /// The same, also where the block is not shown yet.
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

/// The rows of a folder's index. Refuses one that leads out of the folder, or past the numbers that a log
/// holds.
fn read_index(folder: &Path) -> Result<Vec<Row>, SourceError> {
    let index = folder.join(INDEX_FILE);
    let listing: Arc<Path> = index.as_path().into();
    let bytes = read_bounded(&index, INDEX_BYTES_MAX)?;
    let mut rows: Vec<Row> = parse_file(&index, &bytes)?;
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
