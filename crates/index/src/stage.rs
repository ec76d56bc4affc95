//! The index as a stage over the change feed.

use std::collections::BTreeSet;

use superroot_store::feed::{Change, Feed, Stage};
use superroot_store::layout::end_of_prefix;
use superroot_store::{Batch, Direction, Store};
use superroot_types::BlockNumber;

use crate::{IndexError, block, rows};

/// Name of the stage.
pub const EVENTS: &str = "events";

/// Rows that one step removes, at most, when the index is built anew.
const CLEARED_MAX: usize = 4096;

/// Indexes the events of each block that a change is about: what is held of it then, which a later
/// change will correct.
#[derive(Clone, Copy, Debug, Default)]
pub struct EventIndex;

impl Stage for EventIndex {
    type Error = IndexError;

    fn name(&self) -> &'static str {
        EVENTS
    }

    fn apply(
        &mut self,
        store: &dyn Store,
        feed: Feed,
        changes: &[Change],
        batch: &mut Batch,
    ) -> Result<(), IndexError> {
        let Feed::Chain(chain) = feed else { return Ok(()) };
        let numbers: BTreeSet<BlockNumber> = changes.iter().flat_map(Change::numbers).collect();
        numbers.into_iter().try_for_each(|number| block::put(batch, store, chain, number))
    }

    fn clear(
        &mut self,
        store: &dyn Store,
        feed: Feed,
        batch: &mut Batch,
    ) -> Result<bool, IndexError> {
        let Feed::Chain(chain) = feed else { return Ok(true) };
        for (table, prefix) in rows::prefixes(chain) {
            let end = end_of_prefix(&prefix);
            let rows =
                store.scan(table, &prefix, end.as_deref(), CLEARED_MAX, Direction::Rising)?;
            if rows.is_empty() {
                continue;
            }
            rows.into_iter().for_each(|(key, _)| _ = batch.delete(table, key));
            return Ok(false);
        }
        Ok(true)
    }
}
