//! Simulated chains of ledgers other than Ethereum: each ledger's folder makes a block from the given inputs.

use std::ops::Range;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use superroot_chain::{ChainSpec, UntrustedBlock};
use superroot_types::Hash;

use super::config::Size;
use super::entropy::Entropy;
use super::history::{Build, ParentState};
use super::schedule::{ForkBranch, Schedule};

pub(crate) struct BlockInputs<'a> {
    /// Chain, as returned by [`ChainSpec::as_simulated`].
    pub(crate) row: &'a ChainSpec,
    pub(crate) number: u64,
    pub(crate) parent_hash: Hash,
    /// State left by the parent block; empty before the first.
    pub(crate) state: &'a [u8],
    /// Unix seconds.
    pub(crate) timestamp: u64,
    /// Whether the block should be empty or nearly empty.
    pub(crate) is_quiet: bool,
    /// Number of transactions; `None`: random.
    pub(crate) transactions: Option<u16>,
    /// Random stream: the same for the same seed, chain, number and branch.
    pub(crate) rng: ChaCha8Rng,
}

impl BlockInputs<'_> {
    /// Number of transactions: as requested, or random within `usual`; the minimum for a quiet block, at most 1.
    pub(crate) fn count(&mut self, usual: Range<u64>) -> u64 {
        match self.transactions {
            _ if self.is_quiet => usual.start.min(1),
            Some(count) => count.into(),
            None => self.rng.random_range(usual),
        }
    }
}

pub(crate) struct SimulatedBlock {
    /// Block as sent by a node.
    pub(crate) block: UntrustedBlock,
    pub(crate) hash: Hash,
    /// Ledger state for the next block, besides the hash.
    pub(crate) state: Vec<u8>,
}

pub(crate) type BlockFactory = fn(BlockInputs<'_>) -> SimulatedBlock;

pub(super) struct Maker {
    pub(super) row: ChainSpec,
    pub(super) first: u64,
    pub(super) entropy: Entropy,
    pub(super) schedule: Schedule,
    pub(super) size: Size,
    pub(super) make: BlockFactory,
}

impl Build for Maker {
    type State = Vec<u8>;

    fn first(&self) -> (Hash, Vec<u8>) {
        (self.entropy.hash("before the first", 0), Vec::new())
    }

    fn next(
        &self,
        before: &ParentState<Vec<u8>>,
        branch: ForkBranch,
    ) -> (UntrustedBlock, ParentState<Vec<u8>>) {
        let moment = BlockInputs {
            row: &self.row,
            number: self.first + before.number,
            parent_hash: before.parent_hash,
            state: &before.state,
            timestamp: self.schedule.timestamp(before.number),
            is_quiet: before.number < self.size.quiet_until,
            transactions: self.size.transactions,
            rng: self.entropy.rng(branch.name(), before.number),
        };
        let SimulatedBlock { block, hash, state } = (self.make)(moment);
        (block, ParentState { number: before.number + 1, parent_hash: hash, state })
    }
}
