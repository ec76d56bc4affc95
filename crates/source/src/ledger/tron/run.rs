//! Signed headers around a block, from nodes.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use superroot_chain::ChainSpec;
use superroot_chain::finality::finality_params;
use superroot_chain::ledger::tron::{RawTronBlock, RawTronHeader};
use superroot_proof::finality::FinalityParams;
use superroot_proof::ledger::tron::Header;
use superroot_types::Network;
use tokio::time::timeout;

use super::nodes::Tron;
use crate::live::node::LiveNode;

/// Blocks from one with headers to the next.
const RUN_BLOCKS: u64 = 20;
/// Blocks on top of a final block: the newest final one has as many, if no producer misses.
const ON_TOP: u64 = 18;
/// Blocks before, up to a round of 27 in all.
const BELOW: u64 = 8;
/// Slots from the end of a window on in which the step of a day is asked for: three tries.
const STEP_SLOTS: RangeInclusive<u64> = 18..=77;
const AT_ONCE: usize = 16;
/// Time for a round, and again for what is before: a slow node costs the evidence, not the block.
const TIME_MAX: Duration = Duration::from_secs(8);

/// Places of the headers for evidence.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunPlan {
    set_ms: u64,
    window_blocks: u64,
    block_ms: u64,
}

impl RunPlan {
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
    fn numbers(&self, header: &Header) -> Option<RunNumbers> {
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
struct RunNumbers {
    round: Range<u64>,
    /// Before the round, for a step.
    before: Option<Range<u64>>,
}

impl Tron {
    /// Signed headers around a block, up to the first one that a node lacks; fewer or none after some seconds.
    pub(super) async fn run(
        &self,
        node: &Arc<LiveNode>,
        block: &RawTronBlock,
    ) -> Vec<RawTronHeader> {
        let plan = self.plan.zip(Header::decode(&block.header).ok());
        let Some(RunNumbers { round, before }) =
            plan.and_then(|(plan, header)| plan.numbers(&header))
        else {
            return Vec::new();
        };
        let round = timeout(TIME_MAX, self.signed(node, round)).await.unwrap_or_default();
        let Some(before) = before.filter(|_| !round.is_empty()) else { return round };
        match timeout(TIME_MAX, self.signed(node, before.clone())).await {
            Ok(older) if older.len() == before.count() => [older, round].concat(),
            Ok(_) | Err(_) => round,
        }
    }

    /// Signed headers by number, up to the first one that a node lacks.
    async fn signed(&self, node: &Arc<LiveNode>, numbers: Range<u64>) -> Vec<RawTronHeader> {
        let mut run = Vec::new();
        for numbers in numbers.collect::<Vec<_>>().chunks(AT_ONCE) {
            let asked = numbers.iter().map(|number| self.numbered(node, *number));
            for found in join_all(asked).await {
                let Ok(Some(RawTronBlock { header, signature: Some(signature), .. })) = found
                else {
                    return run;
                };
                run.push(RawTronHeader { header, signature });
            }
        }
        run
    }
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
        let plan = RunPlan::of(ChainRegistry::builtin().find("tron").unwrap()).unwrap();
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
