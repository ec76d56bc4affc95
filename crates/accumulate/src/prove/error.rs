//! Why there is no proof to give.

use superroot_chain::Extent;
use superroot_proof::ledger::NotProvable;
use superroot_store::StoreError;
use superroot_types::{BlockNumber, ChainKey, Hash};

use crate::AccumulateError;

/// Why there is no proof to give.
#[derive(Debug, thiserror::Error)]
pub enum ProveError {
    /// The block is held, but not this part of it; or the hash is in no block that is held.
    #[error("not indexed on chain {chain}: {why}")]
    NotIndexed {
        /// The chain.
        chain: ChainKey,
        /// First and last number that was scanned, where any was.
        scanned: Option<(BlockNumber, BlockNumber)>,
        /// What is held of the block, where one was named.
        extent: Option<Extent>,
        /// What is not indexed.
        why: String,
    },
    /// The chain has no such block or transaction, as far as was checked.
    #[error("{what} does not exist on chain {chain}")]
    NotFound {
        /// The chain.
        chain: ChainKey,
        /// What was asked for.
        what: String,
        /// Checked up to this number, where anything was.
        checked_to: Option<BlockNumber>,
    },
    /// The block is below the run that is committed.
    #[error("block {number} is before {start}, the first block of chain {chain} in this log")]
    BeforeStart {
        /// The chain.
        chain: ChainKey,
        /// Number asked for.
        number: BlockNumber,
        /// First number of the run.
        start: BlockNumber,
    },
    /// The block is above the SuperRoot that was asked for.
    #[error("block {number} of chain {chain} is not anchored yet")]
    NotAnchored {
        /// The chain.
        chain: ChainKey,
        /// Number asked for.
        number: BlockNumber,
        /// Last anchored number in that SuperRoot, if any.
        anchored: Option<BlockNumber>,
        /// Newest block held.
        head: Option<BlockNumber>,
        /// Whether the block is held, so that levels 1 and 2 can be had.
        held: bool,
        /// Whether the block is final, so that the next SuperRoot takes it.
        is_final: bool,
    },
    /// The transaction has no such event.
    #[error("{noun} index {log_index} is past the {count} {noun}s of the {whole}")]
    EventIndex {
        /// What an event is: `log` or `output`.
        noun: &'static str,
        /// What has the events: `receipt` or `transaction`.
        whole: &'static str,
        /// Position asked for.
        log_index: u32,
        /// Events there are.
        count: usize,
        /// The position meant, if the index counts events of the whole block.
        meant: Option<u32>,
    },
    /// The chain's ledger cannot show such a thing.
    #[error("chain {chain} cannot prove it: {cause}")]
    NotProvable {
        /// The chain.
        chain: ChainKey,
        /// Why not, and what can be shown.
        cause: NotProvable,
    },
    /// There is a transaction at the position whose absence was to be proven.
    #[error("block {number} of chain {chain} has a transaction at index {tx_index}")]
    Present {
        /// The chain.
        chain: ChainKey,
        /// The block.
        number: BlockNumber,
        /// The position.
        tx_index: u32,
    },
    /// The log withdrew the number: it was taken as final and was not.
    #[error("block {number} of chain {chain} was withdrawn")]
    Withdrawn {
        /// The chain.
        chain: ChainKey,
        /// Number asked for.
        number: BlockNumber,
    },
    /// The receipts of one block are more than one scan may have.
    #[error("block {number} of chain {chain} has more receipts than a scan of it may have")]
    ScanTooLarge {
        /// The chain.
        chain: ChainKey,
        /// The block.
        number: BlockNumber,
    },
    /// No SuperRoot of that hash or sequence.
    #[error("this log has no SuperRoot {asked}")]
    UnknownSuperRoot {
        /// What was asked for.
        asked: String,
    },
    /// No SuperRoot stands yet.
    #[error("the first SuperRoot does not stand yet")]
    NothingPublished,
    /// An order that no consistency proof has.
    #[error("SuperRoot {to} does not come after SuperRoot {from}")]
    Order {
        /// The earlier one asked for.
        from: u64,
        /// The later one asked for.
        to: u64,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What was committed is not what is found.
    #[error("the store does not hold what was published: {what}")]
    Corrupt {
        /// What differs.
        what: String,
    },
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
