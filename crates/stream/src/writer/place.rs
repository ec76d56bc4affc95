//! How far the writer is with one feed.

use superroot_store::codec::{Decoder, Encoder};
use superroot_store::layout::{Feed, StoredRow, stage_key};
use superroot_store::{Store, StoreError, Table};
use superroot_types::BlockNumber;

/// Name under which the places stand among those of stages.
pub(super) const NAME: &str = "streams";

/// How far the writer is with one feed, and what it has to remember of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FeedPlace {
    /// Number of the next row of the feed.
    pub(super) cursor: u64,
    /// First block whose events are delivered: what was held before the log began, or is below the first
    /// block that it tells of, is history. `None` until there is one.
    pub(super) since: Option<BlockNumber>,
    /// Blocks that were taken and are not final: first and last.
    pub(super) taken: Option<(BlockNumber, BlockNumber)>,
    /// Newest block that the log told to be final.
    pub(super) final_to: Option<BlockNumber>,
}

impl FeedPlace {
    /// `cursor:u64 ‖ since ‖ taken ‖ final_to`, options of `number:u64`, `from:u64 ‖ to:u64` and
    /// `number:u64`.
    pub(super) fn encode(self) -> Vec<u8> {
        let mut out = Encoder::new();
        out.u64(self.cursor).option(self.since, |out, number| _ = out.u64(number.0));
        out.option(self.taken, |out, (from, to)| _ = out.u64(from.0).u64(to.0));
        out.option(self.final_to, |out, number| _ = out.u64(number.0)).finish()
    }

    /// The place on that feed; `None` before the first step.
    pub(super) fn load(store: &dyn Store, feed: Feed) -> Result<Option<Self>, StoreError> {
        let key = stage_key(NAME, feed);
        let bytes = store.get(Table::Stage, &key)?;
        bytes.map(|bytes| Self::decode(&key, &bytes)).transpose()
    }
}

impl StoredRow for FeedPlace {
    fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
        let mut row = Decoder::new(bytes);
        let number = |row: &mut Decoder<'_>| row.u64().map(BlockNumber);
        let read = (|| {
            let (cursor, since) = (row.u64()?, row.option(number)?);
            let taken = row.option(|row| Some((number(row)?, number(row)?)))?;
            let final_to = row.option(number)?;
            row.finish(Self { cursor, since, taken, final_to })
        })();
        read.ok_or_else(|| StoreError::corrupt(Table::Stage, key, "not a place of the streams"))
    }
}
