//! What happens, as a line of events: one durable log, and whoever listens to it.
//!
//! ```text
//! feeds of all chains ─┐                         ┌─► Subscriber   (an event stream)
//! publications ────────┼─► Writer ─► log ─► Hub ─┼─► Subscriber   (a WebSocket)
//! index of events ─────┘             rows   ring └─► Subscriber   (a webhook)
//! ```
//! The *log* is one line of *rows* over all chains; what a row leads to (events of its blocks among it) is
//! made when it is read, once for all listeners. A *cursor* is a place in the log, and outlives restarts. The
//! *hub* keeps the newest rows in memory; a *subscriber* that comes back reads the store until it has caught
//! up, and one that falls behind the memory is told so and let go.
//!
//! What must always hold: whoever listens from a cursor on is told everything after it that passes, in order,
//! or is told that it is not (`stale`, `gap`, `lagged`); blocks that are undone are events of their own.

mod anchor;
mod cursor;
mod error;
mod hub;
mod load;
mod row;
mod subscriber;
mod subscription;
mod writer;

pub use cursor::{Cursor, ParseCursorError, Place};
pub use error::StreamError;
pub use hub::{Hub, Moves};
pub use load::{Item, event_log};
pub use subscriber::{Subscriber, Told};
pub use subscription::{Finality, Subscription, Topic};
pub use writer::Writer;
