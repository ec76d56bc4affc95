//! Operator commands on a data folder, with or without a running service.
//!
//! ```text
//! superroot backfill ──► folder free? ──yes──► Job, in this process ────────────┐
//!                             │ no                                              ▼
//!                             └─► DATA/admin.sock ─► router ─► the chain's loop: Job ─► store
//!                                        ▲                │
//!                                        └── events, one JSON object a line
//! ```
//! `superroot admin` works on accounts in the same way, without a chain loop: in `accounts`.
//!
//! A chain has one writer: a running service executes commands in the chain's loop, between two steps. Every action is
//! noted in `DATA/admin.log` before the begin. A new command needs a route in `router` and a request in `client`.

pub(crate) mod accounts;
mod act;
mod backup;
pub(crate) mod client;
pub(crate) mod job;
mod journal;
mod router;
pub(crate) mod socket;

pub(crate) use act::{ChainCommand, CommandRequest, LoopCommand, ProgressEvent, WHY_CHARS_MAX};
pub(crate) use backup::BackupRequest;
pub(crate) use journal::{ActionJournal, ActionOutcome, SocketPeer, newest_act};
pub(crate) use router::{Admin, OrderSender};

pub(crate) const SOCKET: &str = "admin.sock";
