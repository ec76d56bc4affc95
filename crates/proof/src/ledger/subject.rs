//! What a proof is about, inside its block.

/// What a proof is about, inside its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The block itself.
    Block,
    /// The transaction at that position, and its receipt where the proof has it.
    Transaction {
        /// Position in the block.
        tx_index: u32,
    },
    /// An event of a transaction: a log or, in the Bitcoin family, an output.
    Log {
        /// Position of its transaction in the block.
        tx_index: u32,
        /// Position in the receipt, or among the outputs.
        log_index: u32,
    },
    /// That the block has no transaction (and no receipt) at that position.
    Absence {
        /// The position that is empty.
        tx_index: u32,
    },
}

/// Which positions of a statement the hashes of a ledger's proofs bind. Any other position is the
/// service's word: no verifier repeats it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundIndexes {
    /// Position of the transaction in its block.
    pub tx_index: bool,
    /// Position of the event in its transaction.
    pub log_index: bool,
}

impl BoundIndexes {
    /// Both positions.
    pub(crate) const ALL: Self = Self { tx_index: true, log_index: true };
    /// The position of the event alone.
    pub(crate) const EVENT: Self = Self { tx_index: false, log_index: true };
    /// Neither position.
    pub(crate) const NONE: Self = Self { tx_index: false, log_index: false };
}

impl Subject {
    /// The word used in JSON (`proofKind`) and messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Transaction { .. } => "transaction",
            Self::Log { .. } => "event",
            Self::Absence { .. } => "absence",
        }
    }

    /// Position of the transaction, where the subject has one.
    #[must_use]
    pub const fn tx_index(self) -> Option<u32> {
        match self {
            Self::Block => None,
            Self::Transaction { tx_index }
            | Self::Log { tx_index, .. }
            | Self::Absence { tx_index } => Some(tx_index),
        }
    }

    /// Position of the event, where the subject is one.
    #[must_use]
    pub const fn log_index(self) -> Option<u32> {
        match self {
            Self::Log { log_index, .. } => Some(log_index),
            Self::Block | Self::Transaction { .. } | Self::Absence { .. } => None,
        }
    }

    /// Which transaction's branch shows it, of a block of so many in the Bitcoin family: the one
    /// at the position or, of an absence, the last. `None` for a block, which needs none, and for
    /// an absence in a block without transactions.
    #[must_use]
    pub const fn branch_index(self, tx_count: u32) -> Option<u32> {
        match self {
            Self::Block => None,
            Self::Transaction { tx_index } | Self::Log { tx_index, .. } => Some(tx_index),
            Self::Absence { .. } => tx_count.checked_sub(1),
        }
    }
}
