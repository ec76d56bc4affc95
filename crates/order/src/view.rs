//! What the events of a block say of orders, kept beside the index.

use superroot_index::{EventBlock, Row, View};
use superroot_store::layout::end_of_prefix;
use superroot_store::{Direction, Store, StoreError, Table as Rows};
use superroot_types::ChainKey;

use crate::decode::legs;
use crate::leg::{Leg, chain_prefix};
use crate::table::Table;

/// Keeps the legs of orders.
#[derive(Clone, Copy, Debug, Default)]
pub struct OrderView;

impl View for OrderView {
    fn put(&self, block: &EventBlock<'_>, rows: &mut Vec<Row>) {
        for leg in legs(block) {
            if let Some(protocol) = Table::builtin().by_number(leg.protocol) {
                leg.put(&protocol.name, rows);
            }
        }
    }

    /// The legs; the rows that lead to them are of no chain.
    fn prefixes(&self, chain: ChainKey) -> Vec<(Rows, Vec<u8>)> {
        vec![(Rows::Order, chain_prefix(chain))]
    }

    fn some_keys(
        &self,
        store: &dyn Store,
        chain: ChainKey,
        limit: usize,
    ) -> Result<Vec<(Rows, Vec<u8>)>, StoreError> {
        let prefix = chain_prefix(chain);
        let end = end_of_prefix(&prefix);
        let rows = store.scan(Rows::Order, &prefix, end.as_deref(), limit, Direction::Rising)?;
        let mut keys = Vec::new();
        for (key, bytes) in rows {
            let leg = Leg::decode(&key, &bytes)?;
            if let Some(protocol) = Table::builtin().by_number(leg.protocol) {
                keys.extend(leg.keys(&protocol.name).into_iter().map(|key| (Rows::Order, key)));
            }
            keys.push((Rows::Order, key));
        }
        Ok(keys)
    }
}
