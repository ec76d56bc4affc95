//! What can be asked of a chain, and what comes back.

use serde::{Deserialize, Serialize};
use superroot_types::{BlockNumber, Hash};
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};

/// Most characters of a reason.
pub(crate) const WHY_CHARS_MAX: usize = 500;

/// What is asked of one chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Older blocks, until this one is held.
    Backfill { to: BlockNumber },
    /// What is missing or newly watched of the blocks held within these bounds.
    Repair { from: Option<BlockNumber>, to: Option<BlockNumber> },
    /// That a halted chain goes on.
    Resume,
}

impl Act {
    /// The command's name.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Backfill { .. } => "backfill",
            Self::Repair { .. } => "repair",
            Self::Resume => "resume",
        }
    }
}

/// The body of a request to the socket.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Id or name of the chain; for `repair` alone it may be left out, for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) chain: Option<String>,
    /// First number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<u64>,
    /// Last number of a repair; oldest number of a backfill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) to: Option<u64>,
    /// Why it is done, for the journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
}

/// What is told while an act goes on, and of its end. `chain` is the chain's name for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Event {
    /// So many numbers of so many are done.
    Progress { chain: String, done: u64, total: u64 },
    /// Something failed, and is tried again.
    Again { chain: String, why: String },
    /// A block could not be repaired.
    Left { chain: String, number: u64, why: String },
    /// Who contradicts what is held as final.
    Contradicted { chain: String, number: u64, held: Hash, other: Hash, evidence: String },
    /// The chain begins there now.
    Filled { chain: String, start: u64 },
    /// There was nothing to fill: it is held from there to there.
    AlreadyHeld { chain: String, start: u64, newest: u64 },
    /// So many blocks were repaired, and so many could not be.
    Repaired { chain: String, repaired: u64, left: u64 },
    /// The halt is cleared.
    Resumed { chain: String, number: u64, why: String },
    /// It had stopped at an error of this program, which is kept nowhere; it is tried again.
    Restarted { chain: String, why: String },
    /// There was no halt to clear.
    NotHalted { chain: String },
    /// The log has withdrawn it from there on: a halt of it, if there was one, is cleared, and
    /// still nothing of it is taken.
    Withdrawn { chain: String, from: u64 },
    /// So many rows of a table are copied.
    Copying { what: String, rows: u64 },
    /// The copy stands, with so many rows of chains and of accounts, as `fsck` counts them.
    Copied { to: String, rows: u64, account_rows: u64 },
    /// It does not go on. Nothing comes after it.
    Failed { why: String },
    /// All was done. Nothing comes after it.
    End,
}

/// What a chain's loop is to do.
pub(crate) struct Order {
    pub(crate) act: Act,
    /// Takes what happens meanwhile. When nobody listens any more, the work ends after its turn.
    pub(crate) events: mpsc::Sender<Event>,
    /// Takes how it ended: what to tell last, or why it failed.
    pub(crate) done: oneshot::Sender<Result<Vec<Event>, String>>,
    /// One order of a chain at a time.
    pub(crate) _permit: OwnedSemaphorePermit,
}
