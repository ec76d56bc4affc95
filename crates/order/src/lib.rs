//! Orders across chains: their legs out of events, joined by id.
//!
//! ```text
//! events of a block ──► legs ──► rows, in the index's own commit      (protocols.toml says how)
//! id, deposit, transaction ──► find ──► load ──► the legs of all chains ──► assemble ──► Order
//! ```
//! A *leg* is what one event of a believed contract says of an order. An *order* is no row: its state is computed
//! of its legs whenever it is asked for. So legs may come in any order and go again with their blocks, and the
//! order is the same.
//!
//! What must always hold: no event of another contract makes or fills an order; a fill of other terms does not
//! count; of two orders that cannot be told apart none is said to be done alone.

mod abi;
mod assemble;
mod context;
mod decode;
mod derive;
mod find;
mod fit;
mod leg;
mod load;
mod order;
mod state;
mod steps;
mod table;
mod view;

pub use assemble::{Knowledge, assemble};
pub use decode::legs;
pub use find::{Ask, CANDIDATES_MAX, find, load_named};
pub use leg::{Amount, Key16, Kind, Leg, Place, Token, name_key, order_key};
pub use load::{LISTED_MAX, filter_of, load_legs, load_order, scanned};
pub use order::{Awaits, Clock, Legs, Listed, Order, Stuck, Transition};
pub use state::State;
pub use steps::{Step, load_steps};
pub use table::{KnownToken, Protocol, Table};
pub use view::OrderView;

#[cfg(test)]
mod tests;
