//! The blocks of a simulated chain, made when they are asked for and kept while they are in use.
//!
//! Each block needs the one before it, so they are made in segments: what stood before a segment is
//! kept for good, the blocks in it only while it is among the last ones used.

use std::collections::BTreeMap;
use std::sync::Arc;

use superroot_chain::UntrustedBlock;
use superroot_types::{BlockNumber, Hash};

use super::schedule::{Branch, Schedule};
use crate::BlockId;

/// Blocks in a segment.
const SEGMENT_BLOCKS: u64 = 64;

/// Most segments whose blocks are kept.
const SEGMENTS_MAX: usize = 16;

/// All that one block leaves to the next.
#[derive(Clone, Debug)]
pub(super) struct Before<S> {
    /// Number of the next block.
    pub(super) number: u64,
    /// Hash of the block before it.
    pub(super) parent_hash: Hash,
    /// What its ledger needs besides.
    pub(super) state: S,
}

impl<S> Before<S> {
    fn first(builder: &impl Build<State = S>) -> Self {
        let (parent_hash, state) = builder.first();
        Self { number: 0, parent_hash, state }
    }
}

/// What makes one block after the other.
pub(super) trait Build {
    /// What a block leaves to the next besides its hash.
    type State: Clone;

    /// What the first block begins with: the hash of the block before it, and what that left.
    fn first(&self) -> (Hash, Self::State);

    /// The next block of a branch, and what it leaves.
    fn next(
        &self,
        before: &Before<Self::State>,
        branch: Branch,
    ) -> (UntrustedBlock, Before<Self::State>);
}

/// Blocks of one chain, whatever makes them.
pub(super) trait Blocks: Send {
    /// The block of that number as it is shown while `head` is the newest.
    fn block(&mut self, number: u64, head: u64) -> Arc<UntrustedBlock>;

    /// Number and hash of a block as it is shown while `head` is the newest.
    fn block_id(&mut self, number: u64, head: u64) -> BlockId;
}

/// Made blocks of one chain.
#[derive(Debug)]
pub(super) struct History<B: Build> {
    builder: B,
    schedule: Schedule,
    /// What stood before segment `i`, for every segment begun and the one after a full one.
    starts: Vec<Before<B::State>>,
    segments: BTreeMap<u64, Segment<B::State>>,
    uses: u64,
}

#[derive(Debug)]
struct Segment<S> {
    blocks: Vec<Made<S>>,
    last_use: u64,
}

/// A block and what it leaves to the next.
#[derive(Clone, Debug)]
struct Made<S> {
    block: Arc<UntrustedBlock>,
    after: Before<S>,
}

impl<B: Build<State: Send> + Send> Blocks for History<B> {
    fn block(&mut self, number: u64, head: u64) -> Arc<UntrustedBlock> {
        self.made(number, head).block
    }

    fn block_id(&mut self, number: u64, head: u64) -> BlockId {
        let hash = self.made(number, head).after.parent_hash;
        BlockId { number: BlockNumber(number), hash }
    }
}

impl<B: Build> History<B> {
    pub(super) fn new(builder: B, schedule: Schedule) -> Self {
        let starts = vec![Before::first(&builder)];
        Self { builder, schedule, starts, segments: BTreeMap::new(), uses: 0 }
    }

    fn made(&mut self, number: u64, head: u64) -> Made<B::State> {
        let Branch::Side { fork } = self.schedule.branch(number, head) else {
            return self.canonical(number);
        };
        let mut before = match fork.checked_sub(1) {
            Some(parent) => self.canonical(parent).after,
            None => Before::first(&self.builder),
        };
        loop {
            let is_it = before.number == number;
            let (block, after) = self.builder.next(&before, Branch::Side { fork });
            if is_it {
                return Made { block: Arc::new(block), after };
            }
            before = after;
        }
    }

    fn canonical(&mut self, number: u64) -> Made<B::State> {
        let wanted = number / SEGMENT_BLOCKS;
        // segments after the last one begun have to be made in turn
        for segment in self.starts.len() as u64 - 1..wanted {
            self.extend(segment, SEGMENT_BLOCKS);
        }
        self.extend(wanted, number % SEGMENT_BLOCKS + 1)
    }

    /// Makes a segment at least `length` blocks long, and gives out block `length - 1` of it.
    fn extend(&mut self, index: u64, length: u64) -> Made<B::State> {
        self.uses += 1;
        let segment = self
            .segments
            .entry(index)
            .or_insert_with(|| Segment { blocks: Vec::new(), last_use: 0 });
        segment.last_use = self.uses;
        let start = &self.starts[index as usize];
        while (segment.blocks.len() as u64) < length {
            let before = segment.blocks.last().map_or(start, |made| &made.after);
            let (block, after) = self.builder.next(before, Branch::Canonical);
            segment.blocks.push(Made { block: Arc::new(block), after });
        }
        let made = segment.blocks[length as usize - 1].clone();
        if length == SEGMENT_BLOCKS && self.starts.len() as u64 == index + 1 {
            self.starts.push(made.after.clone());
        }
        self.forget();
        made
    }

    /// Drops the segment that was not used for the longest time, past the bound.
    fn forget(&mut self) {
        if self.segments.len() > SEGMENTS_MAX {
            let oldest = self.segments.iter().min_by_key(|(_, segment)| segment.last_use);
            if let Some(index) = oldest.map(|(index, _)| *index) {
                self.segments.remove(&index);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::entropy::Entropy;
    use super::super::evm::Builder;
    use super::super::{SimulatedConfig, Size};
    use super::*;
    use superroot_types::{ChainId, ChainKey, Family, UnixSeconds};

    fn history(config: SimulatedConfig) -> History<Builder> {
        let chain = ChainKey { family: Family::Evm, id: ChainId(1) };
        let entropy = Entropy::new(config.seed, chain);
        let schedule = Schedule::new(entropy, config);
        History::new(Builder::new(1, entropy, schedule, Size::of(&config)), schedule)
    }

    fn quiet() -> SimulatedConfig {
        SimulatedConfig { quiet_until: 1 << 20, ..SimulatedConfig::new(4, UnixSeconds(0)) }
    }

    /// Far ahead first, then everything again: what was dropped is made again as it was.
    #[test]
    fn a_block_made_again_is_the_same_block_and_few_are_kept() {
        let head = SEGMENT_BLOCKS * (SEGMENTS_MAX as u64 + 8) + 5;
        let mut ahead = history(quiet());
        let last = ahead.block_id(head, head);
        assert!(!ahead.segments.contains_key(&0), "the first segment was dropped");
        let mut in_order = history(quiet());
        for number in 0..=head {
            assert_eq!(ahead.block(number, head), in_order.block(number, head));
            assert!(ahead.segments.len() <= SEGMENTS_MAX);
        }
        assert_eq!(in_order.block_id(head, head), last);
        assert_eq!(ahead.starts.len(), in_order.starts.len());
    }

    #[test]
    fn asking_twice_makes_nothing_anew() {
        let mut history = history(quiet());
        let first = history.block(70, 500);
        assert!(Arc::ptr_eq(&first, &history.block(70, 500)));
        history.block(100, 500);
        assert!(Arc::ptr_eq(&first, &history.block(70, 500)), "a segment grows in place");
    }
}
