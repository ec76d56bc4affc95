//! The index as a stage over the change feed.

use std::collections::BTreeSet;

use superroot_store::feed::{Feed, FeedChange, FeedStage};
use superroot_store::layout::end_of_prefix;
use superroot_store::{ScanOrder, Store, WriteBatch};
use superroot_types::BlockNumber;

use crate::view::Views;
use crate::{IndexError, block, rows};

/// Stage name, with the row version.
pub const EVENTS: &str = "events.4";

/// Most rows removed in one step of an index rebuild.
const CLEARED_MAX: usize = 4096;

/// Indexes the stored events of each changed block; later changes correct the result. Also keeps views.
#[derive(Clone, Default)]
pub struct EventIndex {
    views: Views,
}

impl EventIndex {
    #[must_use]
    pub const fn with(views: Views) -> Self {
        Self { views }
    }
}

impl FeedStage for EventIndex {
    type Error = IndexError;

    fn name(&self) -> &'static str {
        EVENTS
    }

    fn apply(
        &mut self,
        store: &dyn Store,
        feed: Feed,
        changes: &[FeedChange],
        batch: &mut WriteBatch,
    ) -> Result<(), IndexError> {
        let Feed::Chain(chain) = feed else { return Ok(()) };
        let numbers: BTreeSet<BlockNumber> = changes.iter().flat_map(FeedChange::numbers).collect();
        let views = &*self.views;
        numbers.into_iter().try_for_each(|number| block::put(batch, store, views, chain, number))
    }

    fn clear(
        &mut self,
        store: &dyn Store,
        feed: Feed,
        batch: &mut WriteBatch,
    ) -> Result<bool, IndexError> {
        let Feed::Chain(chain) = feed else { return Ok(true) };
        for (table, prefix) in rows::prefixes(chain) {
            let end = end_of_prefix(&prefix);
            let rows =
                store.scan(table, &prefix, end.as_deref(), CLEARED_MAX, ScanOrder::Rising)?;
            if rows.is_empty() {
                continue;
            }
            rows.into_iter().for_each(|(key, _)| _ = batch.delete(table, key));
            return Ok(false);
        }
        for view in &*self.views {
            let keys = view.some_keys(store, chain, CLEARED_MAX)?;
            if !keys.is_empty() {
                keys.into_iter().for_each(|(table, key)| _ = batch.delete(table, key));
                return Ok(false);
            }
        }
        Ok(true)
    }
}
