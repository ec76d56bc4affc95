//! Order legs from a block's events, stored with the index.

use superroot_index::{EventBlock, Row, View};
use superroot_store::layout::end_of_prefix;
use superroot_store::{ScanOrder, Store, StoreError, Table};
use superroot_types::ChainKey;

use crate::decode::legs;
use crate::leg::{Leg, chain_prefix};
use crate::table::ProtocolTable;

/// View that stores order legs.
#[derive(Clone, Copy, Debug, Default)]
pub struct OrderView;

impl View for OrderView {
    fn put(&self, block: &EventBlock<'_>, rows: &mut Vec<Row>) {
        for leg in legs(block) {
            if let Some(protocol) = ProtocolTable::builtin().by_number(leg.protocol) {
                leg.put(protocol, rows);
            }
        }
    }

    /// The legs; the rows that lead to them belong to no chain.
    fn prefixes(&self, chain: ChainKey) -> Vec<(Table, Vec<u8>)> {
        vec![(Table::Order, chain_prefix(chain))]
    }

    fn some_keys(
        &self,
        store: &dyn Store,
        chain: ChainKey,
        limit: usize,
    ) -> Result<Vec<(Table, Vec<u8>)>, StoreError> {
        let prefix = chain_prefix(chain);
        let end = end_of_prefix(&prefix);
        let rows = store.scan(Table::Order, &prefix, end.as_deref(), limit, ScanOrder::Rising)?;
        let mut keys = Vec::new();
        for (key, bytes) in rows {
            let leg = Leg::decode(&key, &bytes)?;
            if let Some(protocol) = ProtocolTable::builtin().by_number(leg.protocol) {
                keys.extend(leg.keys(protocol).into_iter().map(|key| (Table::Order, key)));
            }
            keys.push((Table::Order, key));
        }
        Ok(keys)
    }
}
