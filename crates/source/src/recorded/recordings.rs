//! A recordings folder, listed: which blocks of which chains it holds, and where.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use superroot_chain::{ChainRow, Registry, Status};
use superroot_types::{BlockNumber, ChainId, ChainKey, Hash};

use super::capture::Capture;
use super::listing::{self, Row, Unreadable};
use crate::error::SourceError;
use crate::{BlockId, NUMBERS_MAX};

/// A recordings folder, listed; its blocks stay on disk.
#[derive(Debug)]
pub struct Recordings {
    folder: PathBuf,
    registry: Registry,
    chains: BTreeMap<ChainKey, Recording>,
    left_out: Vec<LeftOut>,
    unreadable: Vec<Unreadable>,
    duplicates: Vec<Duplicate>,
}

/// What is recorded of one chain.
#[derive(Debug)]
pub(super) struct Recording {
    blocks: BTreeMap<u64, Recorded>,
    by_hash: HashMap<Hash, u64>,
    /// Highest recorded block that has a hash.
    tip: BlockId,
}

#[derive(Debug)]
struct Recorded {
    /// Path below the folder.
    file: String,
    hash: Option<Hash>,
}

/// A recorded chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedChain {
    /// The chain.
    pub chain: ChainKey,
    /// How many blocks of it are recorded.
    pub block_count: usize,
    /// Lowest recorded number.
    pub first: BlockNumber,
    /// Highest recorded block that has a hash.
    pub tip: BlockId,
}

/// A chain whose recordings are not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its id.
    pub chain_id: ChainId,
    /// Its name, as the recordings say.
    pub network: String,
    /// How many blocks of it are recorded.
    pub block_count: usize,
    /// Why they are not used.
    pub why: &'static str,
}

/// A second recording of a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The chain's id.
    pub chain_id: ChainId,
    /// The number.
    pub number: BlockNumber,
    /// The file that is used: the first that has a hash.
    pub used: String,
    /// The file that is not.
    pub left_out: String,
}

impl Recordings {
    /// Lists a folder by its `index.json` or, without one, by reading every `.json` and `.json.gz`
    /// file below it. What cannot be used is listed, not an error. Reads files: call it off the
    /// asynchronous threads. Chains are those of `registry`.
    ///
    /// # Errors
    /// [`SourceError::Io`] when the folder cannot be read, [`SourceError::Recording`] when its index is no
    /// list or past the bounds.
    pub fn open(folder: &Path, registry: &Registry) -> Result<Self, SourceError> {
        let (rows, unreadable) = listing::read(folder)?;
        let mut by_id: BTreeMap<u64, Vec<Row>> = BTreeMap::new();
        for row in rows {
            by_id.entry(row.chain_id).or_default().push(row);
        }
        let (mut chains, mut left_out, mut duplicates) = (BTreeMap::new(), Vec::new(), Vec::new());
        for (id, rows) in by_id {
            let chain_id = ChainId(id);
            let network = rows.first().map(|row| row.network.clone()).unwrap_or_default();
            let block_count = rows.len();
            let found = match registry.by_id(chain_id) {
                None => Err("it is not in the registry"),
                Some(row) if row.status() == Status::Planned => {
                    Err("it is of a family that this build does not read")
                }
                Some(row) => Recording::of(rows, &mut duplicates)
                    .map(|recording| (row.key(), recording))
                    .ok_or("none of its blocks has a hash"),
            };
            match found {
                Ok((chain, recording)) => drop(chains.insert(chain, recording)),
                Err(why) => left_out.push(LeftOut { chain_id, network, block_count, why }),
            }
        }
        let (folder, registry) = (folder.to_path_buf(), registry.clone());
        Ok(Self { folder, registry, chains, left_out, unreadable, duplicates })
    }

    /// The rows that its chains are of.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The recorded chains, by family and id.
    pub fn chains(&self) -> impl ExactSizeIterator<Item = RecordedChain> {
        self.chains.iter().map(|(chain, recording)| RecordedChain {
            chain: *chain,
            block_count: recording.blocks.len(),
            first: recording.first(),
            tip: recording.tip,
        })
    }

    /// Chains that are recorded but not used, by id.
    #[must_use]
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Files and index rows that cannot be read. A file that an index lists is opened only when
    /// its block is asked for.
    #[must_use]
    pub fn unreadable(&self) -> &[Unreadable] {
        &self.unreadable
    }

    /// Recordings of a number that is recorded better, or earlier, in another file.
    #[must_use]
    pub fn duplicates(&self) -> &[Duplicate] {
        &self.duplicates
    }

    /// The row of a recorded chain.
    pub(crate) fn row(&self, chain: ChainKey) -> Result<&ChainRow, SourceError> {
        let row = self.registry.by_key(chain).map(|(_, row)| row);
        row.ok_or(SourceError::NotRecorded { chain })
    }

    pub(super) fn recording(&self, chain: ChainKey) -> Result<&Recording, SourceError> {
        self.chains.get(&chain).ok_or(SourceError::NotRecorded { chain })
    }

    /// Highest recorded block that has a hash.
    pub(crate) fn tip(&self, chain: ChainKey) -> Result<BlockId, SourceError> {
        self.recording(chain).map(|recording| recording.tip)
    }

    /// Lowest recorded number.
    pub(crate) fn first(&self, chain: ChainKey) -> Result<BlockNumber, SourceError> {
        self.recording(chain).map(Recording::first)
    }

    /// Recorded numbers from `from` on, rising.
    pub(crate) fn numbers(
        &self,
        chain: ChainKey,
        from: BlockNumber,
        limit: usize,
    ) -> Result<Vec<BlockNumber>, SourceError> {
        let numbers = self.recording(chain)?.blocks.range(from.0..).take(limit.min(NUMBERS_MAX));
        Ok(numbers.map(|(number, _)| BlockNumber(*number)).collect())
    }

    /// Number of the recorded block with that hash.
    pub(crate) fn number_of(
        &self,
        chain: ChainKey,
        hash: &Hash,
    ) -> Result<Option<BlockNumber>, SourceError> {
        Ok(self.recording(chain)?.by_hash.get(hash).copied().map(BlockNumber))
    }

    /// Reads the file of a block and checks that it is the one the listing says.
    pub(crate) fn load_capture(
        &self,
        chain: ChainKey,
        number: BlockNumber,
    ) -> Result<Option<Capture>, SourceError> {
        let Some(recorded) = self.recording(chain)?.blocks.get(&number.0) else { return Ok(None) };
        let path = self.folder.join(&recorded.file);
        let capture = Capture::read(&path)?;
        let agree = |field: &str, got: String, expected: String| {
            if got == expected {
                return Ok(());
            }
            let why = format!("has {field} {got}, its index says {expected}");
            Err(SourceError::Recording { path: recorded.file.clone(), why })
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

impl Recording {
    /// Sorts the rows of one chain; `None` when no row has a hash.
    fn of(rows: Vec<Row>, duplicates: &mut Vec<Duplicate>) -> Option<Self> {
        let mut blocks: BTreeMap<u64, Recorded> = BTreeMap::new();
        for Row { chain_id, block, hash, file, .. } in rows {
            let new = Recorded { file, hash };
            let Some(old) = blocks.get_mut(&block) else {
                blocks.insert(block, new);
                continue;
            };
            let unused = if old.hash.is_none() && new.hash.is_some() {
                std::mem::replace(old, new)
            } else {
                new
            };
            duplicates.push(Duplicate {
                chain_id: ChainId(chain_id),
                number: BlockNumber(block),
                used: old.file.clone(),
                left_out: unused.file,
            });
        }
        let hashed = blocks.iter().filter_map(|(number, block)| Some((block.hash?, *number)));
        let by_hash: HashMap<Hash, u64> = hashed.collect();
        let tip = by_hash.iter().max_by_key(|(_, number)| **number);
        let tip =
            tip.map(|(hash, number)| BlockId { number: BlockNumber(*number), hash: *hash })?;
        Some(Self { blocks, by_hash, tip })
    }

    fn first(&self) -> BlockNumber {
        BlockNumber(self.blocks.keys().next().copied().unwrap_or(self.tip.number.0))
    }
}
