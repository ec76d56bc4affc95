//! Stored blocks with missing watched events.

use std::collections::BTreeMap;

use superroot_store::coverage::load_coverage_within;
use superroot_store::layout::{HeaderWhy, HeldRun, WatchFilter};
use superroot_store::{Store, StoreError, read};
use superroot_types::{BlockNumber, ChainKey, Hash};

use crate::wanted::WantedWatch;

/// Returns ranges of final blocks (ascending) with missing events of `wanted`. Blocks without collected data or without
/// a body are left out: another fetch would bring nothing.
pub fn lacking(
    store: &dyn Store,
    chain: ChainKey,
    wanted: &WantedWatch,
) -> Result<Vec<(BlockNumber, BlockNumber)>, StoreError> {
    let state = read::load_chain_state(store, chain)?;
    let Some((start, last)) = state.and_then(|state| Some((state.start, state.indexed?.number)))
    else {
        return Ok(Vec::new());
    };
    let Some(first) = wanted.from.keys().next() else { return Ok(Vec::new()) };
    let mut first_lacking: BTreeMap<Hash, Option<BlockNumber>> = BTreeMap::new();
    let nothing = WatchFilter::nothing();
    let mut ranges: Vec<(BlockNumber, BlockNumber)> = Vec::new();
    for run in load_coverage_within(store, chain, start.max(*first), last)? {
        let hash = match run.held {
            HeldRun::Watched { watch_hash } => watch_hash,
            HeldRun::HeaderOnly { why: HeaderWhy::NothingWatched } => nothing.hash(),
            HeldRun::HeaderOnly { why: HeaderWhy::NoBody }
            | HeldRun::Whole
            | HeldRun::Partial { .. }
            | HeldRun::Skipped
            | HeldRun::Refused => continue,
        };
        let lacks_from = match first_lacking.get(&hash) {
            Some(known) => *known,
            None => {
                let had = read::load_watch(store, &hash)?.unwrap_or_else(WatchFilter::nothing);
                let lacks =
                    |(_, list): &(&BlockNumber, &WatchFilter)| !list.without(&had).is_nothing();
                let lacks_from = wanted.from.iter().find(lacks).map(|(from, _)| *from);
                first_lacking.insert(hash, lacks_from);
                lacks_from
            }
        };
        let Some(from) = lacks_from.map(|from| from.max(run.from).max(start)) else { continue };
        let to = run.to.min(last);
        match ranges.last_mut() {
            _ if from > to => {}
            Some(before) if before.1.0 + 1 == from.0 => before.1 = to,
            _ => ranges.push((from, to)),
        }
    }
    Ok(ranges)
}
