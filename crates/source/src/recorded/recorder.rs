//! Recorder: writes verified blocks from a source into a folder for [`crate::Recordings`].
//!
//! ```text
//!   DIR/index.json                    one row a block, written last and at every 64th block
//!   DIR/<slug>-<id>/<number>.json.gz  one file a block, there wholly or not at all
//! ```

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::StreamExt;
use serde_json::{Value, json};
use superroot_chain::{ChainSpec, UntrustedBlock, verify};
use superroot_types::{BlockNumber, Hash};

use super::capture::{parse_file, read_bounded};
use super::recordings::{INDEX_BYTES_MAX, INDEX_FILE};
use crate::error::SourceError;
use crate::ledger::write_capture;
use crate::{BlockAt, BlockParts, BlockSource, FetchedBlock, off_thread};

/// Chain definitions unknown to a build, stored with the recordings.
const ROWS_FILE: &str = "chains.toml";

const FETCHES_MAX: usize = 8;
/// Blocks between two writes of the index.
const BLOCKS_PER_INDEX: usize = 64;
/// Most fetches of a block that fails verification, each from another node if possible.
const TRIES_MAX: usize = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordStep {
    Written {
        number: BlockNumber,
        /// File size after compression, in bytes.
        bytes: u64,
    },
    /// Already recorded.
    Held { number: BlockNumber },
    /// The source has no such block.
    Absent { number: BlockNumber },
    /// The block fails verification, from every sender.
    Refused { number: BlockNumber, why: String },
}

/// Recordings folder open for new blocks of a single chain.
#[derive(Debug)]
pub struct Recorder {
    folder: PathBuf,
    row: ChainSpec,
    rows: Vec<Value>,
    held: BTreeSet<u64>,
    unwritten: usize,
}

impl Recorder {
    /// Opens or creates a folder; earlier recordings are kept. Reads files: call off the asynchronous threads.
    ///
    /// # Errors
    /// [`SourceError::Io`] if the folder or index cannot be read; [`SourceError::Recording`] if the folder contains
    /// other files.
    pub fn open(folder: &Path, row: &ChainSpec) -> Result<Self, SourceError> {
        std::fs::create_dir_all(folder).map_err(|error| SourceError::io(folder, error))?;
        let index = folder.join(INDEX_FILE);
        let rows: Vec<Value> = if index.exists() {
            let bytes = read_bounded(&index, INDEX_BYTES_MAX)?;
            parse_file(&index, &bytes)?
        } else {
            refuse_others(folder, row)?;
            Vec::new()
        };
        let of_chain = |entry: &&Value| entry["chainId"] == row.id.0;
        let held = rows.iter().filter(of_chain).filter_map(|entry| entry["block"].as_u64());
        let held = held.collect();
        let folder = folder.to_path_buf();
        let row = row.clone();
        Ok(Self { folder, row, rows, held, unwritten: 0 })
    }

    /// Number of the chain's blocks in the index.
    #[must_use]
    pub fn block_count(&self) -> usize {
        self.held.len()
    }

    /// Fetches, verifies and writes blocks, and returns a result per number, in order. Cancel-safe and repeatable at
    /// any point: indexed blocks stay.
    ///
    /// # Errors
    /// Unrecoverable [`SourceError`] from the source; [`SourceError::Io`] if the folder cannot be written.
    pub async fn record(
        &mut self,
        source: &dyn BlockSource,
        numbers: impl IntoIterator<Item = BlockNumber, IntoIter: Send> + Send,
        mut progress: impl FnMut(RecordStep) + Send,
    ) -> Result<(), SourceError> {
        let done = self.record_all(source, numbers, &mut progress).await;
        // also after an error: what was written is listed
        let listed = self.write_index().await;
        done.and(listed)
    }

    async fn record_all(
        &mut self,
        source: &dyn BlockSource,
        numbers: impl IntoIterator<Item = BlockNumber, IntoIter: Send> + Send,
        progress: &mut (impl FnMut(RecordStep) + Send),
    ) -> Result<(), SourceError> {
        let held = self.held.clone();
        let row = self.row.clone();
        let folder = self.folder.clone();
        let fetches = numbers.into_iter().map(|number| {
            let is_held = held.contains(&number.0);
            let row = row.clone();
            let folder = folder.clone();
            async move {
                let done = match is_held {
                    true => (RecordStep::Held { number }, None),
                    false => record_one(source, row, folder, number).await?,
                };
                Ok::<_, SourceError>((number, done))
            }
        });
        let mut blocks = futures_util::stream::iter(fetches).buffered(FETCHES_MAX);
        while let Some(done) = blocks.next().await {
            let (number, (step, written)) = done?;
            if let Some(hash) = written {
                self.list(number, hash);
                if self.unwritten >= BLOCKS_PER_INDEX {
                    self.write_index().await?;
                }
            }
            progress(step);
        }
        Ok(())
    }

    fn list(&mut self, number: BlockNumber, hash: Hash) {
        if !self.held.insert(number.0) {
            return;
        }
        self.rows.push(json!({
            "chainId": self.row.id,
            "network": self.row.name,
            "block": number,
            "hash": hash,
            "file": file_of(&self.row, number),
        }));
        self.unwritten += 1;
    }

    async fn write_index(&mut self) -> Result<(), SourceError> {
        if self.unwritten == 0 {
            return Ok(());
        }
        let mut text = String::from("[\n");
        for (place, row) in self.rows.iter().enumerate() {
            let comma = if place + 1 == self.rows.len() { "" } else { "," };
            text.push_str(&format!("{row}{comma}\n"));
        }
        text.push_str("]\n");
        let path = self.folder.join(INDEX_FILE);
        off_thread(move || write_whole(&path, text.as_bytes())).await?;
        self.unwritten = 0;
        Ok(())
    }
}

/// Result for a block number, with the hash of a written block.
type Recorded = (RecordStep, Option<Hash>);

async fn record_one(
    source: &dyn BlockSource,
    row: ChainSpec,
    folder: PathBuf,
    number: BlockNumber,
) -> Result<Recorded, SourceError> {
    let path = folder.join(file_of(&row, number));
    let mut why = String::new();
    for _ in 0..TRIES_MAX {
        let fetched = source.fetch_block(BlockAt::Number(number), BlockParts::Whole, &[]).await?;
        let Some(FetchedBlock { block, sender, .. }) = fetched else {
            return Ok((RecordStep::Absent { number }, None));
        };
        let row = row.clone();
        let path = path.clone();
        let written = off_thread(move || match verify(&row, &block) {
            Ok(verified) if verified.number() == number => {
                let hash = verified.hash();
                let bytes = write_file(&row, &path, &block)?;
                Ok(Ok((hash, bytes)))
            }
            Ok(verified) => Ok(Err(format!("it is block {}", verified.number()))),
            Err(error) => Ok(Err(error.to_string())),
        });
        match written.await? {
            Ok((hash, bytes)) => return Ok((RecordStep::Written { number, bytes }, Some(hash))),
            Err(error) => {
                if let Some(nodes) = source.nodes() {
                    nodes.blame(&sender, &error);
                }
                why = error;
            }
        }
    }
    Ok((RecordStep::Refused { number, why }, None))
}

/// Path of a block file below the folder.
fn file_of(row: &ChainSpec, number: BlockNumber) -> String {
    format!("{}-{}/{number}.json.gz", row.slug, row.id)
}

/// Writes a block as a recording; returns the file size.
fn write_file(row: &ChainSpec, path: &Path, block: &UntrustedBlock) -> Result<u64, SourceError> {
    let (block, receipts) = write_capture(block);
    let capture = json!({
        "chainId": row.id,
        "network": row.name,
        "source": "superroot record",
        "block": block,
        "receipts": receipts,
    });
    let failed = |error| SourceError::io(path, error);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(capture.to_string().as_bytes()).map_err(failed)?;
    let zipped = encoder.finish().map_err(failed)?;
    write_whole(path, &zipped)?;
    Ok(zipped.len() as u64)
}

/// Writes a file completely or not at all, also across a power loss.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), SourceError> {
    let failed = |error| SourceError::io(path, error);
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let mut file = std::fs::File::create(&part).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.sync_all().map_err(failed)?;
    std::fs::rename(&part, path).map_err(failed)?;
    std::fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
}

/// Rejects a folder with more than the leftovers of an interrupted recording: an index would hide the rest.
fn refuse_others(folder: &Path, row: &ChainSpec) -> Result<(), SourceError> {
    let own = format!("{}-{}", row.slug, row.id);
    for entry in std::fs::read_dir(folder).map_err(|error| SourceError::io(folder, error))? {
        let name = entry.map_err(|error| SourceError::io(folder, error))?.file_name();
        let name = name.to_string_lossy();
        if name != own && name != ROWS_FILE && !name.ends_with(".part") {
            let why = "holds files but no index.json, expected an empty folder or a recording";
            return Err(SourceError::recording(folder, why));
        }
    }
    Ok(())
}
