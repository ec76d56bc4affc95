//! Laws of positions: a prover refuses what the log does not have, whatever integer is asked.

use crate::support;

use std::sync::LazyLock;

use proptest::prelude::*;
use superroot_accumulate::Accumulator;
use superroot_accumulate::prove::{ProveError, Prover, tiled};
use superroot_chain::ChainRegistry;
use superroot_proof::note::{KeyKind, Signer};
use superroot_types::*;
use support::*;

const SIZE: LogSize = LogSize(3);

/// A signed log of three SuperRoots, whose Mini-MMR has two leaves.
static LOG: LazyLock<(Log, Prover)> = LazyLock::new(|| {
    let (mut log, ethereum) = (Log::new(), chain("ethereum", 9_000));
    let registry = ChainRegistry::builtin().proof_registry().clone();
    let accumulator = Accumulator::open(log.store.clone(), registry, ORIGIN).unwrap();
    let key = Signer::new(ORIGIN, KeyKind::Log, &[1; 32]).unwrap();
    log.accumulator = accumulator.signed_by(vec![key]).unwrap();
    for (number, now) in [(5, 100), (2_047, 112), (4_095, 124)] {
        log.extend(&ethereum, [number]);
        log.step(now);
    }
    let prover = log.prover();
    (log, prover)
});

/// Integers of every size, more of them next to 0, 2^53 and 2^64.
fn integer() -> impl Strategy<Value = u64> {
    let edges = prop::sample::select(vec![(1 << 53) - 1, 1 << 53, u64::MAX - 1, u64::MAX]);
    prop_oneof![0_u64..6, edges, any::<u64>()]
}

fn is_unknown<T>(result: Result<T, ProveError>) -> bool {
    matches!(result, Err(ProveError::UnknownSuperRoot { .. }))
}

fn is_order<T>(result: Result<T, ProveError>) -> bool {
    matches!(result, Err(ProveError::Order { .. }))
}

proptest! {
    #[test]
    fn a_sequence_at_or_past_the_size_is_unknown(sequence in integer()) {
        let prover = &LOG.1;
        let sequence = Sequence(sequence);
        let published = prover.published(SuperRootRef::Sequence(sequence));
        prop_assert_eq!(published.is_ok(), SIZE.holds(sequence));
        prop_assert_eq!(is_unknown(published), !SIZE.holds(sequence));
        prop_assert_eq!(is_unknown(prover.appended(None, sequence, 9)), !SIZE.holds(sequence));
    }

    #[test]
    fn a_size_past_the_log_has_no_root_and_no_note(size in integer()) {
        let (log, prover) = &*LOG;
        let size = LogSize(size);
        prop_assert_eq!(is_unknown(prover.history_root(size)), size > SIZE);
        prop_assert_eq!(log.accumulator.history_root(size).unwrap().is_some(), size <= SIZE);
        let has_note = size > LogSize::EMPTY && size <= SIZE;
        prop_assert_eq!(prover.note(size).unwrap().is_some(), has_note);
    }

    #[test]
    fn only_growth_within_the_log_is_proven(from in integer(), to in integer()) {
        let prover = &LOG.1;
        let growth = || prover.history_growth(LogSize(from), LogSize(to));
        prop_assert_eq!(is_order(growth()), from > to);
        prop_assert_eq!(growth().is_ok(), from <= to && LogSize(to) <= SIZE);
        let (from, to) = (Sequence(from), Sequence(to));
        let history = || prover.history_consistency(from, to);
        prop_assert_eq!(is_order(history()), from >= to);
        prop_assert_eq!(history().is_ok(), from < to && SIZE.holds(to));
        prop_assert_eq!(prover.full_consistency(from, to).is_ok(), from < to && SIZE.holds(to));
    }

    #[test]
    fn a_leaf_past_the_count_is_an_error(start in integer(), length in 1_u64..4) {
        let prover = &LOG.1;
        let count = prover.latest().unwrap().mini_mmrs[0].leaf_count;
        prop_assert_eq!(count, LeafCount(2));
        let leaves = LeafIndex(start)..LeafIndex(start.saturating_add(length));
        let is_there = count.last().is_some_and(|last| leaves.end.0 <= last.0 + 1);
        let is_empty = leaves.is_empty();
        prop_assert_eq!(prover.twigs(Family::Evm, leaves).is_ok(), is_there || is_empty);
    }

    #[test]
    fn a_tile_ends_in_the_log(level: u8, index in integer(), width in integer()) {
        let prover = &LOG.1;
        let end = index.checked_mul(256).and_then(|from| from.checked_add(width));
        let is_there = width <= 256 && end.is_some_and(|end| end <= tiled(SIZE, level));
        prop_assert_eq!(prover.tile(level, index, width).is_ok(), is_there);
    }
}
