//! What is kept of each block's events beside the index of them.

use std::sync::Arc;

use superroot_index::Views;
use superroot_market::PoolView;
use superroot_order::OrderView;

/// Every view.
pub(crate) fn all() -> Views {
    Arc::from([Box::new(PoolView) as _, Box::new(OrderView) as _])
}
