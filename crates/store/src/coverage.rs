//! Coverage: stored block ranges per chain, read and updated without reading blocks.

use std::collections::BTreeMap;

use superroot_types::{BlockNumber, ChainKey};

use crate::layout::{CoverageRow, HeldRun, StoredRow, block_key, chain_key, decode_block_key};
use crate::read::{load_chain_state, load_refused_numbers};
use crate::{Row, ScanOrder, Store, StoreError, Table, WriteBatch, scan};

/// Most refused blocks above the stored ones that [`load_coverage`] lists.
const REFUSED_MAX: usize = 64;

/// Block range with one coverage status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoverageRun {
    /// First number.
    pub from: BlockNumber,
    /// Last number.
    pub to: BlockNumber,
    /// Stored parts.
    pub held: HeldRun,
}

/// Returns the coverage for a chain's final blocks: ascending, disjoint runs from the first number in the chain's run,
/// then the refused blocks that stop the chain. Numbers in no run are not collected.
///
/// # Errors
/// As [`Store::scan`].
pub fn load_coverage(store: &dyn Store, chain: ChainKey) -> Result<Vec<CoverageRun>, StoreError> {
    let Some(state) = load_chain_state(store, chain)? else { return Ok(Vec::new()) };
    let mut runs = Vec::new();
    for row in scan::rows_of(store, Table::Coverage, &chain_key(chain)) {
        let run = decode(&row?)?;
        // a twig below the run counts only when it is full
        if run.to >= state.start {
            runs.push(CoverageRun { from: run.from.max(state.start), ..run });
        }
    }
    let next = runs.last().map_or(state.start.0, |last| last.to.0.saturating_add(1));
    let above = BlockNumber(next)..BlockNumber(u64::MAX);
    for number in load_refused_numbers(store, chain, above, REFUSED_MAX)? {
        runs.push(CoverageRun { from: number, to: number, held: HeldRun::Refused });
    }
    Ok(runs)
}

/// Returns the whole runs that include any number from `from` to `to`, ascending, including a backfilled twig.
///
/// # Errors
/// As [`Store::scan`].
pub fn load_coverage_within(
    store: &dyn Store,
    chain: ChainKey,
    from: BlockNumber,
    to: BlockNumber,
) -> Result<Vec<CoverageRun>, StoreError> {
    let first = block_key(chain, BlockNumber(0));
    let at = block_key(chain, from);
    let table = Table::Coverage;
    let mut runs = Vec::new();
    for row in store.scan(table, &first, Some(&at), 1, ScanOrder::Falling)? {
        runs.extend(Some(decode(&row)?).filter(|run| run.to >= from));
    }
    let after = block_key(chain, BlockNumber(to.0.saturating_add(1)));
    for row in scan::rows(store, table, &at, Some(&after), ScanOrder::Rising) {
        runs.push(decode(&row?)?);
    }
    Ok(runs)
}

/// Sets the coverage for these runs, replacing earlier coverage; the last overlapping run counts. Call once per batch:
/// reads the store only, not the pending writes.
///
/// # Errors
/// As [`Store::scan`].
pub fn put_coverage(
    batch: &mut WriteBatch,
    store: &dyn Store,
    chain: ChainKey,
    runs: &[CoverageRun],
) -> Result<(), StoreError> {
    let bounds = (runs.iter().map(|run| run.from.0).min(), runs.iter().map(|run| run.to.0).max());
    let (Some(lowest), Some(highest)) = bounds else { return Ok(()) };
    // the neighbours too: a run that touches them becomes one with them
    let from = BlockNumber(lowest.saturating_sub(1));
    let to = BlockNumber(highest.saturating_add(1));
    let before = load_coverage_within(store, chain, from, to)?;
    let mut line: BTreeMap<u64, CoverageRun> =
        before.iter().map(|run| (run.from.0, *run)).collect();
    for run in runs {
        cut(&mut line, run.from.0, run.to.0);
        line.insert(run.from.0, *run);
    }
    let after = merged(line.into_values());
    for run in before.iter().filter(|run| !after.contains(run)) {
        batch.delete(Table::Coverage, block_key(chain, run.from));
    }
    for run in after.iter().filter(|run| !before.contains(run)) {
        let row = CoverageRow { to: run.to, held: run.held };
        batch.put(Table::Coverage, block_key(chain, run.from), row.encode());
    }
    Ok(())
}

/// Removes the numbers from `from` to `to` from every run.
fn cut(line: &mut BTreeMap<u64, CoverageRun>, from: u64, to: u64) {
    let touched: Vec<CoverageRun> =
        line.range(..=to).map(|(_, run)| *run).filter(|run| run.to.0 >= from).collect();
    for run in touched {
        line.remove(&run.from.0);
        if let Some(end) = from.checked_sub(1).filter(|end| *end >= run.from.0) {
            line.insert(run.from.0, CoverageRun { to: BlockNumber(end), ..run });
        }
        if let Some(start) = to.checked_add(1).filter(|start| *start <= run.to.0) {
            line.insert(start, CoverageRun { from: BlockNumber(start), ..run });
        }
    }
}

/// Merges neighbours with equal coverage.
fn merged(runs: impl Iterator<Item = CoverageRun>) -> Vec<CoverageRun> {
    let mut out: Vec<CoverageRun> = Vec::new();
    for run in runs {
        match out.last_mut() {
            Some(last) if last.to.0.checked_add(1) == Some(run.from.0) && last.held == run.held => {
                last.to = run.to;
            }
            _ => out.push(run),
        }
    }
    out
}

fn decode((key, bytes): &Row) -> Result<CoverageRun, StoreError> {
    let wrong = || StoreError::corrupt(Table::Coverage, key, "not a run of numbers");
    let (_, from) = decode_block_key(key).ok_or_else(wrong)?;
    let CoverageRow { to, held } = CoverageRow::decode(key, bytes)?;
    if to < from { Err(wrong()) } else { Ok(CoverageRun { from, to, held }) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use superroot_chain::Extent;
    use superroot_types::{ChainId, Family, Hash};

    use super::*;
    use crate::layout::{ChainState, HeaderWhy, RefusedRow};
    use crate::{MemoryStore, write};

    const CHAIN: ChainKey = ChainKey { family: Family::Evm, id: ChainId(1) };
    const HELDS: [HeldRun; 5] = [
        HeldRun::Whole,
        HeldRun::HeaderOnly { why: HeaderWhy::NoBody },
        HeldRun::Partial { extent: Extent { transactions: true, receipts: false } },
        HeldRun::Watched { watch_hash: Hash([3; 32]) },
        HeldRun::Skipped,
    ];

    fn run(from: u64, to: u64, held: HeldRun) -> CoverageRun {
        CoverageRun { from: BlockNumber(from), to: BlockNumber(to), held }
    }

    fn set(store: &MemoryStore, runs: &[CoverageRun]) {
        let mut batch = WriteBatch::new();
        put_coverage(&mut batch, store, CHAIN, runs).unwrap();
        store.commit(batch).unwrap();
    }

    fn started(start: u64) -> MemoryStore {
        let store = MemoryStore::new();
        let mut batch = WriteBatch::new();
        let state = ChainState::empty(BlockNumber(start));
        write::put_chain_state(&mut batch, CHAIN, &state);
        // neighbours in the table that must never be read or touched
        for id in [0, 2] {
            let key = block_key(ChainKey { id: ChainId(id), ..CHAIN }, BlockNumber(5));
            let row = CoverageRow { to: BlockNumber(9), held: HeldRun::Whole };
            batch.put(Table::Coverage, key, row.encode());
        }
        store.commit(batch).unwrap();
        store
    }

    proptest! {
        /// Whatever is said in whatever order, what is read is what was said last of each number,
        /// in the fewest runs.
        #[test]
        fn runs_say_of_each_number_what_was_said_last(
            said in proptest::collection::vec(
                proptest::collection::vec((0_u64..60, 0_u64..12, 0_usize..5), 1..4), 1..12),
        ) {
            let store = started(0);
            let mut plain: BTreeMap<u64, HeldRun> = BTreeMap::new();
            for batch in &said {
                let runs: Vec<CoverageRun> = batch
                    .iter()
                    .map(|(from, length, held)| run(*from, from + length, HELDS[*held]))
                    .collect();
                set(&store, &runs);
                for run in &runs {
                    (run.from.0..=run.to.0).for_each(|number| _ = plain.insert(number, run.held));
                }
            }
            let read = load_coverage(&store, CHAIN).unwrap();
            let mut told = BTreeMap::new();
            for run in &read {
                for number in run.from.0..=run.to.0 {
                    prop_assert!(told.insert(number, run.held).is_none(), "overlap");
                }
            }
            prop_assert_eq!(told, plain);
            for pair in read.windows(2) {
                let touch = pair[0].to.0 + 1 == pair[1].from.0;
                prop_assert!(pair[0].to < pair[1].from);
                prop_assert!(!(touch && pair[0].held == pair[1].held), "not the fewest");
            }
        }
    }

    #[test]
    fn blocks_in_order_make_one_row() {
        let store = started(0);
        (0..500).for_each(|number| set(&store, &[run(number, number, HeldRun::Whole)]));
        assert_eq!(load_coverage(&store, CHAIN).unwrap(), [run(0, 499, HeldRun::Whole)]);
        let rows = store.scan(Table::Coverage, b"", None, 100, ScanOrder::Rising).unwrap();
        assert_eq!(rows.len(), 3, "with the two of other chains");
    }

    #[test]
    fn what_is_said_again_is_not_written_again() {
        let store = started(0);
        set(&store, &[run(3, 9, HeldRun::Whole)]);
        let mut batch = WriteBatch::new();
        put_coverage(&mut batch, &store, CHAIN, &[run(4, 6, HeldRun::Whole)]).unwrap();
        assert!(batch.is_empty());
    }

    #[test]
    fn a_twig_that_is_being_filled_is_not_shown() {
        let store = started(2048);
        set(&store, &[run(2040, 2100, HeldRun::Whole), run(2000, 2039, HeldRun::Skipped)]);
        assert_eq!(load_coverage(&store, CHAIN).unwrap(), [run(2048, 2100, HeldRun::Whole)]);
        let within = |from, to| {
            load_coverage_within(&store, CHAIN, BlockNumber(from), BlockNumber(to)).unwrap()
        };
        assert_eq!(within(2039, 2040).len(), 2);
        assert_eq!(within(2041, 2041), [run(2040, 2100, HeldRun::Whole)]);
        assert_eq!(within(2101, u64::MAX), []);
    }

    #[test]
    fn a_refused_block_that_stops_the_chain_is_shown() {
        let store = started(0);
        set(&store, &[run(0, 6, HeldRun::Whole)]);
        let mut batch = WriteBatch::new();
        let row = RefusedRow { reason: "its hash differs".into(), source: "a".into() };
        write::put_refused(&mut batch, CHAIN, BlockNumber(7), &row);
        write::put_refused(&mut batch, CHAIN, BlockNumber(5), &row);
        store.commit(batch).unwrap();
        let shown = load_coverage(&store, CHAIN).unwrap();
        assert_eq!(shown, [run(0, 6, HeldRun::Whole), run(7, 7, HeldRun::Refused)]);
    }

    #[test]
    fn the_ends_of_all_numbers_do_not_overflow() {
        let store = started(0);
        set(
            &store,
            &[run(0, 0, HeldRun::Whole), run(u64::MAX - 1, u64::MAX - 1, HeldRun::Skipped)],
        );
        assert_eq!(load_coverage(&store, CHAIN).unwrap().len(), 2);
    }

    #[test]
    fn an_unknown_chain_has_no_coverage() {
        assert_eq!(load_coverage(&MemoryStore::new(), CHAIN).unwrap(), []);
    }

    #[test]
    fn a_run_that_ends_before_it_begins_is_corrupt() {
        let store = started(0);
        let mut batch = WriteBatch::new();
        let row = CoverageRow { to: BlockNumber(3), held: HeldRun::Whole };
        batch.put(Table::Coverage, block_key(CHAIN, BlockNumber(4)), row.encode());
        store.commit(batch).unwrap();
        assert!(matches!(load_coverage(&store, CHAIN), Err(StoreError::Corrupt { .. })));
    }
}
