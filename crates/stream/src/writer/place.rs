use superroot_store::codec::{Decoder, Encoder};
use superroot_store::layout::{Feed, StoredRow, stage_key};
use superroot_store::{Store, StoreError, Table};
use superroot_types::BlockNumber;

/// Name of the positions in the stage table.
pub(super) const NAME: &str = "streams";

/// Writer position on one feed, with the chain state needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FeedPlace {
    pub(super) cursor: u64,
    /// First block with delivered events: blocks stored before the log began, or below the first reported block, are
    /// history. `None` until known.
    pub(super) since: Option<BlockNumber>,
    /// First and last block taken and not final.
    pub(super) taken: Option<(BlockNumber, BlockNumber)>,
    /// Newest block reported as final.
    pub(super) final_to: Option<BlockNumber>,
}

impl FeedPlace {
    /// `cursor:u64 ‖ since ‖ taken ‖ final_to`, options of `number:u64`, `from:u64 ‖ to:u64` and `number:u64`.
    pub(super) fn encode(self) -> Vec<u8> {
        let mut out = Encoder::new();
        out.u64(self.cursor).option(self.since, |out, number| _ = out.u64(number.0));
        out.option(self.taken, |out, (from, to)| _ = out.u64(from.0).u64(to.0));
        out.option(self.final_to, |out, number| _ = out.u64(number.0)).finish()
    }

    /// Reads the position on a feed; `None` before the first step.
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
            let cursor = row.u64()?;
            let since = row.option(number)?;
            let taken = row.option(|row| Some((number(row)?, number(row)?)))?;
            let final_to = row.option(number)?;
            row.finish(Self { cursor, since, taken, final_to })
        })();
        read.ok_or_else(|| StoreError::corrupt(Table::Stage, key, "not a place of the streams"))
    }
}
