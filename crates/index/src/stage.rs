//! The index as a stage over the change feed.

use std::collections::BTreeSet;

use superroot_store::feed::{Change, Feed, Stage};
use superroot_store::layout::end_of_prefix;
use superroot_store::{Batch, Direction, Store};
use superroot_types::BlockNumber;

use crate::view::Views;
use crate::{IndexError, block, rows};

/// Name of the stage, with the form that its rows are made in.
pub const EVENTS: &str = "events.4";

/// Rows that one step removes, at most, when the index is built anew.
const CLEARED_MAX: usize = 4096;

/// Indexes the events of each block that a change is about: what is held of it then, which a later
/// change will correct. Views are kept beside it.
#[derive(Clone, Default)]
pub struct EventIndex {
    views: Views,
}

impl EventIndex {
    /// An index with these views.
    #[must_use]
    pub const fn with(views: Views) -> Self {
        Self { views }
    }
}

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
        let views = &*self.views;
        numbers.into_iter().try_for_each(|number| block::put(batch, store, views, chain, number))
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
