//! Numbers of the signed headers around a block.

use std::ops::{Range, RangeInclusive};

use superroot_chain::ChainSpec;
use superroot_chain::finality::finality_params;
use superroot_chain::ledger::tron::RUN_BLOCKS;
use superroot_proof::finality::FinalityParams;
use superroot_proof::ledger::tron::Header;
use superroot_types::Network;

/// Blocks on top of a final block, if no producer misses.
const ON_TOP: u64 = 18;
/// Blocks before, up to a round of 27 in all.
const BELOW: u64 = 8;
/// Slots after a window for fetching the day's step: three tries.
const STEP_SLOTS: RangeInclusive<u64> = 18..=77;

/// Places of the headers for evidence.
#[derive(Clone, Copy, Debug)]
pub(super) struct TronRunPlan {
    set_ms: u64,
    window_blocks: u64,
    block_ms: u64,
}

impl TronRunPlan {
    /// `None` for a chain without evidence.
    pub(super) fn of(row: &ChainSpec) -> Option<Self> {
        let Some(FinalityParams::Producers(params)) = finality_params(row, Network::Live) else {
            return None;
        };
        Some(Self {
            set_ms: params.set_seconds.saturating_mul(1_000),
            window_blocks: params.window_blocks.into(),
            block_ms: row.block_time_ms,
        })
    }

    /// Numbers of the headers for a block; `None` for most blocks.
    pub(super) fn numbers(&self, header: &Header) -> Option<RunNumbers> {
        let number = header.number;
        if !number.is_multiple_of(RUN_BLOCKS) {
            return None;
        }
        let first = number.saturating_sub(BELOW);
        // at most as many blocks as slots since the day began, and the last of the day before
        let slots = header.timestamp_ms.checked_rem(self.set_ms)?.checked_div(self.block_ms)?;
        let behind = slots.checked_sub(self.window_blocks);
        let is_step = behind.is_some_and(|behind| STEP_SLOTS.contains(&behind));
        let before = number.saturating_sub(slots.saturating_add(1))..first;
        Some(RunNumbers {
            round: first..number.saturating_add(ON_TOP).saturating_add(1),
            before: is_step.then_some(before),
        })
    }
}

/// Numbers of headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RunNumbers {
    pub(super) round: Range<u64>,
    /// Before the round, for a step.
    pub(super) before: Option<Range<u64>>,
}

#[cfg(test)]
mod tests {
    use superroot_chain::ChainRegistry;

    use super::*;

    fn header(number: u64, timestamp_ms: u64) -> Header {
        let parent_hash = superroot_types::Hash::ZERO;
        let tx_trie_root = parent_hash;
        Header {
            timestamp_ms,
            tx_trie_root,
            parent_hash,
            number,
            witness_address: Vec::new(),
            version: 32,
        }
    }

    #[test]
    fn every_20th_block_has_a_round_and_a_step_reaches_back_over_the_day_s_begin() {
        let plan = TronRunPlan::of(ChainRegistry::builtin().find("tron").unwrap()).unwrap();
        let day = 1_764_633_600_000;
        let noon = day + 43_200_000;
        let round = 77_999_992..78_000_019;
        let usual = Some(RunNumbers { round: round.clone(), before: None });
        assert_eq!(plan.numbers(&header(78_000_000, noon)), usual);
        for number in 78_000_001..78_000_020 {
            assert_eq!(plan.numbers(&header(number, noon)), None);
        }
        // 72 slots after the begin of the day: at most 72 blocks, and the one before the day
        let at = |slots: u64| plan.numbers(&header(78_000_000, day + 3_000 * slots));
        for (slots, first) in [(72, 77_999_927), (131, 77_999_868)] {
            let before = Some(first..77_999_992);
            assert_eq!(at(slots), Some(RunNumbers { round: round.clone(), before }));
        }
        for slots in [0, 53, 71, 132] {
            assert_eq!(at(slots), usual, "{slots}");
        }
        let first = Some(RunNumbers { round: 0..19, before: None });
        assert_eq!(plan.numbers(&header(0, 0)), first);
    }
}
