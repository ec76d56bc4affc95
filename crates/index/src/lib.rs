//! What is derived from verified blocks, to be searched: their events.
//!
//! ```text
//! store::feed ──► EventIndex (a stage): the events of each block held, by address and first topic
//!                      ├──► rows of each View (prices, orders), in the same commit
//!                      ▼
//! Filter ──► find ──► events in order, and where the search goes on
//!        ──► gaps ──► numbers of which the index cannot say that it has all such events
//! ```
//! An index follows what is held: a block that is undone takes its events with it, in one commit. It
//! proves nothing: each event it finds names the place whose proof the prover makes.

mod block;
pub mod bloom;
mod error;
pub mod event;
mod query;
mod rows;
mod stage;
mod view;

pub use block::load_indexed_hash;
#[doc(hidden)]
pub use block::put_events;
pub use error::IndexError;
pub use event::Event;
pub use query::{Filter, Found, Gap, Hit, PLANNED_MAX, Position, Query, find, gaps, is_followed};
pub use stage::{EVENTS, EventIndex};
pub use view::{EventBlock, Row, View, Views};
