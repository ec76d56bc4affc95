//! Rows of other crates that stand and fall with the events of a block.

use std::sync::Arc;

use superroot_store::layout::end_of_prefix;
use superroot_store::{Direction, Store, StoreError, Table};
use superroot_types::{BlockNumber, ChainKey, Hash, UnixSeconds};

use crate::Event;

/// The events of a block, and which block it is.
#[derive(Clone, Copy, Debug)]
pub struct EventBlock<'a> {
    /// Its chain.
    pub chain: ChainKey,
    /// Its number.
    pub number: BlockNumber,
    /// Its hash.
    pub hash: Hash,
    /// Its time.
    pub timestamp: UnixSeconds,
    /// Its events, in order and whole.
    pub events: &'a [Event],
}

/// A row: table, key, value.
pub type Row = (Table, Vec<u8>, Vec<u8>);

/// What is made of the events of each block, beside the index and in the same commit.
///
/// What it must keep to: the rows follow from the block and its events alone, and no other block has a row
/// under the same key. So a block that is undone takes its rows with it, in whatever order blocks come.
pub trait View: Send + Sync {
    /// Puts the rows of a block.
    fn put(&self, block: &EventBlock<'_>, rows: &mut Vec<Row>);

    /// What the keys of all its rows of a chain begin with, by table.
    fn prefixes(&self, chain: ChainKey) -> Vec<(Table, Vec<u8>)>;

    /// Keys of some of its rows of a chain, `limit` or a little more: they are removed, and it is asked again until
    /// there are none. Whoever has rows whose keys do not begin with the chain finds them by others that do.
    ///
    /// # Errors
    /// Those of the store.
    fn some_keys(
        &self,
        store: &dyn Store,
        chain: ChainKey,
        limit: usize,
    ) -> Result<Vec<(Table, Vec<u8>)>, StoreError> {
        for (table, prefix) in self.prefixes(chain) {
            let end = end_of_prefix(&prefix);
            let rows = store.scan(table, &prefix, end.as_deref(), limit, Direction::Rising)?;
            if !rows.is_empty() {
                return Ok(rows.into_iter().map(|(key, _)| (table, key)).collect());
            }
        }
        Ok(Vec::new())
    }
}

/// Views that an index keeps.
pub type Views = Arc<[Box<dyn View>]>;
