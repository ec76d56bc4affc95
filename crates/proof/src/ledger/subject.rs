use super::body::NoEntry;

/// Proof subject inside a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProofSubject {
    /// Block.
    Block,
    /// Transaction at a position, with its receipt if proven.
    Transaction {
        /// Position in the block.
        tx_index: u32,
    },
    /// Transaction event: a log or, in the Bitcoin family, an output.
    Log {
        /// Transaction position in the block.
        tx_index: u32,
        /// Position in the receipt, or among the outputs.
        log_index: u32,
    },
    /// Absence: no transaction (and no receipt) at a position.
    Absence {
        /// Empty position.
        tx_index: u32,
    },
}

/// Statement positions bound by a ledger's proof hashes. Any unbound position is only the service's claim; no verifier
/// repeats the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundIndexes {
    /// Transaction position in its block.
    pub tx_index: bool,
    /// Event position in its transaction.
    pub log_index: bool,
}

impl BoundIndexes {
    pub(crate) const ALL: Self = Self { tx_index: true, log_index: true };
    pub(crate) const EVENT: Self = Self { tx_index: false, log_index: true };
    pub(crate) const NONE: Self = Self { tx_index: false, log_index: false };
}

impl ProofSubject {
    /// Name in JSON (`proofKind`) and messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Transaction { .. } => "transaction",
            Self::Log { .. } => "event",
            Self::Absence { .. } => "absence",
        }
    }

    /// Transaction position, if any.
    #[must_use]
    pub const fn tx_index(self) -> Option<u32> {
        match self {
            Self::Block => None,
            Self::Transaction { tx_index }
            | Self::Log { tx_index, .. }
            | Self::Absence { tx_index } => Some(tx_index),
        }
    }

    /// Event position, if any.
    #[must_use]
    pub const fn log_index(self) -> Option<u32> {
        match self {
            Self::Log { log_index, .. } => Some(log_index),
            Self::Block | Self::Transaction { .. } | Self::Absence { .. } => None,
        }
    }

    /// Transaction index for the proving branch in the Bitcoin family: the position or, for an absence, the last.
    /// `None` for a block, and for an absence in an empty block.
    #[must_use]
    pub const fn branch_index(self, tx_count: u32) -> Option<u32> {
        match self {
            Self::Block => None,
            Self::Transaction { tx_index } | Self::Log { tx_index, .. } => Some(tx_index),
            Self::Absence { .. } => tx_count.checked_sub(1),
        }
    }

    /// Refuses a transaction past a block's `tx_count`, and an absence below.
    pub(super) const fn check_count(self, tx_count: u32) -> Result<(), NoEntry> {
        match self {
            Self::Transaction { tx_index } | Self::Log { tx_index, .. } if tx_index >= tx_count => {
                Err(NoEntry::NoTransaction { tx_index })
            }
            Self::Absence { tx_index } if tx_index < tx_count => Err(NoEntry::Present { tx_index }),
            _ => Ok(()),
        }
    }
}
