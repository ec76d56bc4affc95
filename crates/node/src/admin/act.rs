//! Chain commands and their results.

use serde::{Deserialize, Serialize};
use superroot_types::{BlockNumber, Hash};
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};

pub(crate) const WHY_CHARS_MAX: usize = 500;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChainCommand {
    /// Fetches older blocks, down to `to`.
    Backfill {
        to: BlockNumber,
    },
    /// Fetches missing or newly watched parts of stored blocks within the bounds.
    Repair {
        from: Option<BlockNumber>,
        to: Option<BlockNumber>,
    },
    Resume,
}

impl ChainCommand {
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Backfill { .. } => "backfill",
            Self::Repair { .. } => "repair",
            Self::Resume => "resume",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommandRequest {
    /// Chain id or name. Only `repair` accepts `None`, for all chains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) chain: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<u64>,
    /// Last number of a repair; oldest number of a backfill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) to: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
}

/// Progress and result of a command. `chain` is the display name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum ProgressEvent {
    /// Numbers done, and the total.
    Progress {
        chain: String,
        done: u64,
        total: u64,
    },
    Again {
        chain: String,
        why: String,
    },
    Left {
        chain: String,
        number: u64,
        why: String,
    },
    /// Contradiction to a stored final block.
    Contradicted {
        chain: String,
        number: u64,
        held: Hash,
        other: Hash,
        evidence: String,
    },
    /// New first block of the chain.
    Filled {
        chain: String,
        start: u64,
    },
    /// Nothing to fill: already stored from `start` to `newest`.
    AlreadyHeld {
        chain: String,
        start: u64,
        newest: u64,
    },
    Repaired {
        chain: String,
        repaired: u64,
        left: u64,
    },
    Resumed {
        chain: String,
        number: u64,
        why: String,
    },
    /// Retry after a program error, which is not stored.
    Restarted {
        chain: String,
        why: String,
    },
    NotHalted {
        chain: String,
    },
    /// Withdrawn by the log from that number: any halt is cleared, but no blocks are taken.
    Withdrawn {
        chain: String,
        from: u64,
    },
    Copying {
        what: String,
        rows: u64,
    },
    /// Copy complete, with rows in chains and accounts, counted as in `fsck`.
    Copied {
        to: String,
        rows: u64,
        account_rows: u64,
    },
    /// Final failure; last event.
    Failed {
        why: String,
    },
    /// Success; last event.
    End,
}

pub(crate) struct LoopCommand {
    pub(crate) act: ChainCommand,
    /// Progress sender. If the receiver is gone, the work ends after the current turn.
    pub(crate) events: mpsc::Sender<ProgressEvent>,
    /// Result sender: last events, or the failure.
    pub(crate) done: oneshot::Sender<Result<Vec<ProgressEvent>, String>>,
    /// One command per chain at a time.
    pub(crate) _permit: OwnedSemaphorePermit,
}
