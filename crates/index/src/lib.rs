//! Searchable event index, derived from verified blocks.
//!
//! ```text
//! store::feed ──► EventIndex (a stage): the events of each block held, by address and first topic
//!                      ├──► rows of each View (prices, orders), in the same commit
//!                      ▼
//! Filter ──► find ──► events in order, and where the search goes on
//!        ──► gaps ──► numbers of which the index cannot say that it has all such events
//! ```
//! The index follows the store: when a block is undone, its events go in the same commit. The index proves nothing:
//! each event has a position, and the prover makes the proof for this position.

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
pub use event::BlockEvent;
pub use query::{
    EventFilter, EventGap, EventQuery, Hit, PLANNED_MAX, Position, SearchResult, find, gaps,
    is_followed,
};
pub use stage::{EVENTS, EventIndex};
pub use view::{EventBlock, Row, View, Views};
