//! Chains of ledgers other than Ethereum's: each ledger's folder makes a block out of the moment it is
//! made in.

use std::ops::Range;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use superroot_chain::{ChainRow, UntrustedBlock};
use superroot_types::Hash;

use super::Size;
use super::entropy::Entropy;
use super::history::{Before, Build};
use super::schedule::{Branch, Schedule};

/// What a block is made of.
pub(crate) struct Moment<'a> {
    /// The chain, as [`ChainRow::as_simulated`] has it.
    pub(crate) row: &'a ChainRow,
    /// Number of the block.
    pub(crate) number: u64,
    /// Hash of the block before it.
    pub(crate) parent_hash: Hash,
    /// What the block before it left; nothing before the first.
    #[allow(dead_code, reason = "of ledgers whose blocks stand on more than a hash")]
    pub(crate) state: &'a [u8],
    /// Unix seconds.
    pub(crate) timestamp: u64,
    /// Whether the block should be empty or nearly so.
    pub(crate) is_quiet: bool,
    /// How many transactions it has, where that is not left to chance.
    pub(crate) transactions: Option<u16>,
    /// Chance: the same for one seed, chain, number and branch.
    pub(crate) rng: ChaCha8Rng,
}

impl Moment<'_> {
    /// How many transactions the block has: as was asked for, or so many by chance; a quiet one has the
    /// fewest, at most one.
    pub(crate) fn count(&mut self, usual: Range<u64>) -> u64 {
        match self.transactions {
            _ if self.is_quiet => usual.start.min(1),
            Some(count) => count.into(),
            None => self.rng.random_range(usual),
        }
    }
}

/// A block that was made.
pub(crate) struct Made {
    /// As a node would send it.
    pub(crate) block: UntrustedBlock,
    /// Its hash.
    pub(crate) hash: Hash,
    /// What the ledger needs for the next one besides its hash.
    pub(crate) state: Vec<u8>,
}

/// Makes a block of a ledger.
pub(crate) type Make = fn(Moment<'_>) -> Made;

/// Makes the blocks of one chain.
pub(super) struct Maker {
    pub(super) row: ChainRow,
    /// Number of the first block.
    pub(super) first: u64,
    pub(super) entropy: Entropy,
    pub(super) schedule: Schedule,
    pub(super) size: Size,
    /// What makes a block of its ledger.
    pub(super) make: Make,
}

impl Build for Maker {
    type State = Vec<u8>;

    fn first(&self) -> (Hash, Vec<u8>) {
        (self.entropy.hash("before the first", 0), Vec::new())
    }

    fn next(&self, before: &Before<Vec<u8>>, branch: Branch) -> (UntrustedBlock, Before<Vec<u8>>) {
        let moment = Moment {
            row: &self.row,
            number: self.first + before.number,
            parent_hash: before.parent_hash,
            state: &before.state,
            timestamp: self.schedule.timestamp(before.number),
            is_quiet: before.number < self.size.quiet_until,
            transactions: self.size.transactions,
            rng: self.entropy.rng(branch.name(), before.number),
        };
        let Made { block, hash, state } = (self.make)(moment);
        (block, Before { number: before.number + 1, parent_hash: hash, state })
    }
}
