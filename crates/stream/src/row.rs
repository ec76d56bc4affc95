//! Log rows. Integers are big-endian; `chain` has the same form in every table.
//!
//! | key | value |
//! |---|---|
//! | `00` | [`LogBounds`] |
//! | `01 ‖ row:u64` | [`StreamRow`] |

use superroot_store::codec::{Decoder, Encoder};
use superroot_store::layout::{StoredRow, chain_key};
use superroot_store::{Store, StoreError, Table};
use superroot_types::{BlockNumber, ChainId, ChainKey, Family, Hash, UnixSeconds};

/// Most blocks with delivered events in one row: the events must fit into memory.
pub(crate) const EVENT_BLOCKS_MAX: u64 = 8;

const HEAD: [u8; 1] = [0];
const OF_ROW: u8 = 1;

const TAKEN: u8 = 0;
const UNDONE: u8 = 1;
const FINAL: u8 = 2;
const BODY: u8 = 3;
const RETRACTED: u8 = 4;
const ANCHORED: u8 = 5;
const PUBLISHED: u8 = 6;
const MISSED: u8 = 7;

/// First and next row of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogBounds {
    /// Log number, random, set at the start of the log.
    pub log: u64,
    /// Oldest stored row.
    pub oldest: u64,
    /// Next row to write.
    pub next: u64,
}

impl LogBounds {
    /// `log:u64 ‖ oldest:u64 ‖ next:u64`.
    pub(crate) fn encode(self) -> Vec<u8> {
        Encoder::new().u64(self.log).u64(self.oldest).u64(self.next).finish()
    }
}

impl StoredRow for LogBounds {
    fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
        let mut row = Decoder::new(bytes);
        let read = (|| {
            let head = Self { log: row.u64()?, oldest: row.u64()?, next: row.u64()? };
            row.finish(head).filter(|head| head.oldest <= head.next)
        })();
        read.ok_or_else(|| StoreError::corrupt(Table::Stream, key, "not the head of a log"))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockRun {
    pub(crate) chain: ChainKey,
    pub(crate) from: BlockNumber,
    pub(crate) to: BlockNumber,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Events {
    Delivered,
    /// Not delivered: the blocks are older than the log.
    Old,
    /// Unreadable at the time of writing.
    Missed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LogRowKind {
    /// New blocks, not final.
    Taken {
        run: BlockRun,
        hashes: Vec<Hash>,
        events: Events,
    },
    /// Taken blocks were removed.
    Undone {
        run: BlockRun,
        hashes: Vec<Hash>,
    },
    /// Blocks became final; `is_new`: not taken before.
    Final {
        run: BlockRun,
        is_new: bool,
        events: Events,
    },
    /// More parts of block bodies are stored than before.
    Body {
        run: BlockRun,
        events: Events,
    },
    /// Final blocks no longer count.
    Retracted {
        run: BlockRun,
    },
    /// Blocks first anchored in this SuperRoot.
    Anchored {
        run: BlockRun,
        sequence: u64,
        events: Events,
    },
    Published {
        sequence: u64,
        hash: Hash,
    },
    /// Chain changes were pruned before being taken.
    ChangesMissed {
        chain: ChainKey,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StreamRow {
    pub(crate) at: UnixSeconds,
    pub(crate) what: LogRowKind,
}

impl StreamRow {
    /// `at:u64 ‖ what`. What is `00` (taken: run, events, `count:u32 ‖ hash*`), `01` (undone: run, `count:u32 ‖
    /// hash*`), `02` (final: run, `is_new:flag`, events), `03` (body: run, events), `04` (retracted: run), `05`
    /// (anchored: run, `sequence:u64`, events), `06` (published: `sequence:u64 ‖ hash`) or `07` (missed: chain). A run
    /// is `chain ‖ from:u64 ‖ to:u64`, events a byte.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new();
        out.u64(self.at.0);
        match &self.what {
            LogRowKind::Taken { run, hashes, events } => {
                write_run(out.u8(TAKEN), run);
                write_hashes(out.u8(*events as u8), hashes);
            }
            LogRowKind::Undone { run, hashes } => {
                write_run(out.u8(UNDONE), run);
                write_hashes(&mut out, hashes);
            }
            LogRowKind::Final { run, is_new, events } => {
                write_run(out.u8(FINAL), run);
                out.flag(*is_new).u8(*events as u8);
            }
            LogRowKind::Body { run, events } => {
                write_run(out.u8(BODY), run);
                out.u8(*events as u8);
            }
            LogRowKind::Retracted { run } => write_run(out.u8(RETRACTED), run),
            LogRowKind::Anchored { run, sequence, events } => {
                write_run(out.u8(ANCHORED), run);
                out.u64(*sequence).u8(*events as u8);
            }
            LogRowKind::Published { sequence, hash } => {
                _ = out.u8(PUBLISHED).u64(*sequence).hash(hash)
            }
            LogRowKind::ChangesMissed { chain } => _ = out.u8(MISSED).raw(&chain_key(*chain)),
        }
        out.finish()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        let at = UnixSeconds(row.u64()?);
        let what = match row.u8()? {
            TAKEN => {
                let run = read_run(&mut row)?;
                let events = read_events(&mut row)?;
                LogRowKind::Taken { run, hashes: read_hashes(&mut row, &run)?, events }
            }
            UNDONE => {
                let run = read_run(&mut row)?;
                LogRowKind::Undone { run, hashes: read_hashes(&mut row, &run)? }
            }
            FINAL => {
                let run = read_run(&mut row)?;
                let is_new = row.flag()?;
                LogRowKind::Final { run, is_new, events: read_events(&mut row)? }
            }
            BODY => LogRowKind::Body { run: read_run(&mut row)?, events: read_events(&mut row)? },
            RETRACTED => LogRowKind::Retracted { run: read_run(&mut row)? },
            ANCHORED => {
                let run = read_run(&mut row)?;
                let sequence = row.u64()?;
                LogRowKind::Anchored { run, sequence, events: read_events(&mut row)? }
            }
            PUBLISHED => LogRowKind::Published { sequence: row.u64()?, hash: row.hash()? },
            MISSED => LogRowKind::ChangesMissed { chain: read_chain(&mut row)? },
            _ => return None,
        };
        row.finish(Self { at, what })
    }
}

impl StoredRow for StreamRow {
    fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
        let corrupt = || StoreError::corrupt(Table::Stream, key, "not a row of a stream");
        Self::read(bytes).ok_or_else(corrupt)
    }
}

fn write_run(out: &mut Encoder, run: &BlockRun) {
    out.raw(&chain_key(run.chain)).u64(run.from.0).u64(run.to.0);
}

pub(crate) fn read_chain(row: &mut Decoder<'_>) -> Option<ChainKey> {
    let family = Family::try_from(row.u8()?).ok()?;
    Some(ChainKey { family, id: ChainId(row.u64()?) })
}

fn read_run(row: &mut Decoder<'_>) -> Option<BlockRun> {
    let chain = read_chain(row)?;
    let run = BlockRun { chain, from: BlockNumber(row.u64()?), to: BlockNumber(row.u64()?) };
    (run.from <= run.to).then_some(run)
}

fn read_events(row: &mut Decoder<'_>) -> Option<Events> {
    match row.u8()? {
        0 => Some(Events::Delivered),
        1 => Some(Events::Old),
        2 => Some(Events::Missed),
        _ => None,
    }
}

fn write_hashes(out: &mut Encoder, hashes: &[Hash]) {
    out.u32(u32::try_from(hashes.len()).unwrap_or(u32::MAX));
    hashes.iter().for_each(|hash| _ = out.hash(hash));
}

/// Reads one hash per block in the run.
fn read_hashes(row: &mut Decoder<'_>, run: &BlockRun) -> Option<Vec<Hash>> {
    let count = row.u32()?;
    if run.to.0.checked_sub(run.from.0)?.checked_add(1)? != u64::from(count) {
        return None;
    }
    let mut hashes = Vec::new(); // grows with what is really there
    for _ in 0..count {
        hashes.push(row.hash()?);
    }
    Some(hashes)
}

pub(crate) fn head_key() -> &'static [u8] {
    &HEAD
}

pub(crate) fn row_key(row: u64) -> [u8; 9] {
    let mut key = [OF_ROW; 9];
    key[1..].copy_from_slice(&row.to_be_bytes());
    key
}

/// Reads the log bounds; `None` before the writer's first step.
pub(crate) fn load_head(store: &dyn Store) -> Result<Option<LogBounds>, StoreError> {
    let bytes = store.get(Table::Stream, &HEAD)?;
    bytes.map(|bytes| LogBounds::decode(&HEAD, &bytes)).transpose()
}

/// Reads rows from a number on, ascending, at most `limit`.
pub(crate) fn load_rows(
    store: &dyn Store,
    from: u64,
    limit: usize,
) -> Result<Vec<(u64, StreamRow)>, StoreError> {
    let end = superroot_store::layout::end_of_prefix(&[OF_ROW]);
    let direction = superroot_store::ScanOrder::Rising;
    let rows = store.scan(Table::Stream, &row_key(from), end.as_deref(), limit, direction)?;
    let rows = rows.iter().map(|(key, bytes)| {
        let corrupt = || StoreError::corrupt(Table::Stream, key, "not a key of a row");
        let number = key.split_first().and_then(|(_, number)| number.try_into().ok());
        let number = number.map(u64::from_be_bytes).ok_or_else(corrupt)?;
        Ok((number, StreamRow::decode(key, bytes)?))
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn what() -> impl Strategy<Value = LogRowKind> {
        let run = (0..9_u8, any::<u32>(), any::<u32>(), 0..4_u64);
        let rest = (0..8_u8, 0..3_u8, any::<bool>(), any::<u64>());
        (run, rest).prop_map(|((family, id, from, more), (kind, events, is_new, sequence))| {
            let family = Family::try_from(family).unwrap();
            let chain = ChainKey { family, id: ChainId(id.into()) };
            let from = BlockNumber(from.into());
            let run = BlockRun { chain, from, to: BlockNumber(from.0 + more) };
            let events = [Events::Delivered, Events::Old, Events::Missed][usize::from(events)];
            let hashes = (0..=more).map(|place| Hash([place as u8; 32])).collect();
            match kind {
                0 => LogRowKind::Taken { run, hashes, events },
                1 => LogRowKind::Undone { run, hashes },
                2 => LogRowKind::Final { run, is_new, events },
                3 => LogRowKind::Body { run, events },
                4 => LogRowKind::Retracted { run },
                5 => LogRowKind::Anchored { run, sequence, events },
                6 => LogRowKind::Published { sequence, hash: Hash([7; 32]) },
                _ => LogRowKind::ChangesMissed { chain },
            }
        })
    }

    proptest! {
        #[test]
        fn a_row_leads_back_and_has_one_encoding(
            what in what(),
            at: u64,
            place: prop::sample::Index,
            byte: u8,
        ) {
            let row = StreamRow { at: UnixSeconds(at), what };
            let mut bytes = row.encode();
            prop_assert_eq!(&StreamRow::decode(b"", &bytes).unwrap(), &row);
            prop_assert!(StreamRow::decode(b"", &[bytes.as_slice(), &[9]].concat()).is_err());
            let place = place.index(bytes.len());
            bytes[place] = byte;
            if let Ok(read) = StreamRow::decode(b"", &bytes) {
                prop_assert_eq!(read.encode(), bytes);
            }
        }

        #[test]
        fn no_bytes_make_a_row_panic(bytes: Vec<u8>) {
            let _ = StreamRow::decode(b"", &bytes);
            let _ = LogBounds::decode(b"", &bytes);
        }
    }
}
