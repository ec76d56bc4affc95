//! Orders across chains: what the events of each chain say of them, joined by id.

mod view;

pub use view::OrderView;
