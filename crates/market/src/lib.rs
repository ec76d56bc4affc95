//! Prices of tokens, out of what proven events say of pools.

mod view;

pub use view::PoolView;
