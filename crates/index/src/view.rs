//! Views: rows of other crates that live with a block's events.

use std::sync::Arc;

use superroot_store::layout::end_of_prefix;
use superroot_store::{ScanOrder, Store, StoreError, Table};
use superroot_types::{BlockNumber, ChainKey, Hash, UnixSeconds};

use crate::BlockEvent;

/// A block's events, with the block's identity.
#[derive(Clone, Copy, Debug)]
pub struct EventBlock<'a> {
    pub chain: ChainKey,
    pub number: BlockNumber,
    pub hash: Hash,
    pub timestamp: UnixSeconds,
    /// All events in order, with full data.
    pub events: &'a [BlockEvent],
}

pub type Row = (Table, Vec<u8>, Vec<u8>);

/// Additional rows for each block's events, in the same commit as the index.
///
/// Requirements: the rows follow from the block and its events alone, and no other block has a row under the same key.
/// An undone block therefore takes its rows with it, in any block order.
pub trait View: Send + Sync {
    fn put(&self, block: &EventBlock<'_>, rows: &mut Vec<Row>);

    /// Key prefixes for all rows of a chain, by table.
    fn prefixes(&self, chain: ChainKey) -> Vec<(Table, Vec<u8>)>;

    /// Keys of some rows of a chain, `limit` or slightly more: the caller removes the rows and repeats until none are
    /// left. Rows without a chain prefix are found through others with one.
    fn some_keys(
        &self,
        store: &dyn Store,
        chain: ChainKey,
        limit: usize,
    ) -> Result<Vec<(Table, Vec<u8>)>, StoreError> {
        for (table, prefix) in self.prefixes(chain) {
            let end = end_of_prefix(&prefix);
            let rows = store.scan(table, &prefix, end.as_deref(), limit, ScanOrder::Rising)?;
            if !rows.is_empty() {
                return Ok(rows.into_iter().map(|(key, _)| (table, key)).collect());
            }
        }
        Ok(Vec::new())
    }
}

pub type Views = Arc<[Box<dyn View>]>;
