use superroot_chain::Extent;
use superroot_proof::ledger::NotProvable;
use superroot_store::StoreError;
use superroot_types::{BlockNumber, ChainKey, Hash};

use crate::AccumulateError;

/// Reason why there is no proof.
#[derive(Debug, thiserror::Error)]
pub enum ProveError {
    /// The block is stored, but this part is missing; or no stored block has the hash.
    #[error("not indexed on chain {chain}: {why}")]
    NotIndexed {
        chain: ChainKey,
        /// First and last scanned number, if any.
        scanned: Option<(BlockNumber, BlockNumber)>,
        /// The named block's stored extent, if any.
        extent: Option<Extent>,
        /// Missing part.
        why: String,
    },
    /// The chain has no such block or transaction in the checked range.
    #[error("{what} does not exist on chain {chain}")]
    NotFound {
        chain: ChainKey,
        /// Requested item.
        what: String,
        /// Last checked number, if any.
        checked_to: Option<BlockNumber>,
    },
    /// The block is below the committed run.
    #[error("block {number} is before {start}, the first block of chain {chain} in this log")]
    BeforeStart {
        chain: ChainKey,
        /// Requested number.
        number: BlockNumber,
        /// First number in the run.
        start: BlockNumber,
    },
    /// The block is above the requested SuperRoot.
    #[error("block {number} of chain {chain} is not anchored yet")]
    NotAnchored {
        chain: ChainKey,
        /// Requested number.
        number: BlockNumber,
        /// Last anchored number in the SuperRoot, if any.
        anchored: Option<BlockNumber>,
        /// Newest stored block.
        head: Option<BlockNumber>,
        /// Whether the block is stored, so that levels 1 and 2 are available.
        held: bool,
        /// Whether the block is final, so that the next SuperRoot includes it.
        is_final: bool,
    },
    /// The transaction has no such event.
    #[error("{noun} index {log_index} is past the {count} {noun}s of the {whole}")]
    EventIndex {
        chain: ChainKey,
        /// Event noun: `log` or `output`.
        noun: &'static str,
        /// Container of the events: `receipt` or `transaction`.
        whole: &'static str,
        /// Requested position.
        log_index: u32,
        /// Number of events.
        count: usize,
        /// Position in the receipt, if the requested index counts the whole block's events.
        meant: Option<u32>,
    },
    /// The chain's ledger cannot prove this.
    #[error("chain {chain} cannot prove it: {cause}")]
    NotProvable {
        chain: ChainKey,
        /// Reason, and the nearest provable item.
        cause: NotProvable,
    },
    /// A transaction is at the position, so absence cannot be proven.
    #[error("block {number} of chain {chain} has a transaction at index {tx_index}")]
    Present { chain: ChainKey, number: BlockNumber, tx_index: u32 },
    /// The log withdrew the number: it was wrongly taken as final.
    #[error("block {number} of chain {chain} was withdrawn")]
    Withdrawn { chain: ChainKey, number: BlockNumber },
    /// One block's receipts exceed the scan limit.
    #[error("block {number} of chain {chain} has more receipts than a scan of it may have")]
    ScanTooLarge { chain: ChainKey, number: BlockNumber },
    /// No SuperRoot with this hash or sequence.
    #[error("this log has no SuperRoot {asked}")]
    UnknownSuperRoot {
        /// Requested hash or sequence.
        asked: String,
    },
    /// No SuperRoot exists yet.
    #[error("the first SuperRoot does not stand yet")]
    NothingPublished,
    /// Invalid order for a consistency proof.
    #[error("SuperRoot {to} does not come after SuperRoot {from}")]
    Order {
        /// Requested earlier sequence or size.
        from: u64,
        /// Requested later sequence or size.
        to: u64,
    },
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Stored data differs from committed data.
    #[error("the store does not hold what was published: {what}")]
    Corrupt { what: String },
}

impl ProveError {
    pub(crate) fn no_super_root(hash: &Hash) -> Self {
        Self::UnknownSuperRoot { asked: hash.to_string() }
    }
}

impl From<AccumulateError> for ProveError {
    fn from(error: AccumulateError) -> Self {
        match error {
            AccumulateError::Store(error) => Self::Store(error),
            other => Self::Corrupt { what: other.to_string() },
        }
    }
}
