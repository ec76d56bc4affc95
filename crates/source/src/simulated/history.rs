//! Blocks of a simulated chain, made on request and cached.
//!
//! Each block needs the parent block, so blocks are made in segments: the state before a segment is kept for good, the
//! segment's blocks only while recently used.

use std::collections::BTreeMap;
use std::sync::Arc;

use superroot_chain::UntrustedBlock;
use superroot_types::{BlockNumber, Hash};

use super::schedule::{ForkBranch, Schedule};
use crate::ClaimedBlock;

const SEGMENT_BLOCKS: u64 = 64;

const SEGMENTS_MAX: usize = 16;

/// State passed from a block to the next.
#[derive(Clone, Debug)]
pub(super) struct ParentState<S> {
    pub(super) number: u64,
    pub(super) parent_hash: Hash,
    pub(super) state: S,
}

impl<S> ParentState<S> {
    fn first(builder: &impl Build<State = S>) -> Self {
        let (parent_hash, state) = builder.first();
        Self { number: 0, parent_hash, state }
    }
}

pub(super) trait Build {
    /// State for the next block besides the hash.
    type State: Clone;

    /// Parent hash and state before the first block.
    fn first(&self) -> (Hash, Self::State);

    /// A branch's next block, and the following state.
    fn next(
        &self,
        before: &ParentState<Self::State>,
        branch: ForkBranch,
    ) -> (UntrustedBlock, ParentState<Self::State>);
}

pub(super) trait BlockMaker: Send {
    /// Block with this number as shown while `head` is the newest.
    fn block(&mut self, number: u64, head: u64) -> Arc<UntrustedBlock>;

    /// Number and hash of a block as shown while `head` is the newest.
    fn block_id(&mut self, number: u64, head: u64) -> ClaimedBlock;
}

#[derive(Debug)]
pub(super) struct SimulatedHistory<B: Build> {
    builder: B,
    schedule: Schedule,
    /// State before segment `i`, for every segment begun and the segment after a full segment.
    starts: Vec<ParentState<B::State>>,
    segments: BTreeMap<u64, Segment<B::State>>,
    uses: u64,
}

#[derive(Debug)]
struct Segment<S> {
    blocks: Vec<MadeBlock<S>>,
    last_use: u64,
}

#[derive(Clone, Debug)]
struct MadeBlock<S> {
    block: Arc<UntrustedBlock>,
    after: ParentState<S>,
}

impl<B: Build<State: Send> + Send> BlockMaker for SimulatedHistory<B> {
    fn block(&mut self, number: u64, head: u64) -> Arc<UntrustedBlock> {
        self.made(number, head).block
    }

    fn block_id(&mut self, number: u64, head: u64) -> ClaimedBlock {
        let hash = self.made(number, head).after.parent_hash;
        ClaimedBlock { number: BlockNumber(number), hash }
    }
}

impl<B: Build> SimulatedHistory<B> {
    pub(super) fn new(builder: B, schedule: Schedule) -> Self {
        let starts = vec![ParentState::first(&builder)];
        Self { builder, schedule, starts, segments: BTreeMap::new(), uses: 0 }
    }

    fn made(&mut self, number: u64, head: u64) -> MadeBlock<B::State> {
        let ForkBranch::Side { fork } = self.schedule.branch(number, head) else {
            return self.canonical(number);
        };
        let mut before = match fork.checked_sub(1) {
            Some(parent) => self.canonical(parent).after,
            None => ParentState::first(&self.builder),
        };
        loop {
            let is_it = before.number == number;
            let (block, after) = self.builder.next(&before, ForkBranch::Side { fork });
            if is_it {
                return MadeBlock { block: Arc::new(block), after };
            }
            before = after;
        }
    }

    fn canonical(&mut self, number: u64) -> MadeBlock<B::State> {
        let wanted = number / SEGMENT_BLOCKS;
        // segments after the last one begun have to be made in turn
        for segment in self.starts.len() as u64 - 1..wanted {
            self.extend(segment, SEGMENT_BLOCKS);
        }
        self.extend(wanted, number % SEGMENT_BLOCKS + 1)
    }

    /// Makes a segment of at least `length` blocks and returns block `length - 1`.
    fn extend(&mut self, index: u64, length: u64) -> MadeBlock<B::State> {
        self.uses += 1;
        let segment = self
            .segments
            .entry(index)
            .or_insert_with(|| Segment { blocks: Vec::new(), last_use: 0 });
        segment.last_use = self.uses;
        let start = &self.starts[index as usize];
        while (segment.blocks.len() as u64) < length {
            let before = segment.blocks.last().map_or(start, |made| &made.after);
            let (block, after) = self.builder.next(before, ForkBranch::Canonical);
            segment.blocks.push(MadeBlock { block: Arc::new(block), after });
        }
        let made = segment.blocks[length as usize - 1].clone();
        if length == SEGMENT_BLOCKS && self.starts.len() as u64 == index + 1 {
            self.starts.push(made.after.clone());
        }
        self.forget();
        made
    }

    /// Drops the least recently used segment above the limit.
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
    use super::super::evm::SimulatedChainBuilder;
    use super::super::{SimulatedConfig, Size};
    use super::*;
    use superroot_types::{ChainId, ChainKey, Family, UnixSeconds};

    fn history(config: SimulatedConfig) -> SimulatedHistory<SimulatedChainBuilder> {
        let chain = ChainKey { family: Family::Evm, id: ChainId(1) };
        let entropy = Entropy::new(config.seed, chain);
        let schedule = Schedule::new(entropy, config);
        SimulatedHistory::new(
            SimulatedChainBuilder::new(1, entropy, schedule, Size::of(&config)),
            schedule,
        )
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
