//! What the events of a block say of orders.

use superroot_index::{EventBlock, Row, View};
use superroot_store::Table;
use superroot_types::ChainKey;

/// Keeps the legs of orders.
#[derive(Clone, Copy, Debug, Default)]
pub struct OrderView;

impl View for OrderView {
    fn put(&self, _: &EventBlock<'_>, _: &mut Vec<Row>) {}

    fn prefixes(&self, _: ChainKey) -> Vec<(Table, Vec<u8>)> {
        Vec::new()
    }
}
