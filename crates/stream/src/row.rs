//! Rows of the log. Integers are big-endian; `chain` is that of every table.
//!
//! | key | value |
//! |---|---|
//! | `00` | [`Head`] |
//! | `01 ‖ row:u64` | [`StreamRow`] |

use superroot_store::codec::{Decoder, Encoder};
use superroot_store::layout::{StoredRow, chain_key};
use superroot_store::{Store, StoreError, Table};
use superroot_types::{BlockNumber, ChainId, ChainKey, Family, Hash, UnixSeconds};

/// Blocks of one row whose events are delivered, at most: what one row leads to has to fit into memory.
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

/// Which rows there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// Which log: a number drawn when it was begun.
    pub log: u64,
    /// The oldest row that is kept.
    pub oldest: u64,
    /// The row that will be written next.
    pub next: u64,
}

impl Head {
    /// `log:u64 ‖ oldest:u64 ‖ next:u64`.
    pub(crate) fn encode(self) -> Vec<u8> {
        Encoder::new().u64(self.log).u64(self.oldest).u64(self.next).finish()
    }
}

impl StoredRow for Head {
    fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
        let mut row = Decoder::new(bytes);
        let read = (|| {
            let head = Self { log: row.u64()?, oldest: row.u64()?, next: row.u64()? };
            row.finish(head).filter(|head| head.oldest <= head.next)
        })();
        read.ok_or_else(|| StoreError::corrupt(Table::Stream, key, "not the head of a log"))
    }
}

/// Blocks of a chain, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) chain: ChainKey,
    pub(crate) from: BlockNumber,
    pub(crate) to: BlockNumber,
}

/// What became of the events of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Events {
    /// They are delivered.
    Delivered,
    /// They are not: the blocks are older than the log.
    Old,
    /// They could not be read when the row was written.
    Missed,
}

/// What a row says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Blocks were taken that are not final.
    Taken { run: Run, hashes: Vec<Hash>, events: Events },
    /// Blocks that were taken are gone.
    Undone { run: Run, hashes: Vec<Hash> },
    /// Blocks are final; `is_new`: they were not taken before.
    Final { run: Run, is_new: bool, events: Events },
    /// More of the bodies of blocks is held than before.
    Body { run: Run, events: Events },
    /// Blocks that were final count no more.
    Retracted { run: Run },
    /// Blocks stand in the SuperRoot of that sequence, and in none before it.
    Anchored { run: Run, sequence: u64, events: Events },
    /// A SuperRoot was published.
    Published { sequence: u64, hash: Hash },
    /// Changes of a chain were gone before they could be taken.
    ChangesMissed { chain: ChainKey },
}

/// A row of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StreamRow {
    /// When it was written.
    pub(crate) at: UnixSeconds,
    pub(crate) what: What,
}

impl StreamRow {
    /// `at:u64 ‖ what`. What is `00` (taken: run, events, `count:u32 ‖ hash*`), `01` (undone: run,
    /// `count:u32 ‖ hash*`), `02` (final: run, `is_new:flag`, events), `03` (body: run, events), `04`
    /// (retracted: run), `05` (anchored: run, `sequence:u64`, events), `06` (published: `sequence:u64 ‖
    /// hash`) or `07` (missed: chain). A run is `chain ‖ from:u64 ‖ to:u64`, events a byte.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new();
        out.u64(self.at.0);
        match &self.what {
            What::Taken { run, hashes, events } => {
                write_run(out.u8(TAKEN), run);
                write_hashes(out.u8(*events as u8), hashes);
            }
            What::Undone { run, hashes } => {
                write_run(out.u8(UNDONE), run);
                write_hashes(&mut out, hashes);
            }
            What::Final { run, is_new, events } => {
                write_run(out.u8(FINAL), run);
                out.flag(*is_new).u8(*events as u8);
            }
            What::Body { run, events } => {
                write_run(out.u8(BODY), run);
                out.u8(*events as u8);
            }
            What::Retracted { run } => write_run(out.u8(RETRACTED), run),
            What::Anchored { run, sequence, events } => {
                write_run(out.u8(ANCHORED), run);
                out.u64(*sequence).u8(*events as u8);
            }
            What::Published { sequence, hash } => _ = out.u8(PUBLISHED).u64(*sequence).hash(hash),
            What::ChangesMissed { chain } => _ = out.u8(MISSED).raw(&chain_key(*chain)),
        }
        out.finish()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        let at = UnixSeconds(row.u64()?);
        let what = match row.u8()? {
            TAKEN => {
                let (run, events) = (read_run(&mut row)?, read_events(&mut row)?);
                What::Taken { run, hashes: read_hashes(&mut row, &run)?, events }
            }
            UNDONE => {
                let run = read_run(&mut row)?;
                What::Undone { run, hashes: read_hashes(&mut row, &run)? }
            }
            FINAL => {
                let (run, is_new) = (read_run(&mut row)?, row.flag()?);
                What::Final { run, is_new, events: read_events(&mut row)? }
            }
            BODY => What::Body { run: read_run(&mut row)?, events: read_events(&mut row)? },
            RETRACTED => What::Retracted { run: read_run(&mut row)? },
            ANCHORED => {
                let (run, sequence) = (read_run(&mut row)?, row.u64()?);
                What::Anchored { run, sequence, events: read_events(&mut row)? }
            }
            PUBLISHED => What::Published { sequence: row.u64()?, hash: row.hash()? },
            MISSED => What::ChangesMissed { chain: read_chain(&mut row)? },
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

fn write_run(out: &mut Encoder, run: &Run) {
    out.raw(&chain_key(run.chain)).u64(run.from.0).u64(run.to.0);
}

pub(crate) fn read_chain(row: &mut Decoder<'_>) -> Option<ChainKey> {
    let family = Family::try_from(row.u8()?).ok()?;
    Some(ChainKey { family, id: ChainId(row.u64()?) })
}

fn read_run(row: &mut Decoder<'_>) -> Option<Run> {
    let chain = read_chain(row)?;
    let run = Run { chain, from: BlockNumber(row.u64()?), to: BlockNumber(row.u64()?) };
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

/// As many hashes as the run has blocks.
fn read_hashes(row: &mut Decoder<'_>, run: &Run) -> Option<Vec<Hash>> {
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

/// Which rows there are; `None` before the first step of the writer.
///
/// # Errors
/// The store's.
pub(crate) fn load_head(store: &dyn Store) -> Result<Option<Head>, StoreError> {
    let bytes = store.get(Table::Stream, &HEAD)?;
    bytes.map(|bytes| Head::decode(&HEAD, &bytes)).transpose()
}

/// Rows from a number on, rising, `limit` at most.
///
/// # Errors
/// The store's.
pub(crate) fn load_rows(
    store: &dyn Store,
    from: u64,
    limit: usize,
) -> Result<Vec<(u64, StreamRow)>, StoreError> {
    let end = superroot_store::layout::end_of_prefix(&[OF_ROW]);
    let direction = superroot_store::Direction::Rising;
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

    fn what() -> impl Strategy<Value = What> {
        let run = (0..9_u8, any::<u32>(), any::<u32>(), 0..4_u64);
        let rest = (0..8_u8, 0..3_u8, any::<bool>(), any::<u64>());
        (run, rest).prop_map(|((family, id, from, more), (kind, events, is_new, sequence))| {
            let family = Family::try_from(family).unwrap();
            let chain = ChainKey { family, id: ChainId(id.into()) };
            let from = BlockNumber(from.into());
            let run = Run { chain, from, to: BlockNumber(from.0 + more) };
            let events = [Events::Delivered, Events::Old, Events::Missed][usize::from(events)];
            let hashes = (0..=more).map(|place| Hash([place as u8; 32])).collect();
            match kind {
                0 => What::Taken { run, hashes, events },
                1 => What::Undone { run, hashes },
                2 => What::Final { run, is_new, events },
                3 => What::Body { run, events },
                4 => What::Retracted { run },
                5 => What::Anchored { run, sequence, events },
                6 => What::Published { sequence, hash: Hash([7; 32]) },
                _ => What::ChangesMissed { chain },
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
            let _ = Head::decode(b"", &bytes);
        }
    }
}
