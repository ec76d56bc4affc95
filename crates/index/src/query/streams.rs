//! Rows of places side by side, as one line of blocks.

use std::collections::BTreeSet;
use std::collections::VecDeque;

use superroot_store::layout::end_of_prefix;
use superroot_store::{Direction, Store, StoreError, Table};
use superroot_types::{BlockNumber, ChainKey};

use crate::rows;

/// Rows that a stream reads at first, and at most, at one time.
const READ_MIN: usize = 16;
const READ_MAX: usize = 256;

/// Which events of a block may be meant.
pub(super) enum Ordinals {
    /// These.
    Some(BTreeSet<u32>),
    /// Any.
    All,
}

/// Blocks between two numbers, in one direction.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) from: BlockNumber,
    pub(super) to: BlockNumber,
    pub(super) direction: Direction,
}

/// The blocks in which such events may be, in order.
pub(super) struct Line<'a> {
    store: &'a dyn Store,
    direction: Direction,
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

impl<'a> Line<'a> {
    /// Of the rows whose keys begin so, or of all blocks with events.
    pub(super) fn new(
        store: &'a dyn Store,
        chain: ChainKey,
        prefixes: Option<Vec<Vec<u8>>>,
        bounds: Bounds,
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

    /// The next block, and which of its events to look at.
    pub(super) fn next(&mut self) -> Result<Option<(BlockNumber, Ordinals)>, StoreError> {
        for stream in &mut self.streams {
            stream.fill(self.store, self.direction)?;
        }
        let heads = self.streams.iter().filter_map(|stream| stream.rows.front());
        let heads = heads.map(|(number, _)| *number);
        let next = match self.direction {
            Direction::Rising => heads.min(),
            Direction::Falling => heads.max(),
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
    fn new(table: Table, prefix: &[u8], bounds: Bounds) -> Self {
        let at = |number: u64| [prefix, &number.to_be_bytes()].concat();
        let end = bounds.to.0.checked_add(1).map(at).or_else(|| end_of_prefix(prefix));
        let (start, rows) = (at(bounds.from.0), VecDeque::new());
        Self { table, start, end, read: READ_MIN, rows, is_over: false }
    }

    fn fill(&mut self, store: &dyn Store, direction: Direction) -> Result<(), StoreError> {
        if self.is_over || !self.rows.is_empty() {
            return Ok(());
        }
        let (start, end) = (&self.start, self.end.as_deref());
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
                Direction::Rising => self.start = [last.as_slice(), &[0]].concat(),
                Direction::Falling => self.end = Some(last),
            }
        }
        Ok(())
    }
}
