//! Webhooks: events sent to a client's address, signed, in order, at least once.
//!
//! ```text
//! log of streams ─► Subscriber ─► message, signed ─► POST ─► 2xx: the next        the cursor moves on
//!                                                        ├─► else: later again    for a day
//!                                                        └─► a day is over        a dead letter: a run of the log
//! ```
//! A *webhook* is an address, a filter, and a cursor in the log. Each webhook has its own task, so a hanging receiver
//! delays no other webhook. Messages are signed according to Standard Webhooks (<https://www.standardwebhooks.com>). A
//! *dead letter* is a run of the log that could not be delivered in time; it can be resent as long as the log keeps the
//! run.
//!
//! Invariants: events of a webhook arrive in log order; an event answered with 2xx may be resent after a crash, any
//! other event is never skipped silently; nothing is sent to an address inside the operator's network unless the
//! operator allows it, whatever a name resolves to.

mod address;
mod config;
mod deliver;
mod dispatch;
mod error;
mod row;
mod sender;
mod sign;
mod webhooks;

pub use address::is_public;
pub use config::WebhookConfig;
pub use deliver::DeliveryResult;
pub use dispatch::Dispatcher;
pub use error::WebhookError;
pub use row::{DeadRun, WebhookId, WebhookProgress, WebhookRow, WebhookState};
pub use sign::{new_secret, sign};
pub use webhooks::{NewWebhook, PATH, WebhookChange, Webhooks};
