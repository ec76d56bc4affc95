//! Proof requests.

use superroot_types::{BlockRef, ChainKey, Hash};

use crate::paths;

/// Request for a proof, as its route names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofQuery {
    /// Chain.
    pub chain: ChainKey,
    /// Block, or entry of a block.
    pub target: ProofTarget,
}

/// Block or entry to prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofTarget {
    /// Block.
    Block(BlockRef),
    /// Transaction.
    Transaction {
        /// Transaction hash; either byte order for the Bitcoin family.
        tx_hash: Hash,
    },
    /// Event.
    Event {
        /// Block.
        block: BlockRef,
        /// Transaction index in the block.
        tx_index: u32,
        /// Log index in the receipt.
        log_index: u32,
    },
    /// Event, by transaction hash; the proof includes the transaction.
    EventByHash {
        /// Transaction hash; either byte order for the Bitcoin family.
        tx_hash: Hash,
        /// Log index in the receipt.
        log_index: u32,
    },
    /// Absence: no transaction at this position. The proof nodes may also show absence at neighbouring positions: only
    /// this field has the requested position.
    Absence {
        /// Block.
        block: BlockRef,
        /// Empty position.
        tx_index: u32,
    },
}

impl ProofTarget {
    /// The target's block; `None` for a target by hash.
    #[must_use]
    pub const fn block(&self) -> Option<BlockRef> {
        match self {
            Self::Block(block) | Self::Event { block, .. } | Self::Absence { block, .. } => {
                Some(*block)
            }
            Self::Transaction { .. } | Self::EventByHash { .. } => None,
        }
    }

    /// Transaction hash of a target by hash.
    #[must_use]
    pub const fn tx_hash(&self) -> Option<&Hash> {
        match self {
            Self::Transaction { tx_hash } | Self::EventByHash { tx_hash, .. } => Some(tx_hash),
            Self::Block(_) | Self::Event { .. } | Self::Absence { .. } => None,
        }
    }
}

impl ProofQuery {
    /// Request path.
    #[must_use]
    pub fn path(&self) -> String {
        let chain = self.chain.id;
        match self.target {
            ProofTarget::Block(block) => paths::block_proof(chain, block),
            ProofTarget::Transaction { tx_hash } => paths::transaction_proof(chain, &tx_hash),
            ProofTarget::Event { block, tx_index, log_index } => {
                paths::event_proof(chain, block, tx_index, log_index)
            }
            ProofTarget::EventByHash { tx_hash, log_index } => {
                paths::event_proof_by_hash(chain, &tx_hash, log_index)
            }
            ProofTarget::Absence { block, tx_index } => {
                paths::absence_proof(chain, block, tx_index)
            }
        }
    }
}
