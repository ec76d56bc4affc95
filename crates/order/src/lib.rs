//! Orders across chains: legs from events, joined by id.
//!
//! ```text
//! events of a block ──► legs ──► rows, in the index's own commit      (protocols.toml says how)
//! id, deposit, transaction ──► find ──► load ──► the legs of all chains ──► assemble ──► Order
//! ```
//! A *leg* is the content of one event from a known protocol contract. An *order* is not stored: its state is computed
//! from its legs on each request. Legs may therefore arrive in any order and disappear with their blocks, with the same
//! result.
//!
//! Invariants: events of unknown contracts never open or fill an order; a fill with other terms does not count; for two
//! indistinguishable orders, neither is reported as done alone.

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
mod rounds;
mod state;
mod steps;
mod table;
mod view;

pub use assemble::{Knowledge, assemble};
pub use decode::legs;
pub use find::{CANDIDATES_MAX, OrderQuery, find, load_named};
pub use leg::{Key16, Leg, LegKind, LegPosition, OrderToken, TokenAmount, name_key, order_key};
pub use load::{LISTED_MAX, filter_of, load_legs, scanned};
pub use order::{AwaitedEvent, ChainProgress, Legs, ListedLeg, Order, Stuck, Transition};
pub use state::OrderState;
pub use steps::{Step, load_steps};
pub use table::{KnownToken, OrderProtocol, ProtocolTable};
pub use view::OrderView;

#[cfg(test)]
mod tests;
