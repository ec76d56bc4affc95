//! Events sent to an address of the client's: signed, in order, at least once.
//!
//! ```text
//! log of streams ─► Subscriber ─► message, signed ─► POST ─► 2xx: the next        the cursor moves on
//!                                                        ├─► else: later again    for a day
//!                                                        └─► a day is over        a dead letter: a run of the log
//! ```
//! A *webhook* is an address, what is sent there, and how far it has come: a cursor of the log. Each has a task of
//! its own, so one that hangs holds up no other. Messages are signed as Standard Webhooks says
//! (<https://www.standardwebhooks.com>). A *dead letter* is a run of the log that could not be delivered in time; it
//! can be sent again as long as the log keeps it.
//!
//! What must always hold: events of a webhook arrive in the order of the log; one that was answered with 2xx may be
//! sent again after a crash, one that was not is never passed over in silence; nothing is sent to an address inside
//! the operator's network unless the operator allows it, whatever a name resolves to.

mod address;
mod config;
mod deliver;
mod dispatch;
mod error;
mod row;
mod sign;
mod webhooks;

pub use address::is_public;
pub use config::Config;
pub use deliver::Answered;
pub use dispatch::Dispatcher;
pub use error::WebhookError;
pub use row::{DeadRun, Progress, State, Webhook, WebhookId};
pub use sign::{new_secret, sign};
pub use webhooks::{Change, NewWebhook, PATH, Webhooks};
