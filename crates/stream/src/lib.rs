//! Event stream: one durable log and its listeners.
//!
//! ```text
//! feeds of all chains ─┐                         ┌─► Subscriber   (an event stream)
//! publications ────────┼─► Writer ─► log ─► Hub ─┼─► Subscriber   (a WebSocket)
//! index of events ─────┘             rows   ring └─► Subscriber   (a webhook)
//! ```
//! The *log* is one line of *rows* over all chains. Events of a row are rendered on reading, once for all listeners. A
//! *cursor* is a position in the log and survives restarts. The *hub* keeps the newest rows in memory. A returning
//! *subscriber* reads the store until caught up; a subscriber behind the memory is notified and closed.
//!
//! Invariants: a listener receives every matching event after a cursor, in order, or a notice to the contrary (`stale`,
//! `gap`, `lagged`); undone blocks are separate events.

mod anchor;
mod cursor;
mod error;
mod hub;
mod load;
mod row;
mod subscriber;
mod subscription;
mod writer;

pub use cursor::{LogCursor, ParseCursorError, RowPosition};
pub use error::StreamError;
pub use hub::{Hub, MoveSignal};
pub use load::{PreparedEvent, event_log};
pub use subscriber::{Delivery, Subscriber};
pub use subscription::{DeliveryFinality, ListenerFilter, Topic};
pub use writer::StreamLogWriter;
