//! Numbers of which the index cannot say that it has all such events.

use superroot_store::coverage::{Coverage, load_coverage_within};
use superroot_store::layout::{HeaderWhy, Held, Kept, Watch};
use superroot_store::{Store, StoreError, read};
use superroot_types::{BlockNumber, ChainKey, Family};

use super::filter::Filter;
use crate::event;

/// Blocks above the final ones that are looked at; what is above them counts as not collected.
const ABOVE_FINAL_MAX: usize = 4096;

/// A run of numbers whose events may be missing, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// First number.
    pub from: BlockNumber,
    /// Last number.
    pub to: BlockNumber,
    /// Why, as a stable word.
    pub why: &'static str,
}

/// Runs of the range whose events may be missing: not held, or kept under a watch list that does not have
/// what is asked for. Rising.
///
/// # Errors
/// Those of the store.
pub fn gaps(
    store: &dyn Store,
    chain: ChainKey,
    filter: &Filter,
    from: BlockNumber,
    to: BlockNumber,
) -> Result<Vec<Gap>, StoreError> {
    let mut gaps: Vec<Gap> = Vec::new();
    let mut add = |from: BlockNumber, to: BlockNumber, why| match gaps.last_mut() {
        Some(last) if last.why == why && last.to.0.checked_add(1) == Some(from.0) => last.to = to,
        _ => gaps.push(Gap { from, to, why }),
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

/// Whether the index will have every such event of the blocks to come: the chain is collected under a watch
/// list that has all of them.
///
/// # Errors
/// Those of the store.
pub fn is_followed(
    store: &dyn Store,
    chain: ChainKey,
    filter: &Filter,
) -> Result<bool, StoreError> {
    if !event::is_indexed(chain.family) {
        return Ok(false);
    }
    let Some(hash) = read::load_chain_watch(store, chain)? else { return Ok(false) };
    Ok(read::load_watch(store, &hash)?.is_some_and(|watch| filter.is_within(&watch)))
}

/// The blocks that are held above the final ones, each by itself: under the present watch list, as far as
/// their bodies came.
fn above_final(
    store: &dyn Store,
    chain: ChainKey,
    from: BlockNumber,
    to: BlockNumber,
) -> Result<Vec<Coverage>, StoreError> {
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
            (Kept::Some(_), Some(watch_hash)) => Held::Watched { watch_hash },
            (Kept::Some(_), None) => Held::HeaderOnly { why: HeaderWhy::NothingWatched },
            (Kept::All, _) => Held::Partial { extent: block.extent },
        };
        Coverage { from: *number, to: *number, held }
    });
    Ok(runs.collect())
}

fn lacks(
    store: &dyn Store,
    family: Family,
    filter: &Filter,
    held: Held,
) -> Result<Option<&'static str>, StoreError> {
    let are_receipts = matches!(family, Family::Evm | Family::Aptos);
    Ok(match held {
        Held::Whole => None,
        Held::Watched { watch_hash } => match read::load_watch(store, &watch_hash)? {
            Some(watch) if filter.is_within(&watch) => None,
            Some(Watch::All | Watch::Some { .. }) | None => Some("not_watched"),
        },
        Held::HeaderOnly { why: HeaderWhy::NothingWatched } => Some("not_watched"),
        Held::HeaderOnly { why: HeaderWhy::NoBody } => Some("no_body"),
        Held::Partial { extent } if are_receipts && extent.receipts => None,
        Held::Partial { extent } if !are_receipts && extent.transactions => None,
        Held::Partial { .. } => Some("no_body"),
        Held::Skipped => Some("skipped"),
        Held::Refused => Some("refused"),
    })
}
