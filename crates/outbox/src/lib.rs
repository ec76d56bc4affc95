//! Transactions that the service sends from an account of its own: publications of SuperRoots, one after the other.
//!
//! ```text
//! task: a call, and its place in the contract's sequence
//!    │                               the contract says what it takes next, the chain which nonce
//!    ▼                                               │
//! Outbox::step ──► row, committed ──► Step::Send ──► nodes
//!    ▲                                               │
//!    └──────────── the same bytes, or a higher fee ◄─┘ until the contract is past the task
//! ```
//! Invariants: a transaction is stored before it is sent, so that a restart sends the same one; one account has one
//! transaction under way; one task never has two nonces while the first can still be mined; no fee is above the limits.
//!
//! Whether a task is done the contract decides, which takes each place of its sequence once: a transaction that nodes
//! swallow, delay or double changes nothing. A nonce used by somebody else with the key frees the task for another one.

mod error;
mod fees;
mod outbox;
mod row;
mod task;
mod transaction;

pub use error::OutboxError;
pub use fees::{FeeLimits, Fees};
pub use outbox::{AccountState, Outbox, Step};
pub use task::Task;
pub use transaction::{PayerKey, SignedTransaction};
