//! Coverage: block ranges in which the index may miss events.

use superroot_chain::ledger::facts;
use superroot_store::coverage::{CoverageRun, load_coverage_within};
use superroot_store::layout::{HeaderWhy, HeldRun, KeptEntries, WatchFilter};
use superroot_store::{Store, StoreError, read};
use superroot_types::{BlockNumber, ChainKey, Family};

use super::filter::EventFilter;
use crate::event;

/// Blocks checked above the final ones; higher blocks count as not collected.
const ABOVE_FINAL_MAX: usize = 4096;

/// Block range with possibly missing events, and the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventGap {
    pub from: BlockNumber,
    pub to: BlockNumber,
    /// Reason, as a stable code.
    pub why: &'static str,
}

/// Ascending ranges with possibly missing events: not stored, or collected under a watch list without the requested
/// events.
pub fn gaps(
    store: &dyn Store,
    chain: ChainKey,
    filter: &EventFilter,
    from: BlockNumber,
    to: BlockNumber,
) -> Result<Vec<EventGap>, StoreError> {
    let mut gaps: Vec<EventGap> = Vec::new();
    let mut add = |from: BlockNumber, to: BlockNumber, why| match gaps.last_mut() {
        Some(last) if last.why == why && last.to.0.checked_add(1) == Some(from.0) => last.to = to,
        _ => gaps.push(EventGap { from, to, why }),
    };
    if !event::is_indexed(chain.family) {
        add(from, to, "ledger_without_events");
        return Ok(gaps);
    }
    let mut next = Some(from);
    let mut runs = load_coverage_within(store, chain, from, to)?;
    runs.extend(above_final(store, chain, from, to)?);
    for run in runs {
        let Some(first) = next.filter(|first| *first <= to && run.to >= *first) else { continue };
        if first < run.from {
            add(first, BlockNumber(run.from.0 - 1).min(to), "not_collected");
        }
        let begin = first.max(run.from);
        if begin <= to
            && let Some(why) = lacks(store, chain.family, filter, run.held)?
        {
            add(begin, run.to.min(to), why);
        }
        next = run.to.0.checked_add(1).map(BlockNumber);
    }
    if let Some(first) = next.filter(|first| *first <= to) {
        add(first, to, "not_collected");
    }
    Ok(gaps)
}

/// Whether the index will have every such event in future blocks: the chain's watch list includes all of them.
pub fn is_followed(
    store: &dyn Store,
    chain: ChainKey,
    filter: &EventFilter,
) -> Result<bool, StoreError> {
    if !event::is_indexed(chain.family) {
        return Ok(false);
    }
    let Some(hash) = read::load_chain_watch(store, chain)? else { return Ok(false) };
    Ok(read::load_watch(store, &hash)?.is_some_and(|watch| filter.is_within(&watch)))
}

/// Stored blocks above the final ones, each separately: under the current watch list, as far as bodies exist.
fn above_final(
    store: &dyn Store,
    chain: ChainKey,
    from: BlockNumber,
    to: BlockNumber,
) -> Result<Vec<CoverageRun>, StoreError> {
    let indexed = read::load_chain_state(store, chain)?.and_then(|state| state.indexed);
    let Some(indexed) = indexed.filter(|indexed| indexed.number < to) else {
        return Ok(Vec::new());
    };
    let watch_hash = read::load_chain_watch(store, chain)?;
    let first = from.max(BlockNumber(indexed.number.0.saturating_add(1)));
    let numbers = first..BlockNumber(to.0.saturating_add(1));
    let blocks = read::load_blocks(store, chain, numbers, ABOVE_FINAL_MAX)?;
    let runs = blocks.iter().map(|(number, block)| {
        let held = match (&block.kept, watch_hash) {
            (KeptEntries::Some(_), Some(watch_hash)) => HeldRun::Watched { watch_hash },
            (KeptEntries::Some(_), None) => HeldRun::HeaderOnly { why: HeaderWhy::NothingWatched },
            (KeptEntries::All, _) => HeldRun::Partial { extent: block.extent },
        };
        CoverageRun { from: *number, to: *number, held }
    });
    Ok(runs.collect())
}

fn lacks(
    store: &dyn Store,
    family: Family,
    filter: &EventFilter,
    held: HeldRun,
) -> Result<Option<&'static str>, StoreError> {
    let are_receipts = facts(family).events.is_some_and(|form| form.are_in_receipts);
    Ok(match held {
        HeldRun::Whole => None,
        HeldRun::Watched { watch_hash } => match read::load_watch(store, &watch_hash)? {
            Some(watch) if filter.is_within(&watch) => None,
            Some(WatchFilter::All | WatchFilter::Some { .. }) | None => Some("not_watched"),
        },
        HeldRun::HeaderOnly { why: HeaderWhy::NothingWatched } => Some("not_watched"),
        HeldRun::HeaderOnly { why: HeaderWhy::NoBody } => Some("no_body"),
        HeldRun::Partial { extent } if are_receipts && extent.receipts => None,
        HeldRun::Partial { extent } if !are_receipts && extent.transactions => None,
        HeldRun::Partial { .. } => Some("no_body"),
        HeldRun::Skipped => Some("skipped"),
        HeldRun::Refused => Some("refused"),
    })
}
