//! Merges parallel place rows into one sequence of blocks.

use std::collections::BTreeSet;
use std::collections::VecDeque;

use superroot_store::layout::end_of_prefix;
use superroot_store::{ScanOrder, Store, StoreError, Table};
use superroot_types::{BlockNumber, ChainKey};

use crate::rows;

/// Rows in a stream's first read, and the most at a time.
const READ_MIN: usize = 16;
const READ_MAX: usize = 256;

/// Candidate events in a block.
pub(super) enum Ordinals {
    Some(BTreeSet<u32>),
    All,
}

/// Block range with a direction.
#[derive(Clone, Copy)]
pub(super) struct BlockBounds {
    pub(super) from: BlockNumber,
    pub(super) to: BlockNumber,
    pub(super) direction: ScanOrder,
}

/// Blocks that may have such events, in order.
pub(super) struct CandidateBlocks<'a> {
    store: &'a dyn Store,
    direction: ScanOrder,
    streams: Vec<Stream>,
}

struct Stream {
    table: Table,
    start: Vec<u8>,
    end: Option<Vec<u8>>,
    read: usize,
    rows: VecDeque<(BlockNumber, Option<Vec<u32>>)>,
    is_over: bool,
}

impl<'a> CandidateBlocks<'a> {
    /// Blocks from rows with these key prefixes, or all blocks with events.
    pub(super) fn new(
        store: &'a dyn Store,
        chain: ChainKey,
        prefixes: Option<Vec<Vec<u8>>>,
        bounds: BlockBounds,
    ) -> Self {
        let streams = match prefixes {
            None => vec![Stream::new(Table::Event, &rows::event_blocks_prefix(chain), bounds)],
            Some(prefixes) => {
                let of = |prefix: &Vec<u8>| Stream::new(Table::EventPlace, prefix, bounds);
                prefixes.iter().map(of).collect()
            }
        };
        Self { store, direction: bounds.direction, streams }
    }

    /// Next block, with its candidate events.
    pub(super) fn next(&mut self) -> Result<Option<(BlockNumber, Ordinals)>, StoreError> {
        for stream in &mut self.streams {
            stream.fill(self.store, self.direction)?;
        }
        let heads = self.streams.iter().filter_map(|stream| stream.rows.front());
        let heads = heads.map(|(number, _)| *number);
        let next = match self.direction {
            ScanOrder::Rising => heads.min(),
            ScanOrder::Falling => heads.max(),
        };
        let Some(number) = next else { return Ok(None) };
        let mut ordinals = BTreeSet::new();
        let mut all = false;
        for stream in &mut self.streams {
            if stream.rows.front().is_some_and(|(at, _)| *at == number) {
                match stream.rows.pop_front().and_then(|(_, ordinals)| ordinals) {
                    Some(more) => ordinals.extend(more),
                    None => all = true,
                }
            }
        }
        Ok(Some((number, if all { Ordinals::All } else { Ordinals::Some(ordinals) })))
    }
}

impl Stream {
    fn new(table: Table, prefix: &[u8], bounds: BlockBounds) -> Self {
        let at = |number: u64| [prefix, &number.to_be_bytes()].concat();
        let end = bounds.to.0.checked_add(1).map(at).or_else(|| end_of_prefix(prefix));
        let start = at(bounds.from.0);
        let rows = VecDeque::new();
        Self { table, start, end, read: READ_MIN, rows, is_over: false }
    }

    fn fill(&mut self, store: &dyn Store, direction: ScanOrder) -> Result<(), StoreError> {
        if self.is_over || !self.rows.is_empty() {
            return Ok(());
        }
        let start = &self.start;
        let end = self.end.as_deref();
        let rows = store.scan(self.table, start, end, self.read, direction)?;
        self.is_over = rows.len() < self.read;
        self.read = self.read.saturating_mul(2).min(READ_MAX);
        for (key, bytes) in &rows {
            self.rows.push_back(if self.table == Table::EventPlace {
                let (number, ordinals) = rows::decode_place(key, bytes)?;
                (number, Some(ordinals))
            } else {
                let number = key.last_chunk().map(|bytes| BlockNumber(u64::from_be_bytes(*bytes)));
                let corrupt = || StoreError::corrupt(self.table, key, "not a key of a block");
                (number.ok_or_else(corrupt)?, None)
            });
        }
        if let Some((last, _)) = rows.into_iter().next_back() {
            match direction {
                ScanOrder::Rising => self.start = [last.as_slice(), &[0]].concat(),
                ScanOrder::Falling => self.end = Some(last),
            }
        }
        Ok(())
    }
}
