//! Prices of tokens, out of what proven events say of pools.

mod rows;
mod view;

pub use view::PoolView;
