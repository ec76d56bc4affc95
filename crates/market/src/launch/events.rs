//! Events of a block.

use superroot_index::{EventFilter, EventQuery, Hit, IndexError};
use superroot_store::{ScanOrder, Store};
use superroot_types::{BlockNumber, ChainKey};

pub(super) fn events(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
    filter: EventFilter,
) -> Result<Vec<Hit>, IndexError> {
    let query = EventQuery {
        chain,
        filter,
        from: number,
        to: number,
        direction: ScanOrder::Rising,
        at: None,
        limit: usize::MAX,
        examined_max: usize::MAX,
        data_bytes_max: usize::MAX,
    };
    Ok(superroot_index::find(store, &query)?.events)
}
