//! Event views, stored per block next to the event index.

use std::sync::Arc;

use superroot_index::Views;
use superroot_market::PoolView;
use superroot_order::OrderView;

pub(crate) fn all() -> Views {
    Arc::from([Box::new(PoolView) as _, Box::new(OrderView) as _])
}
