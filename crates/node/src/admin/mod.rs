//! What an operator does to a data folder, whether a service runs on it or not.
//!
//! ```text
//! superroot backfill ──► folder free? ──yes──► Job, in this process ────────────┐
//!                             │ no                                              ▼
//!                             └─► DATA/admin.sock ─► router ─► the chain's loop: Job ─► store
//!                                        ▲                │
//!                                        └── events, one JSON object a line
//! ```
//! `superroot admin` acts on accounts in the same way, without a chain's loop: in `accounts`.
//!
//! A chain has one writer at any time: a running service works on an order within the chain's own
//! loop, between two steps. Every act stands in `DATA/admin.log` before it begins. A further command
//! is a route in `router` and a request in `client`.

pub(crate) mod accounts;
mod act;
mod backup;
pub(crate) mod client;
pub(crate) mod job;
mod journal;
mod router;
pub(crate) mod socket;

pub(crate) use act::{Act, Event, Order, Request, WHY_CHARS_MAX};
pub(crate) use backup::BackupRequest;
pub(crate) use journal::{Journal, Outcome, Who, newest_act};
pub(crate) use router::{Admin, OrderSender};

/// The socket of a running service, in its data folder.
pub(crate) const SOCKET: &str = "admin.sock";
