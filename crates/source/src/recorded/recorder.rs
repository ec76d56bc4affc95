//! Writing recordings: blocks of a source, verified, into a folder that [`crate::Recordings`] reads.
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
use superroot_chain::{ChainRow, UntrustedBlock, verify};
use superroot_types::{BlockNumber, Hash};

use super::capture::{parse_file, read_bounded};
use super::recordings::{INDEX_BYTES_MAX, INDEX_FILE};
use crate::error::SourceError;
use crate::ledger::write_capture;
use crate::{BlockAt, Fetched, Parts, Source, off_thread};

/// Rows of chains that a build does not know, beside their recordings.
const ROWS_FILE: &str = "chains.toml";

/// Blocks that are fetched at one time.
const FETCHES_MAX: usize = 8;
/// Blocks after which the index is written again.
const BLOCKS_PER_INDEX: usize = 64;
/// Times that a block is fetched which does not recompute, each time of another node where there
/// is one.
const TRIES_MAX: usize = 3;

/// What became of one number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordStep {
    /// It was written; the size is that of its file, in bytes.
    Written {
        /// The number.
        number: BlockNumber,
        /// Size of the file, zipped.
        bytes: u64,
    },
    /// It had been recorded before.
    Held {
        /// The number.
        number: BlockNumber,
    },
    /// The source has no such block.
    Absent {
        /// The number.
        number: BlockNumber,
    },
    /// It does not recompute, whoever sent it.
    Refused {
        /// The number.
        number: BlockNumber,
        /// Why.
        why: String,
    },
}

/// A recordings folder that blocks of one chain are added to.
#[derive(Debug)]
pub struct Recorder {
    folder: PathBuf,
    row: ChainRow,
    /// Rows of the index, of this and of other chains.
    rows: Vec<Value>,
    /// Which numbers of this chain have a row.
    held: BTreeSet<u64>,
    unwritten: usize,
}

impl Recorder {
    /// Opens a folder, or makes it; what an earlier run wrote is kept. Reads files: call it off the
    /// asynchronous threads.
    ///
    /// # Errors
    /// [`SourceError::Io`] when the folder or its index cannot be read; [`SourceError::Recording`] when it
    /// holds something else.
    pub fn open(folder: &Path, row: &ChainRow) -> Result<Self, SourceError> {
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
        let (folder, row) = (folder.to_path_buf(), row.clone());
        Ok(Self { folder, row, rows, held, unwritten: 0 })
    }

    /// How many blocks of the chain the index has.
    #[must_use]
    pub fn block_count(&self) -> usize {
        self.held.len()
    }

    /// Fetches, verifies and writes the blocks of those numbers, and tells of each what became of
    /// it, in order. It may be dropped at any point and done again: what the index lists stays.
    ///
    /// # Errors
    /// [`SourceError`] of the source that it does not get over by itself; [`SourceError::Io`] when
    /// the folder cannot be written.
    pub async fn record(
        &mut self,
        source: &dyn Source,
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
        source: &dyn Source,
        numbers: impl IntoIterator<Item = BlockNumber, IntoIter: Send> + Send,
        progress: &mut (impl FnMut(RecordStep) + Send),
    ) -> Result<(), SourceError> {
        let (held, row, folder) = (self.held.clone(), self.row.clone(), self.folder.clone());
        let fetches = numbers.into_iter().map(|number| {
            let is_held = held.contains(&number.0);
            let (row, folder) = (row.clone(), folder.clone());
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

/// What became of one number, and the hash of its block where it was written.
type Recorded = (RecordStep, Option<Hash>);

async fn record_one(
    source: &dyn Source,
    row: ChainRow,
    folder: PathBuf,
    number: BlockNumber,
) -> Result<Recorded, SourceError> {
    let path = folder.join(file_of(&row, number));
    let mut why = String::new();
    for _ in 0..TRIES_MAX {
        let fetched = source.fetch_block(BlockAt::Number(number), Parts::Whole, &[]).await?;
        let Some(Fetched { block, sender, .. }) = fetched else {
            return Ok((RecordStep::Absent { number }, None));
        };
        let (row, path) = (row.clone(), path.clone());
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

/// Path of a block's file below the folder.
fn file_of(row: &ChainRow, number: BlockNumber) -> String {
    format!("{}-{}/{number}.json.gz", row.slug, row.id)
}

/// Writes a block in the form that recordings have; gives the size of the file.
fn write_file(row: &ChainRow, path: &Path, block: &UntrustedBlock) -> Result<u64, SourceError> {
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

/// Writes a file so that it is there wholly or not at all, also after a loss of power.
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

/// Refuses a folder that holds more than what an interrupted run of ours leaves behind: an index
/// would hide the rest.
fn refuse_others(folder: &Path, row: &ChainRow) -> Result<(), SourceError> {
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
