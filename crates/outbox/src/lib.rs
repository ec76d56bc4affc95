//! Transactions from the service's account: publications of SuperRoots, in order.
//!
//! ```text
//! task: a call, and its place in the contract's sequence
//!    │                               the contract says what it takes next, the chain which nonce
//!    ▼                                               │
//! Outbox::step ──► row, committed ──► Step::Send ──► nodes
//!    ▲                                               │
//!    └──────────── the same bytes, or a higher fee ◄─┘ until the contract is past the task
//! ```
//! Invariants: a transaction is stored before sending, so a restart sends the same bytes; an account has one
//! transaction under way; a task never has two nonces while the first can still be mined; no fee is above the limits.
//!
//! The contract decides when a task is done, and takes each place of its sequence once: a swallowed, delayed or doubled
//! transaction changes nothing. A nonce used by somebody else with the key frees the task for a new nonce.

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
