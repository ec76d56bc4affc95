//! What the events of a block say of pools.

use superroot_index::{EventBlock, Row, View};
use superroot_store::Table;
use superroot_types::ChainKey;

/// Keeps what is in force in each pool after each block.
#[derive(Clone, Copy, Debug, Default)]
pub struct PoolView;

impl View for PoolView {
    fn put(&self, _: &EventBlock<'_>, _: &mut Vec<Row>) {}

    fn prefixes(&self, _: ChainKey) -> Vec<(Table, Vec<u8>)> {
        Vec::new()
    }
}
