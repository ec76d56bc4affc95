//! Renders log rows into wire events, once for all listeners.

mod block_events;
mod form;
mod own;
mod prepared;
mod row_blocks;

use superroot_accumulate::prove::Prover;

pub use self::form::event_log;
pub use self::prepared::PreparedEvent;

use self::block_events::BlockEventLoader;
use self::own::{OwnEvent, render_own};
use self::prepared::size_of;
use self::row_blocks::blocks_of;
use crate::cursor::{LogCursor, RowPosition};
use crate::row::{LogRowKind, StreamRow};
use crate::{StreamError, anchor};

/// Rendered row, complete or for some blocks only.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) row: u64,
    /// Position of the first block with events here ([`RowPosition::block`]).
    pub(crate) begin: u32,
    /// The next block's position, if the row continues.
    pub(crate) rest: Option<u32>,
    /// Events in position order.
    pub(crate) items: Vec<PreparedEvent>,
    /// Whether block events are included, if the row has any.
    pub(crate) has_logs: bool,
    /// Approximate bytes.
    pub(crate) size: usize,
}

impl Loaded {
    /// Whether the block's events, if any, are included.
    pub(crate) fn covers(&self, row: u64, block: u32) -> bool {
        self.row == row && self.begin <= block && self.rest.is_none_or(|rest| block < rest)
    }
}

pub(crate) struct Loader<'a> {
    pub(crate) prover: &'a Prover,
    pub(crate) log: u64,
    pub(crate) with_logs: bool,
    /// Byte limit: no further block is read above the limit.
    pub(crate) bytes_max: usize,
}

impl Loader<'_> {
    /// Renders a row from block position `begin` on.
    pub(crate) fn load(
        &self,
        number: u64,
        row: &StreamRow,
        begin: u32,
    ) -> Result<Loaded, StreamError> {
        let mut items = Vec::new();
        let newest = anchor::newest(self.prover);
        let cursor = LogCursor { log: self.log, row: number, place: RowPosition::default() };
        if begin == 0
            && let Some(OwnEvent { chain, kind, data, blocks }) =
                render_own(self.prover, &row.what)?
        {
            let cursor = LogCursor { place: RowPosition::OF_ROW, ..cursor };
            let mut item =
                PreparedEvent::new((cursor, row.at), (chain, kind), &data, newest.as_ref());
            item.blocks = blocks;
            if let LogRowKind::Anchored { sequence, .. } = &row.what {
                item.sequence = Some(*sequence);
            }
            items.push(item);
        }
        let blocks = blocks_of(&row.what);
        let mut rest = None;
        if let Some(blocks) = blocks.as_ref().filter(|_| self.with_logs) {
            let loader = BlockEventLoader {
                prover: self.prover,
                bytes_max: self.bytes_max,
                at: cursor,
                written_at: row.at,
                newest: newest.as_ref(),
            };
            rest = loader.put_events(blocks, begin, &mut items)?;
        }
        let size = size_of(&items) + 128;
        let has_logs = self.with_logs || blocks.is_none();
        Ok(Loaded { row: number, begin, rest, items, has_logs, size })
    }
}
